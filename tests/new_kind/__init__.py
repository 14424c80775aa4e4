"""The worked examples of the guides, applied to a copy of the project: a kind of memory, and a field of an entry."""
