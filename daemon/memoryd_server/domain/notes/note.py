"""Notes: titled, editable texts that are rendered into prompts."""

from collections.abc import Iterator
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, at_least, one_of


class NoteCondition(KindCondition, frozen=True):
    """Conditions on notes; see ``NoteCondition`` of the contract."""

    notebooks: frozenset[str] = frozenset()
    min_importance: float = 0.0

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("notebook", self.notebooks)
        yield from at_least("importance", self.min_importance)


NOTE_SHAPE = RecordShape("note", attrgetter("note_id"), condition=NoteCondition)
"""The fields of notes that a filter asks for."""


class Note(Collected, frozen=True, array_like=True, gc=False, tag="note"):
    """One note. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``notebook`` separates the notes of different people or tasks of one agent; it is empty for the default notebook.
    ``importance`` is from 0 to 1: the least important notes are the first to be left out of a prompt. ``user_id`` is
    the user whom the note is about, or whose it is, and ``metadata_json`` a JSON object; both are empty for none.
    """

    shape: ClassVar[RecordShape | None] = NOTE_SHAPE
    kept_when_erased: ClassVar = ("note_id",)

    note_id: str
    notebook: str
    title: str
    content: str
    importance: float
    user_id: str
    tags: tuple[str, ...]
    metadata_json: str
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

    def sized(self) -> "Note":
        """Return the note with the bytes that its texts count against the storage limit."""
        texts = (self.notebook, self.title, self.content, self.user_id, *self.tags, self.metadata_json)
        return msgspec.structs.replace(self, size_bytes=sum(map(size_bytes, texts)))

    def without_content(self) -> "Note":
        """Return the note without what its writer wrote, for events to clients that may not read content."""
        return msgspec.structs.replace(self, title="", content="", tags=(), metadata_json="")


NOTE = CollectionPart(
    "note", Note, RecordKind.NOTE, EventType.NOTE_CREATED, EventType.NOTE_UPDATED, EventType.NOTE_DELETED
)
