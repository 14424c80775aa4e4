"""``memoryd top``: a live table of a daemon."""
