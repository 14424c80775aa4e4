"""``memoryd doctor``: checks of a daemon's settings, files and machine."""
