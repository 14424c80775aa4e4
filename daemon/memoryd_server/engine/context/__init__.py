"""Use cases of contexts and conversations: composing and compacting."""
