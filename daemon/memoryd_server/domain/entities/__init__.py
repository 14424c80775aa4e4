"""Entities that tools touched, in a window per conversation."""
