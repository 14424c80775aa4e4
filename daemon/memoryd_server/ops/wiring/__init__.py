"""Factories of the daemon's parts from its settings."""
