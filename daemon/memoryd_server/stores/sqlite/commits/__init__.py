"""Commits on their way into the database: the queue, and the groups that they are written in."""
