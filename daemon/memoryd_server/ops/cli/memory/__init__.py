"""``memoryd memory``: long-term memories."""
