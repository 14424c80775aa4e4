"""What a writer says of an agent as a whole: its name, labels and defaults."""
