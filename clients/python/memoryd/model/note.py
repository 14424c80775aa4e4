"""Notes."""

from dataclasses import dataclass
from datetime import datetime

from memoryd.model.moment import datetime_from
from memoryd.v1 import note_pb2


@dataclass(frozen=True, slots=True)
class Note:
    """Titled text that goes into every prompt.

    ``storage_key`` separates the notes of an agent that belong to different people or tasks; empty for the agent's
    own. ``importance`` is from 0 to 1. ``revision`` is the agent's revision that last wrote the note.
    """

    note_id: str
    agent_id: str
    storage_key: str
    title: str
    content: str
    importance: float
    create_time: datetime
    update_time: datetime
    revision: int


def note_from(message: note_pb2.Note) -> Note:
    """Return the note of a message."""
    return Note(
        note_id=message.note_id,
        agent_id=message.agent_id,
        storage_key=message.storage_key,
        title=message.title,
        content=message.content,
        importance=message.importance,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
    )
