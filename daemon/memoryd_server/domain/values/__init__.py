"""Immutable building blocks that know no kind of memory: deadlines, number sets, word indexes, token estimates."""
