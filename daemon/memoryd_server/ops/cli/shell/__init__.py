"""``memoryd shell``: commands at a prompt."""
