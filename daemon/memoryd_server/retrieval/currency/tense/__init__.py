"""The words of each language for what was so, and for what is so now."""
