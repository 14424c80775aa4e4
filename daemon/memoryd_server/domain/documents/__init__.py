"""Documents and the chunks that they are split into."""
