"""How memories are found: implementations of the retrieval ports."""
