"""Conversations: messages, passages of them, and compaction."""
