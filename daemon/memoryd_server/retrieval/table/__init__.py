"""The table of the indexed memories, by whose properties they are filtered."""
