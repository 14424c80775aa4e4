"""Notes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.moment import datetime_from
from memoryd.v1 import note_pb2


@dataclass(frozen=True, slots=True)
class Note:
    """Titled text that goes into every prompt.

    ``notebook`` separates the notes of an agent that belong to different people or tasks; empty for the default one.
    ``user_id`` is the user whom the note is about, or whose it is; empty for none. ``importance`` is from 0 to 1.
    ``revision`` is the agent's revision that last wrote the note.
    """

    note_id: str
    agent_id: str
    notebook: str
    title: str
    content: str
    importance: float
    user_id: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    create_time: datetime
    update_time: datetime
    revision: int


def note_from(message: note_pb2.Note) -> Note:
    """Return the note of a message."""
    return Note(
        note_id=message.note_id,
        agent_id=message.agent_id,
        notebook=message.notebook,
        title=message.title,
        content=message.content,
        importance=message.importance,
        user_id=message.user_id,
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
    )
