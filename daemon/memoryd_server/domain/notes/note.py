"""Notes: titled, editable memories that are put into prompts."""

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind


class Note(Collected, frozen=True, array_like=True, gc=False, tag="note"):
    """One note. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``storage_key`` tells apart the notes of an agent that belong to different people or tasks; empty for the agent's
    own. ``importance`` is from 0 to 1: the less important ones leave the prompt first.
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
        """Notes are not grouped: each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """What names it among the notes of its agent."""
        return self.note_id

    def without_content(self) -> "Note":
        """The note as those are told of it who may not read it."""
        return msgspec.structs.replace(self, title="", content="")


NOTE = CollectionPart(
    "note", Note, RecordKind.NOTE, EventType.NOTE_CREATED, EventType.NOTE_UPDATED, EventType.NOTE_DELETED
)
