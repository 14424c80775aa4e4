"""Backups: directories of snapshots and of segments of the journal, each with a manifest."""
