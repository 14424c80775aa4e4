"""The calls about documents."""

from collections.abc import Callable, Iterable
from typing import Any, TypedDict

from memoryd.model.document import (
    Document,
    DocumentChunk,
    DocumentSearch,
    chunk_from,
    document_from,
    document_search_from,
)
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.v1 import document_service_pb2 as pb

Progress = Callable[[int, int], None]

PART_BYTES = 1024 * 1024
"""A file up to this size is sent in one message, a larger one in parts of this size."""

ADDING_S = 180.0
"""Seconds that the server may take, in addition to the usual timeout, to fetch a document, extract its text, and make
vectors.
"""


class DocumentOptions(TypedDict, total=False):
    """The options of adding a document.

    ``document_id``: its id; by default the server chooses one. ``title``: by default the file's own title, else its
    name, else the first line. ``description``: more about its content. ``tags``: labels. ``source``: a file's name or
    a URL. ``media_type``: by default inferred from the file's beginning and its name. ``expected_revision``: replace
    the document, which must have this revision.
    """

    document_id: str
    title: str
    description: str
    tags: Iterable[str]
    source: str
    media_type: str
    expected_revision: int | None


class SearchOptions(TypedDict, total=False):
    """The options of a search in documents.

    ``limit``: maximum number of chunks; 10 by default. ``document_ids``: only chunks of these documents. ``tags``: only
    chunks of documents that have all of these tags. ``min_score``: minimum score, from 0 to 1.
    """

    limit: int
    document_ids: Iterable[str]
    tags: Iterable[str]
    min_score: float


def add_text(agent_id: str, text: str, options: DocumentOptions) -> Call[Document]:
    """Add a text."""
    return _add(pb.AddDocumentRequest(agent_id=agent_id, text=text), options)


def add_data(agent_id: str, data: bytes, options: DocumentOptions) -> Call[Document]:
    """Add the bytes of a small file."""
    return _add(pb.AddDocumentRequest(agent_id=agent_id, data=data), options)


def add_url(agent_id: str, url: str, options: DocumentOptions) -> Call[Document]:
    """Add the document at a URL, which the server fetches."""
    return _add(pb.AddDocumentRequest(agent_id=agent_id, url=url), options)


def get_document(agent_id: str, document_id: str) -> Call[Document]:
    """Read a document."""
    request = pb.GetDocumentRequest(agent_id=agent_id, document_id=document_id)
    return call(method.GET_DOCUMENT, request, lambda answer: document_from(answer.document))


def list_documents(agent_id: str, tags: Iterable[str]) -> Call[Page[Document]]:
    """List documents, page by page."""
    request = pb.ListDocumentsRequest(agent_id=agent_id, tags=strings_of("tags", tags), page_size=LIST_PAGE_SIZE)
    return page_call(method.LIST_DOCUMENTS, request, lambda answer: list(map(document_from, answer.documents)))


def list_chunks(agent_id: str, document_id: str) -> Call[Page[DocumentChunk]]:
    """List the chunks of a document, page by page."""
    request = pb.ListChunksRequest(agent_id=agent_id, document_id=document_id, page_size=LIST_PAGE_SIZE)
    return page_call(method.LIST_CHUNKS, request, lambda answer: list(map(chunk_from, answer.chunks)))


def delete_document(agent_id: str, document_id: str, expected_revision: int | None) -> Call[bool]:
    """Remove a document."""
    request = pb.DeleteDocumentRequest(
        agent_id=agent_id,
        document_id=document_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.DELETE_DOCUMENT, request, lambda answer: answer.deleted)


def search_documents(agent_id: str, query: str, options: SearchOptions) -> Call[DocumentSearch]:
    """Find the chunks that match a query best."""
    request = pb.SearchDocumentsRequest(
        agent_id=agent_id,
        query=query,
        limit=options.get("limit", 0),
        document_ids=strings_of("document_ids", options.get("document_ids", ())),
        tags=strings_of("tags", options.get("tags", ())),
        min_score=options.get("min_score", 0.0),
    )
    return call(method.SEARCH_DOCUMENTS, request, document_search_from)


class DocumentUpload:
    """The messages of an upload of ``bytes_total`` bytes. ``progress`` receives the bytes sent and their total."""

    def __init__(self, agent_id: str, options: DocumentOptions, bytes_total: int, progress: Progress | None) -> None:
        header = pb.UploadHeader(agent_id=agent_id, request_id=new_request_id())
        _write_options(header, options)
        self.first = pb.UploadDocumentRequest(header=header)
        self._bytes_total = bytes_total
        self._bytes_done = 0
        self._progress = progress

    def part(self, data: bytes) -> pb.UploadDocumentRequest:
        """Return the message that carries the next piece of the file."""
        self._bytes_done += len(data)
        if self._progress is not None:
            self._progress(self._bytes_done, self._bytes_total)
        return pb.UploadDocumentRequest(chunk=data)


def named(options: DocumentOptions, name: str) -> DocumentOptions:
    """Return the options with the file's name as ``source``, unless they have one."""
    return options if "source" in options else {**options, "source": name}


def _add(request: pb.AddDocumentRequest, options: DocumentOptions) -> Call[Document]:
    request.request_id = new_request_id()
    _write_options(request, options)
    return call(method.ADD_DOCUMENT, request, lambda answer: document_from(answer.document), patience=ADDING_S)


def _write_options(message: Any, options: DocumentOptions) -> None:
    document: pb.DocumentDraft = message.document
    document.document_id = options.get("document_id", "")
    document.title = options.get("title", "")
    document.description = options.get("description", "")
    document.tags.extend(strings_of("tags", options.get("tags", ())))
    document.source = options.get("source", "")
    document.media_type = options.get("media_type", "")
    precondition = precondition_of(expected_revision=options.get("expected_revision"))
    if precondition is not None:
        message.precondition.CopyFrom(precondition)
