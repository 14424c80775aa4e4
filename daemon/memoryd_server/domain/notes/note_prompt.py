"""How notes are told to a model."""

from memoryd_server.domain.notes.note import Note

HEADER = "[DYNAMIC_MEMORY]\n"
FOOTER = "[END_DYNAMIC_MEMORY]\n"


def note_line(note: Note) -> str:
    """A note on its line. Line breaks of its content stay: a note may be a list."""
    return f"- {note.title}: {note.content}\n"
