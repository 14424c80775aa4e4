"""Documents and the chunks that they are cut into."""
