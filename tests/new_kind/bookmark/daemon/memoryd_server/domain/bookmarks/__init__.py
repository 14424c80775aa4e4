"""Bookmarks: pages that an agent wants to find again."""
