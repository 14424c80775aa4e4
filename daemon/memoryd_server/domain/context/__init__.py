"""Composition of a context for a model within a token budget."""
