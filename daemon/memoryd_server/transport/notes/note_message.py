"""Notes, between the domain and the contract."""

from collections.abc import Callable

from google.protobuf import field_mask_pb2

from memoryd.v1 import note_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.notes.note_change import CreateNote, NotePatch
from memoryd_server.transport.fields.importance import importance_of
from memoryd_server.transport.fields.json_value import metadata_json_of, write_json
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.update_mask import paths_of
from memoryd_server.transport.fields.user_id import user_id_of


def note_message(agent_id: str, note: Note) -> note_pb2.Note:
    """Encode a note, for responses and events."""
    message = note_pb2.Note(
        note_id=note.note_id,
        agent_id=agent_id,
        revision=note.revision,
        create_time=timestamp(note.create_time),
        update_time=timestamp(note.update_time),
        user_id=note.user_id,
        tags=note.tags,
        notebook=note.notebook,
        title=note.title,
        content=note.content,
        importance=note.importance,
    )
    if note.metadata_json:
        write_json(note.metadata_json, message.metadata)
    return message


def creation_of(draft: note_pb2.NoteDraft, new_id: str, limits: Limits) -> CreateNote:
    """Decode a note to create. Raises InvalidField, TooLarge."""
    note_id = record_id_of("draft.note_id", draft.note_id) if draft.note_id else new_id
    return CreateNote(note_id, **{name: read(draft, limits) for name, read in _FIELDS.values()})  # type: ignore[arg-type]


def patch_of(draft: note_pb2.NoteDraft, mask: field_mask_pb2.FieldMask, note_id: str, limits: Limits) -> NotePatch:
    """Decode the changes of the note ``note_id``. Raises InvalidField, TooLarge."""
    if draft.note_id not in {"", note_id}:
        raise InvalidField("draft.note_id", "must be empty or the same as note_id")
    fields: dict[str, object] = {}
    for path in paths_of(mask, _FIELDS):
        name, read = _FIELDS[path]
        fields[name] = read(draft, limits)
    return NotePatch(**fields)  # type: ignore[arg-type]


def notebook_of(field: str, value: str) -> str:
    """Return the name of a notebook, if it is valid; empty for the default one. Raises InvalidField."""
    return validation.optional_text(field, value, limit.NOTEBOOK_BYTES_MAX)


def _content_of(draft: note_pb2.NoteDraft, limits: Limits) -> str:
    return validation.content("draft.content", draft.content, "note_bytes", limits.note_bytes)


_FIELDS: dict[str, tuple[str, Callable[[note_pb2.NoteDraft, Limits], object]]] = {
    "user_id": ("user_id", lambda draft, _: user_id_of("draft.user_id", draft.user_id)),
    "tags": ("tags", lambda draft, _: validation.tags("draft.tags", draft.tags)),
    "metadata": ("metadata_json", lambda draft, _: metadata_json_of(draft.metadata, "draft.metadata")),
    "notebook": ("notebook", lambda draft, _: notebook_of("draft.notebook", draft.notebook)),
    "title": ("title", lambda draft, _: validation.text("draft.title", draft.title, limit.TITLE_BYTES_MAX)),
    "content": ("content", _content_of),
    "importance": ("importance", lambda draft, _: importance_of(draft, "draft.importance")),
}
"""The fields of a draft that an update mask may name, each with its name in the domain and what decodes it."""
