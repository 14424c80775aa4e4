"""NoteService: decode the request, call the engine, encode the response."""

from memoryd.v1 import note_service_pb2 as pb
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import NOTE, NOTE_SHAPE, Note
from memoryd_server.domain.notes.note_change import DeleteNote, UpdateNote
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, change
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.notes.note_message import creation_of, note_message, patch_of


class NoteService:
    """Serves notes."""

    def __init__(self, collections: Collections, limits: Limits) -> None:
        self._collections = collections
        self._limits = limits

    @change
    def create_note(self, request: pb.CreateNoteRequest) -> Change[RecordPut[Note]]:
        """Create a note."""
        creating = creation_of(request.draft, new_id(), self._limits)

        def encode(done: RecordPut[Note]) -> pb.CreateNoteResponse:
            note = note_message(request.agent_id, done.record)
            return pb.CreateNoteResponse(note=note, revision=done.revision)

        return Change(creating, encode, log_change)

    async def get_note(self, request: pb.GetNoteRequest, call: Call) -> pb.GetNoteResponse:
        """Return one note."""
        note_id = record_id_of("note_id", request.note_id)
        note, revision = await self._collections.get(request.agent_id, NOTE, "", note_id, consistency_of(request))
        return pb.GetNoteResponse(note=note_message(request.agent_id, note), revision=revision)

    @change
    def update_note(self, request: pb.UpdateNoteRequest) -> Change[RecordPut[Note]]:
        """Update a note."""
        note_id = record_id_of("note_id", request.note_id)
        patch = patch_of(request.draft, request.update_mask, note_id, self._limits)
        updating = UpdateNote(note_id, patch, precondition_of(request))

        def encode(done: RecordPut[Note]) -> pb.UpdateNoteResponse:
            note = note_message(request.agent_id, done.record)
            return pb.UpdateNoteResponse(note=note, changed=done.changed, revision=done.revision)

        return Change(updating, encode, log_change)

    @change
    def delete_note(self, request: pb.DeleteNoteRequest) -> Change[RecordRemoved]:
        """Delete a note."""
        deleting = DeleteNote(record_id_of("note_id", request.note_id), precondition_of(request))

        def encode(done: RecordRemoved) -> pb.DeleteNoteResponse:
            return pb.DeleteNoteResponse(deleted=done.count > 0, revision=done.revision)

        return Change(deleting, encode, log_change, erases=request.erase)

    async def list_notes(self, request: pb.ListNotesRequest, call: Call) -> pb.ListNotesResponse:
        """List notes."""
        chosen, view = record_filter_of(request.filter, NOTE_SHAPE), view_of(request)
        page = await self._collections.list(
            request.agent_id,
            NOTE,
            page_request_of(request, call),
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME, rated=True),
            consistency=consistency_of(request),
        )
        return pb.ListNotesResponse(
            notes=[viewed(note_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )
