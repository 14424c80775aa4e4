"""OperationService and its messages."""
