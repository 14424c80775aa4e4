"""Use cases of long-term memories."""
