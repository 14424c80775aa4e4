"""Descriptions of agents as a whole: names, labels and defaults."""
