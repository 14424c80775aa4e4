"""Immutable building blocks that depend on no kind of memory: deadlines, number sets, word indexes, token estimates."""
