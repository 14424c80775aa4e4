"""DocumentService: decode the request, call the engine, encode the response."""

from collections.abc import AsyncIterator, Awaitable

import msgspec

from memoryd.v1 import document_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.documents.document import (
    DOCUMENT,
    DOCUMENT_CHUNK,
    DOCUMENT_SHAPE,
    Document,
    DocumentDraft,
    chunk_key,
)
from memoryd_server.domain.documents.document_change import DeleteDocument, UpdateDocument
from memoryd_server.domain.error import InvalidField, RecordNotFound
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections, log_change
from memoryd_server.engine.documents.documents import Addition, Amendment, Content, Documents, Url
from memoryd_server.engine.documents.uploads import ReceivedFile
from memoryd_server.transport.call import Call
from memoryd_server.transport.change import Change, Preparation, change, write_in_turn
from memoryd_server.transport.documents.document_message import (
    amendment_of,
    chunk_message,
    document_message,
    draft_of,
    scored_chunk_message,
    search_request_of,
)
from memoryd_server.transport.fields.further_agents import agent_revisions, further_agents_of
from memoryd_server.transport.fields.place import below
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import consistency_of, page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed


class DocumentService:
    """Serves documents."""

    def __init__(self, documents: Documents, collections: Collections, limits: limit.Limits) -> None:
        self._documents = documents
        self._collections = collections
        self._limits = limits

    @change
    def create_document(self, request: pb.CreateDocumentRequest) -> Change[RecordPut[Document]]:
        """Create a document."""
        content = _content_of(request)
        if content is None:
            raise InvalidField("content", "must have a text, data or a url")
        draft = draft_of(request.draft, new_id(), is_text=isinstance(content, str))

        def encode(done: RecordPut[Document]) -> pb.CreateDocumentResponse:
            document = document_message(request.agent_id, done.record)
            return pb.CreateDocumentResponse(document=document, revision=done.revision)

        create = Preparation(lambda is_alone: self._documents.create_command(draft, content), is_long=True)
        return Change(create, encode, self._documents.note_change)

    @change
    def update_document(self, request: pb.UpdateDocumentRequest) -> Change[RecordPut[Document]]:
        """Change a document."""
        content = _content_of(request)
        amendment = msgspec.structs.replace(
            amendment_of(request, content=request.WhichOneof("content")), precondition=precondition_of(request)
        )

        def update(is_alone: bool) -> Awaitable[UpdateDocument]:
            return self._documents.update_command(request.agent_id, amendment, content, must_exist=is_alone)

        def encode(done: RecordPut[Document]) -> pb.UpdateDocumentResponse:
            document = document_message(request.agent_id, done.record)
            return pb.UpdateDocumentResponse(document=document, changed=done.changed, revision=done.revision)

        return Change(Preparation(update, is_long=True), encode, self._documents.note_change)

    async def upload_document(
        self, requests: AsyncIterator[pb.UploadDocumentRequest], call: Call
    ) -> pb.UploadDocumentResponse:
        """Create or change a document whose file arrives in parts.

        The caller's right and the agent's tier are checked before any part is received.
        """
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise InvalidField("header", "must come first")
        header = first.header
        with below("header"):
            agent_id = validation.agent_id(header.agent_id)
            call.require_agent(agent_id)
            target = _target_of(header)
            early = write_of(header, call)
        await self._documents.require(agent_id, early)
        async with self._documents.uploads.receive() as file:
            await _receive(requests, file)
            write = await write_in_turn(header, call, file.digest)
            if isinstance(target, Amendment):
                amendment = msgspec.structs.replace(target, write=write)
                done = await self._documents.update(agent_id, amendment, file.path)
            else:
                done = await self._documents.create(agent_id, Addition(target, write), file.path)
        document = document_message(agent_id, done.record)
        return pb.UploadDocumentResponse(document=document, changed=done.changed, revision=done.revision)

    async def get_document(self, request: pb.GetDocumentRequest, call: Call) -> pb.GetDocumentResponse:
        """Return one document."""
        document_id = record_id_of("document_id", request.document_id)
        staleness = consistency_of(request)
        document, revision = await self._collections.get(request.agent_id, DOCUMENT, "", document_id, staleness)
        return pb.GetDocumentResponse(document=document_message(request.agent_id, document), revision=revision)

    async def list_documents(self, request: pb.ListDocumentsRequest, call: Call) -> pb.ListDocumentsResponse:
        """List documents."""
        chosen, view = record_filter_of(request.filter, DOCUMENT_SHAPE), view_of(request)
        page = await self._collections.list(
            request.agent_id,
            DOCUMENT,
            page_request_of(request, call),
            chosen=chosen,
            order=order_of(request, ListOrder.CREATE_TIME),
            consistency=consistency_of(request),
        )
        return pb.ListDocumentsResponse(
            documents=[viewed(document_message(request.agent_id, each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def get_document_chunk(self, request: pb.GetDocumentChunkRequest, call: Call) -> pb.GetDocumentChunkResponse:
        """Return one chunk of a document."""
        agent_id, number = request.agent_id, request.number
        document_id, consistency = record_id_of("document_id", request.document_id), consistency_of(request)
        validation.within("number", number, 1, limit.CHUNK_NUMBER_MAX)
        chunk, revision = await self._collections.find(
            agent_id, DOCUMENT_CHUNK, document_id, chunk_key(number), consistency
        )
        if chunk is None:
            await self._collections.get(agent_id, DOCUMENT, "", document_id, consistency)
            raise RecordNotFound(agent_id, DOCUMENT_CHUNK.name, str(number), **DOCUMENT_CHUNK.place(document_id))
        return pb.GetDocumentChunkResponse(chunk=chunk_message(chunk), revision=revision)

    async def list_document_chunks(
        self, request: pb.ListDocumentChunksRequest, call: Call
    ) -> pb.ListDocumentChunksResponse:
        """List the chunks of a document."""
        document_id, view = record_id_of("document_id", request.document_id), view_of(request)
        staleness, page_request = consistency_of(request), page_request_of(request, call)
        first_number = validation.within("first_number", request.first_number, 0, limit.CHUNK_NUMBER_MAX)
        order = order_of(request, ListOrder.ID)
        if not page_request.token:
            # Only for the first page: the others are of its revision, at which the document existed.
            await self._collections.get(request.agent_id, DOCUMENT, "", document_id, staleness)
        page = await self._collections.list(
            request.agent_id,
            DOCUMENT_CHUNK,
            page_request,
            group=document_id,
            keeps=lambda chunk: chunk.number >= first_number,
            order=order,
            consistency=staleness,
        )
        return pb.ListDocumentChunksResponse(
            chunks=[viewed(chunk_message(each), view) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    @change
    def delete_document(self, request: pb.DeleteDocumentRequest) -> Change[RecordRemoved]:
        """Delete a document with its chunks."""
        deleting = DeleteDocument(record_id_of("document_id", request.document_id), precondition_of(request))

        def encode(done: RecordRemoved) -> pb.DeleteDocumentResponse:
            return pb.DeleteDocumentResponse(deleted=done.count > 0, revision=done.revision)

        return Change(deleting, encode, log_change, erases=request.erase)

    async def search_documents(self, request: pb.SearchDocumentsRequest, call: Call) -> pb.SearchDocumentsResponse:
        """Return the chunks that match best."""
        asked, further = search_request_of(request), further_agents_of(request, call)
        searched = await self._documents.search(request.agent_id, asked, consistency_of(request), further)
        return pb.SearchDocumentsResponse(
            chunks=[scored_chunk_message(each) for each in searched.found],
            match_count=searched.total,
            semantic_used=searched.uses_meaning,
            further_revisions=agent_revisions(zip(further, searched.further_revisions, strict=True)),
            revision=searched.revision,
        )


def _content_of(request: pb.CreateDocumentRequest | pb.UpdateDocumentRequest) -> Content | None:
    content = request.WhichOneof("content")
    if content == "text":
        if not request.text.strip():
            raise InvalidField("text", "must not be blank")
        return request.text
    if content == "data":
        if not request.data:
            raise InvalidField("data", "must not be empty")
        return request.data
    if content == "url":
        return Url(validation.text("url", request.url, limit.SOURCE_BYTES_MAX))
    return None


def _target_of(header: pb.UploadDocumentHeader) -> DocumentDraft | Amendment:
    """Return the document that an upload creates, or the change that it makes. Raises InvalidField."""
    target, precondition = header.WhichOneof("target"), precondition_of(header)
    if target == "update":
        amendment = amendment_of(header.update, field="update.", content="data")
        return msgspec.structs.replace(amendment, precondition=precondition)
    if target is None:
        raise InvalidField("target", "must have a document to create or to update")
    if precondition is not None:
        raise InvalidField("precondition", "must not be given to create a document")
    return draft_of(header.create, new_id(), field="create")


async def _receive(requests: AsyncIterator[pb.UploadDocumentRequest], file: ReceivedFile) -> None:
    async for request in requests:
        if request.WhichOneof("part") != "data":
            raise InvalidField("data", "must be the part of every message after the header")
        validation.within("data", len(request.data), 0, limit.STREAM_PIECE_BYTES_MAX, " bytes")
        await file.write(request.data)
    if not file.size_bytes:
        raise InvalidField("data", "must have bytes in at least one message")
    await file.finish()
