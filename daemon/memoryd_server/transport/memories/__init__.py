"""LongTermMemoryService and its messages."""
