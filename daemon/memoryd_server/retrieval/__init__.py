"""The index that finds memories by words and by meaning. Implements the index of ``ports.retrieval``."""
