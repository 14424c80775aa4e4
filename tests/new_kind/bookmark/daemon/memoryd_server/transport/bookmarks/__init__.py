"""BookmarkService and its messages."""
