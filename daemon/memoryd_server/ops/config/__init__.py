"""The daemon's settings: their table, the sources of their values, and their rules."""
