"""The commands that run, describe and administer the daemon."""
