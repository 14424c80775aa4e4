"""The words of memories: an index of their terms, how a query looks for them, and the scores that they give."""
