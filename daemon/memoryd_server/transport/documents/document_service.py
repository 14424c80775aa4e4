"""DocumentService: decode the request, call the engine, encode the response."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from memoryd.v1 import document_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK, Document
from memoryd_server.domain.documents.document_change import DeleteDocument
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.documents.documents import Addition, Content, Documents, Url
from memoryd_server.engine.documents.uploads import ReceivedFile
from memoryd_server.transport.call import Call
from memoryd_server.transport.documents.document_message import (
    chunk_message,
    document_message,
    draft_of,
    scored_chunk_message,
    search_request_of,
    tags_of,
)
from memoryd_server.transport.entries.entry_message import precondition_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.request_fields import max_staleness_of, page_request_of, request_key_of
from memoryd_server.transport.limit import HASHED_IN_LOOP_BYTES_MAX


class DocumentService:
    """Serves documents."""

    def __init__(self, documents: Documents, collections: Collections, limits: limit.Limits) -> None:
        self._documents = documents
        self._collections = collections
        self._limits = limits

    async def add_document(self, request: pb.AddDocumentRequest, call: Call) -> pb.AddDocumentResponse:
        """Add a document."""
        draft = draft_of(request.document, new_id(), is_text=request.WhichOneof("content") == "text")
        content = _content_of(request)
        if isinstance(content, Url) and not draft.source:
            draft = draft.with_source(content.url)
        precondition = precondition_of(request, allow_must_not_exist=True)
        addition = Addition(draft, precondition, call.origin, await _request_key_of(request, call))
        done = await self._documents.add(request.agent_id, addition, content)
        document = document_message(request.agent_id, done.record)
        return pb.AddDocumentResponse(document=document, revision=done.revision)

    async def upload_document(
        self, requests: AsyncIterator[pb.UploadDocumentRequest], call: Call
    ) -> pb.UploadDocumentResponse:
        """Add a document whose file arrives in parts. The caller's right is checked before any part is received."""
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise InvalidField("header", "must come first")
        header = first.header
        agent_id = validation.agent_id(header.agent_id)
        call.require_agent(agent_id)
        draft, origin = draft_of(header.document, new_id()), call.origin
        precondition = precondition_of(header, allow_must_not_exist=True)
        request_key_of(header, call)
        async with self._documents.uploads.receive() as file:
            await _receive(requests, file)
            key = await _request_key_of(header, call, file.digest)
            addition = Addition(draft, precondition, origin, key)
            done = await self._documents.add(agent_id, addition, file.path)
        document = document_message(agent_id, done.record)
        return pb.UploadDocumentResponse(document=document, revision=done.revision)

    async def get_document(self, request: pb.GetDocumentRequest, call: Call) -> pb.GetDocumentResponse:
        """Return one document."""
        document_id = record_id_of("document_id", request.document_id)
        staleness = max_staleness_of(request)
        document, revision = await self._collections.get(request.agent_id, DOCUMENT, "", document_id, staleness)
        return pb.GetDocumentResponse(document=document_message(request.agent_id, document), revision=revision)

    async def list_documents(self, request: pb.ListDocumentsRequest, call: Call) -> pb.ListDocumentsResponse:
        """List documents in the order in which they were added."""
        tags = tags_of(request.tags)

        def keeps(document: Document) -> bool:
            return tags.issubset(document.tags)

        page = await self._collections.list(
            request.agent_id,
            DOCUMENT,
            page_request_of(request, call),
            keeps=keeps,
            max_staleness_ns=max_staleness_of(request),
        )
        return pb.ListDocumentsResponse(
            documents=[document_message(request.agent_id, each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def list_chunks(self, request: pb.ListChunksRequest, call: Call) -> pb.ListChunksResponse:
        """List the chunks of a document."""
        document_id = record_id_of("document_id", request.document_id)
        staleness, page_request = max_staleness_of(request), page_request_of(request, call)
        if not page_request.token:
            # Only for the first page: the others are of its revision, at which the document existed.
            await self._collections.get(request.agent_id, DOCUMENT, "", document_id, staleness)
        page = await self._collections.list(
            request.agent_id, DOCUMENT_CHUNK, page_request, group=document_id, max_staleness_ns=staleness
        )
        return pb.ListChunksResponse(
            chunks=[chunk_message(each) for each in page.items],
            next_page_token=page.next_page_token,
            total_count=page.total_count,
            revision=page.revision,
        )

    async def delete_document(self, request: pb.DeleteDocumentRequest, call: Call) -> pb.DeleteDocumentResponse:
        """Delete a document with its chunks."""
        deleting = DeleteDocument(record_id_of("document_id", request.document_id), precondition_of(request))
        done = await self._collections.change(request.agent_id, deleting, call.origin, request_key_of(request, call))
        return pb.DeleteDocumentResponse(deleted=done.count > 0, revision=done.revision)

    async def search_documents(self, request: pb.SearchDocumentsRequest, call: Call) -> pb.SearchDocumentsResponse:
        """Return the chunks that match best."""
        asked = search_request_of(request)
        searched = await self._documents.search(request.agent_id, asked, max_staleness_of(request))
        return pb.SearchDocumentsResponse(
            chunks=[scored_chunk_message(each) for each in searched.found],
            total_matches=searched.total,
            meaning_used=searched.uses_meaning,
            revision=searched.revision,
        )


def _content_of(request: pb.AddDocumentRequest) -> Content:
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
    raise InvalidField("content", "must have a text, data or a url")


async def _receive(requests: AsyncIterator[pb.UploadDocumentRequest], file: ReceivedFile) -> None:
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidField("chunk", "must be the part of every message after the header")
        validation.within("chunk", len(request.chunk), 0, limit.STREAM_PIECE_BYTES_MAX, " bytes")
        await file.write(request.chunk)
    if not file.size_bytes:
        raise InvalidField("chunk", "must have bytes in at least one message")
    await file.finish()


async def _request_key_of(request: Any, call: Call, rest: bytes = b"") -> RequestKey | None:
    """Return ``request_key_of``, computed on a thread if the body is large. ``rest`` is the digest of a file."""
    if request.ByteSize() <= HASHED_IN_LOOP_BYTES_MAX:
        return request_key_of(request, call, rest)
    return await asyncio.to_thread(request_key_of, request, call, rest)
