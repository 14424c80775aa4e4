"""Commits of several changes, between the engine and the contract."""
