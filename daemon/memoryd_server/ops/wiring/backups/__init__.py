"""The composition of `memoryd backup`."""
