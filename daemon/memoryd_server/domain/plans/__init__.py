"""Plans: the goal of a conversation and its ordered steps."""
