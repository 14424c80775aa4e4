"""ConversationService and its messages."""
