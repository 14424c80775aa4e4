"""Embedders: a static table, from the distribution or from a folder, and HTTP endpoints."""
