"""The summarizer of conversations. Implements ``ports.summarizing``."""
