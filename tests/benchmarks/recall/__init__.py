"""What of a conversation is found again: the daemon beside what people use else, on the same texts and questions."""
