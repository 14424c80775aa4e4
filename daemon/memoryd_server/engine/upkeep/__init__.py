"""Background maintenance, whole-agent use cases and statistics."""
