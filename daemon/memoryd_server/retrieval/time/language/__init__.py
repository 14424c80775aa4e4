"""The words of each language for times."""
