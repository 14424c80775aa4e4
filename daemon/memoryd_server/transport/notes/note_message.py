"""Notes, between the domain and the contract."""

from typing import Any

from google.protobuf import field_mask_pb2

from memoryd.v1 import note_pb2
from memoryd.v1 import note_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.notes.note_change import CreateNote, NoteText
from memoryd_server.transport.fields.importance import importance_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp


def note_message(agent_id: str, note: Note) -> note_pb2.Note:
    """Encode a note, for responses and events."""
    return note_pb2.Note(
        note_id=note.note_id,
        agent_id=agent_id,
        storage_key=note.storage_key,
        title=note.title,
        content=note.content,
        importance=note.importance,
        create_time=timestamp(note.create_time),
        update_time=timestamp(note.update_time),
        revision=note.revision,
    )


def creation_of(message: pb.CreateNoteRequest, new_id: str, limits: limit.Limits) -> CreateNote:
    """Decode a note to create. Raises InvalidField, LimitExceeded."""
    return CreateNote(
        record_id_of("note_id", message.note_id) if message.note_id else new_id,
        _title_of("title", message.title),
        _content_of("content", message.content, limits),
        storage_key_of("storage_key", message.storage_key),
        importance_of(message),
    )


def text_of(message: note_pb2.Note, mask: field_mask_pb2.FieldMask, limits: limit.Limits) -> NoteText:
    """Decode the changes of a note. Raises InvalidField, LimitExceeded."""
    if not mask.paths:
        raise InvalidField("update_mask", "must not be empty")
    fields: dict[str, Any] = {}
    # Each path once: a mask that repeats a path of large content could block the event loop.
    for path in dict.fromkeys(mask.paths):
        if path == "title":
            fields[path] = _title_of("note.title", message.title)
        elif path == "content":
            fields[path] = _content_of("note.content", message.content, limits)
        elif path == "storage_key":
            fields[path] = storage_key_of("note.storage_key", message.storage_key)
        elif path == "importance":
            fields[path] = validation.importance("note.importance", message.importance)
        else:
            raise InvalidField(
                "update_mask", f"must not have {path!r}; allowed are title, content, storage_key, importance"
            )
    return NoteText(**fields)


def storage_key_of(field: str, value: str) -> str:
    """Return a storage key, if it is valid; empty for the agent's own. Raises InvalidField."""
    return validation.optional_text(field, value, limit.STORAGE_KEY_BYTES_MAX)


def _title_of(field: str, value: str) -> str:
    return validation.text(field, value, limit.TITLE_BYTES_MAX)


def _content_of(field: str, value: str, limits: limit.Limits) -> str:
    if not value:
        raise InvalidField(field, "must not be empty")
    if validation.size_bytes(value) > limits.note_bytes:
        raise LimitExceeded("note_bytes", limits.note_bytes)
    return value
