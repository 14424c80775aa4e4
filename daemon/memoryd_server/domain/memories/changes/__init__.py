"""The commands about memories, their links and their vectors."""
