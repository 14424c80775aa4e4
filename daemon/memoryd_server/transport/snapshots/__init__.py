"""SnapshotService and its messages."""
