"""The tools that let a model use notes."""

from typing import Annotated, Any

from memoryd.errors import RecordNotFound
from memoryd.model.note import Note
from memoryd.protocol import note as calls
from memoryd.protocol.current_conversation import CurrentConversation
from memoryd.protocol.note import NoteChanges, NoteListOptions, NoteOptions
from memoryd.protocol.tool import Flow, changes_of, first_items, tool
from memoryd.protocol.tool_schema import Between

NoteId = Annotated[str, "The note's id, as list_notes returns it."]
Title = Annotated[str, "What the note is about, in one line."]
Content = Annotated[str, "The text of the note."]
Importance = Annotated[float, "How much it matters, from 0 to 1.", Between(0, 1)]
Limit = Annotated[int, "Maximum number of notes to return.", Between(1, 100)]

LISTED_CHARACTERS_MAX = 500


@tool(read_only=True)
def list_notes(here: CurrentConversation, limit: Limit = 50) -> Flow:
    """List your notes, the oldest first, with their ids. Long ones are truncated: get_note reads a note whole."""
    notes = yield from first_items(calls.list_notes(here.agent_id, NoteListOptions(user_id=here.user_id)), limit)
    return {"notes": [_shortened(note) for note in notes]}


@tool(read_only=True)
def get_note(here: CurrentConversation, note_id: NoteId) -> Flow:
    """Read one of your notes."""
    return _rendered((yield from _own(here, note_id)))


@tool()
def create_note(here: CurrentConversation, title: Title, content: Content, importance: Importance = 0.5) -> Flow:
    """Create a note. Notes are for what you need in every conversation, such as preferences, rules and facts: keep them
    few and short.
    """
    options = NoteOptions(user_id=here.user_id, importance=importance)
    return _rendered((yield calls.create_note(here.agent_id, title, content, options)))


@tool(destructive=True)
def update_note(
    here: CurrentConversation,
    note_id: NoteId,
    title: Title | None = None,
    content: Annotated[str, "The whole new text, which replaces the note's."] | None = None,
    importance: Importance | None = None,
) -> Flow:
    """Change one of your notes. Arguments that are left out stay unchanged."""
    changes: NoteChanges = changes_of(title=title, content=content, importance=importance)
    note = yield from _own(here, note_id)
    return _rendered((yield calls.update_note(here.agent_id, note.note_id, changes, note.revision)))


@tool(destructive=True)
def delete_note(here: CurrentConversation, note_id: NoteId) -> Flow:
    """Delete one of your notes permanently."""
    note = yield from _own(here, note_id)
    return {"deleted": (yield calls.delete_note(here.agent_id, note.note_id, note.revision))}


NOTE_TOOLS = (list_notes, get_note, create_note, update_note, delete_note)


def _own(here: CurrentConversation, note_id: str) -> Flow:
    """Return a note of the conversation's user. Raises RecordNotFound for another user's."""
    note: Note = yield calls.get_note(here.agent_id, note_id)
    if note.user_id != here.user_id:
        raise RecordNotFound(f"agent {here.agent_id!r} has no note {note_id!r}")
    return note


def _rendered(note: Note) -> dict[str, Any]:
    return {
        "note_id": note.note_id,
        "title": note.title,
        "content": note.content,
        "importance": note.importance,
        "update_time": note.update_time.isoformat(),
    }


def _shortened(note: Note) -> dict[str, Any]:
    content = note.content
    if len(content) > LISTED_CHARACTERS_MAX:
        content = f"{content[: LISTED_CHARACTERS_MAX - 1]}…"
    return {**_rendered(note), "content": content}
