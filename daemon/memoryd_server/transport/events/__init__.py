"""EventService and its messages."""
