"""The calls about notes."""

from collections.abc import Collection, Mapping
from typing import Any, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.entry import write_metadata
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.note import Note, note_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.protocol.record_filter import FilterOptions, filter_of
from memoryd.v1 import note_pb2
from memoryd.v1 import note_service_pb2 as pb


class NoteOptions(TypedDict, total=False):
    """The options of a new note.

    ``note_id``: its id; by default the server chooses one.
    ``notebook``: the notebook that it is in, such as that of a person or a task; by default the default one.
    ``importance``: from 0 to 1; 0.5 by default.
    ``user_id``: the user whom it is about, or whose it is; none by default.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    """

    note_id: str
    notebook: str
    importance: float
    user_id: str
    tags: Collection[str]
    metadata: Mapping[str, Any]


class NoteChanges(TypedDict, total=False):
    """The fields of a note to change; the others stay unchanged. NoteOptions describes them."""

    title: str
    content: str
    notebook: str
    importance: float
    user_id: str
    tags: Collection[str]
    metadata: Mapping[str, Any]


class NoteListOptions(FilterOptions, total=False):
    """The options of a list of notes, and which are selected: see FilterOptions.

    ``notebook``: only those in this notebook; empty for the default one.
    ``order``: by default that of creation.
    ``view``: by default the notes are in full.
    """

    notebook: str | None
    order: ListOrder | str
    view: RecordView | str


def create_note(agent_id: str, title: str, content: str, options: NoteOptions) -> Call[Note]:
    """Create a note."""
    draft = _draft({"title": title, "content": content, **options})
    request = pb.CreateNoteRequest(agent_id=agent_id, draft=draft, request_id=new_request_id())
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
        draft=_draft(changes),
        update_mask=FieldMask(paths=list(changes)),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UPDATE_NOTE, request, lambda answer: note_from(answer.note))


def delete_note(
    agent_id: str, note_id: str, expected_revision: int | None, *, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove a note."""
    request = pb.DeleteNoteRequest(
        erase=erase,
        agent_id=agent_id,
        note_id=note_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.DELETE_NOTE, request, removed(lambda answer: answer.deleted, erase=erase), patience=erasing(erase=erase)
    )


def list_notes(agent_id: str, options: NoteListOptions) -> Call[Page[Note]]:
    """List notes, page by page."""
    notebook = options.get("notebook")
    request = pb.ListNotesRequest(
        agent_id=agent_id,
        filter=filter_of(options, note={"notebooks": None if notebook is None else [notebook]}),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_NOTES, request, lambda answer: [note_from(each) for each in answer.notes])


def _draft(fields: Mapping[str, Any]) -> note_pb2.NoteDraft:
    plain = {name: value for name, value in fields.items() if name not in {"tags", "metadata"}}
    draft = note_pb2.NoteDraft(**plain, tags=strings_of("tags", fields.get("tags", ())))
    write_metadata(draft.metadata, fields.get("metadata", {}))
    return draft
