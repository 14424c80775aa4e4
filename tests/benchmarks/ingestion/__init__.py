"""Measures which memories IngestConversation makes, and what they are worth when evidence is recalled."""
