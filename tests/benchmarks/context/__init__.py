"""What of a conversation reaches the model within a budget of tokens, and how long it takes to compose it."""
