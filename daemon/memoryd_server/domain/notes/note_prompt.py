"""Rendering of notes for a prompt."""

from memoryd_server.domain.notes.note import Note

HEADER = "[DYNAMIC_MEMORY]\n"
FOOTER = "[END_DYNAMIC_MEMORY]\n"


def note_line(note: Note) -> str:
    """Return a note as a line of a prompt. Line breaks in its content are kept, since a note may be a list."""
    return f"- {note.title}: {note.content}\n"
