"""Saved indexes: what took long to compute, in a form that is quickly loaded.

A memory that is unchanged since keeps its row, and all others are read again: a saved index may be old, and a wrong one
costs time but no result.
"""
