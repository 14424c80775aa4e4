"""``memoryd agent``: agents as a whole."""
