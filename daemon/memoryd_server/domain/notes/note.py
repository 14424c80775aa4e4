"""Notes: titled, editable texts that are rendered into prompts."""

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind


class Note(Collected, frozen=True, array_like=True, gc=False, tag="note"):
    """One note. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``storage_key`` separates the notes of different users or tasks of one agent; it is empty for the agent's own notes.
    ``importance`` is from 0 to 1: the least important notes are the first to be left out of a prompt.
    """

    note_id: str
    storage_key: str
    title: str
    content: str
    importance: float
    create_time: int
    update_time: int
    revision: int
    size_bytes: int

    @property
    def group(self) -> str:
        """The empty string: notes are not grouped, each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """The note's id."""
        return self.note_id

    def without_content(self) -> "Note":
        """Return the note without its texts, for events to clients that may not read content."""
        return msgspec.structs.replace(self, title="", content="")


NOTE = CollectionPart(
    "note", Note, RecordKind.NOTE, EventType.NOTE_CREATED, EventType.NOTE_UPDATED, EventType.NOTE_DELETED
)
