"""DocumentService and its messages."""
