"""Profiles: named connections to daemons, in a file of the user."""
