"""WorkingMemoryService and its messages."""
