"""The calls about notes."""

from typing import TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.note import Note, note_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of
from memoryd.v1 import note_pb2
from memoryd.v1 import note_service_pb2 as pb


class NoteOptions(TypedDict, total=False):
    """The options of a new note.

    ``note_id``: its id; by default the server chooses one. ``storage_key``: the person or task that it belongs to.
    ``importance``: from 0 to 1; 0.5 by default.
    """

    note_id: str
    storage_key: str
    importance: float


class NoteChanges(TypedDict, total=False):
    """The fields of a note to change; the others stay unchanged."""

    title: str
    content: str
    storage_key: str
    importance: float


def create_note(agent_id: str, title: str, content: str, options: NoteOptions) -> Call[Note]:
    """Create a note."""
    request = pb.CreateNoteRequest(
        agent_id=agent_id,
        note_id=options.get("note_id", ""),
        title=title,
        content=content,
        storage_key=options.get("storage_key", ""),
        importance=options.get("importance"),
        request_id=new_request_id(),
    )
    return call(method.CREATE_NOTE, request, lambda answer: note_from(answer.note))


def get_note(agent_id: str, note_id: str) -> Call[Note]:
    """Read a note."""
    request = pb.GetNoteRequest(agent_id=agent_id, note_id=note_id)
    return call(method.GET_NOTE, request, lambda answer: note_from(answer.note))


def update_note(agent_id: str, note_id: str, changes: NoteChanges, expected_revision: int | None) -> Call[Note]:
    """Change a note. Raises ValueError if there are no changes."""
    if not changes:
        raise ValueError("the update has no changes: name at least one field")
    request = pb.UpdateNoteRequest(
        agent_id=agent_id,
        note_id=note_id,
        note=note_pb2.Note(**changes),
        update_mask=FieldMask(paths=list(changes)),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UPDATE_NOTE, request, lambda answer: note_from(answer.note))


def delete_note(agent_id: str, note_id: str, expected_revision: int | None) -> Call[bool]:
    """Remove a note."""
    request = pb.DeleteNoteRequest(
        agent_id=agent_id,
        note_id=note_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.DELETE_NOTE, request, lambda answer: answer.deleted)


def list_notes(agent_id: str, storage_key: str | None) -> Call[Page[Note]]:
    """List notes, page by page."""
    request = pb.ListNotesRequest(agent_id=agent_id, storage_key=storage_key, page_size=LIST_PAGE_SIZE)
    return page_call(method.LIST_NOTES, request, lambda answer: [note_from(each) for each in answer.notes])
