"""``memoryd bench``: what a daemon does on this machine."""
