"""Compares the recall of the daemon with that of common alternatives, on the same texts and questions."""
