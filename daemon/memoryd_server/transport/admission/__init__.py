"""The admission of calls: the places, the bytes and the memory that they may take."""
