"""Use cases of fragments."""
