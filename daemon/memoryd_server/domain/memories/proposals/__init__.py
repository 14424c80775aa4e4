"""Memories that are proposed from what people state in messages, by rules on the form of their sentences."""
