"""What the daemon answers, as plain immutable Python."""
