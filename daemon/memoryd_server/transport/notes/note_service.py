"""NoteService: decode the request, call the engine, encode the response."""

from memoryd.v1 import note_service_pb2 as pb
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.notes.note import NOTE, Note
from memoryd_server.domain.notes.note_change import DeleteNote, UpdateNote
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.transport.call import Call
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.notes.note_message import creation_of, note_message, storage_key_of, text_of


class NoteService:
    """Serves notes."""

    def __init__(self, collections: Collections, limits: Limits) -> None:
        self._collections = collections
        self._limits = limits

    async def create_note(self, request: pb.CreateNoteRequest, call: Call) -> pb.CreateNoteResponse:
        """Create a note."""
        creating = creation_of(request, new_id(), self._limits)
        done = await self._collections.change(request.agent_id, creating, call.origin, request_key_of(request, call))
        note = note_message(request.agent_id, done.record)
        return pb.CreateNoteResponse(note=note, revision=done.revision)

    async def get_note(self, request: pb.GetNoteRequest, call: Call) -> pb.GetNoteResponse:
        """Return one note."""
        note_id = record_id_of("note_id", request.note_id)
        note, revision = await self._collections.get(request.agent_id, NOTE, "", note_id, max_staleness_of(request))
        return pb.GetNoteResponse(note=note_message(request.agent_id, note), revision=revision)

    async def update_note(self, request: pb.UpdateNoteRequest, call: Call) -> pb.UpdateNoteResponse:
        """Update a note."""
        text = text_of(request.note, request.update_mask, self._limits)
        updating = UpdateNote(record_id_of("note_id", request.note_id), text, precondition_of(request))
        done = await self._collections.change(request.agent_id, updating, call.origin, request_key_of(request, call))
        note = note_message(request.agent_id, done.record)
        return pb.UpdateNoteResponse(note=note, updated=done.changed, revision=done.revision)

    async def delete_note(self, request: pb.DeleteNoteRequest, call: Call) -> pb.DeleteNoteResponse:
        """Delete a note."""
        deleting = DeleteNote(record_id_of("note_id", request.note_id), precondition_of(request))
        done = await self._collections.change(request.agent_id, deleting, call.origin, request_key_of(request, call))
        return pb.DeleteNoteResponse(deleted=done.count > 0, revision=done.revision)

    async def list_notes(self, request: pb.ListNotesRequest, call: Call) -> pb.ListNotesResponse:
        """List notes in the order of their creation."""
        storage_key = storage_key_of("storage_key", request.storage_key) if request.HasField("storage_key") else None

        def keeps(note: Note) -> bool:
            return storage_key in (None, note.storage_key)

        page = await self._collections.list(
            request.agent_id,
            NOTE,
            page_request_of(request, call),
            keeps=keeps,
            max_staleness_ns=max_staleness_of(request),
        )
        return pb.ListNotesResponse(
            notes=[note_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )
