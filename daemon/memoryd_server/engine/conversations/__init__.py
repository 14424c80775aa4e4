"""Use cases of conversations: appending messages, and compaction."""
