"""Notes: titled texts that are rendered into prompts."""
