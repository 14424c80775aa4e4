"""NoteService and its messages."""
