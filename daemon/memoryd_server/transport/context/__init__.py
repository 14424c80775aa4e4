"""ContextService and its messages."""
