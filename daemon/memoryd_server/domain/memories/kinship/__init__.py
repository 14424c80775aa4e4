"""Relations between the contents of two memories: duplicates and contradictions."""
