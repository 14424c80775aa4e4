"""The calls about documents."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Protocol, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.document import (
    Document,
    DocumentChunk,
    DocumentSearch,
    chunk_from,
    document_from,
    document_search_from,
)
from memoryd.model.entry import write_metadata
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.memory import Embedding, embedding_message
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.erasure import erasing, removed
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.protocol.record_filter import FilterOptions, filter_of, select
from memoryd.v1 import document_pb2
from memoryd.v1 import document_service_pb2 as pb

Progress = Callable[[int, int], None]

PART_BYTES = 1024 * 1024
"""A file up to this size is sent in one message, a larger one in parts of this size."""

READING_S = 180.0
"""Seconds that the server may take, in addition to the usual timeout, to fetch a document, extract its text, and make
vectors.
"""


class DocumentChanges(TypedDict, total=False):
    """The fields of a document to change, apart from its content.

    ``title``, ``description``. ``user_id``: whom it belongs to. ``tags``: labels. ``metadata``: JSON values of the
    writer; integers beyond 2**53 lose their last digits. ``source``: a file's name or a URL. ``media_type``: that of a
    new content, by default inferred from its beginning and its source's name. ``charset``: the encoding of a new file
    of text, such as "windows-1252", by default inferred.
    """

    title: str
    description: str
    user_id: str
    tags: Iterable[str]
    metadata: Mapping[str, Any]
    source: str
    media_type: str
    charset: str


class DocumentOptions(DocumentChanges, total=False):
    """The options of a new document: its ``document_id``, by default chosen by the server, and DocumentChanges.

    By default, its ``title`` is the file's own title, else its name, else the first line.
    """

    document_id: str


class DocumentSelection(FilterOptions, total=False):
    """The selection of documents: see FilterOptions."""


class DocumentListOptions(DocumentSelection, total=False):
    """The documents of a listing as in DocumentSelection, and how they are returned.

    ``order``: by default that of creation. ``view``: by default all fields.
    """

    order: ListOrder | str
    view: RecordView | str


class SearchOptions(DocumentSelection, total=False):
    """The options of a search in documents, and the documents to search as in DocumentSelection.

    ``limit``: maximum number of chunks; 10 by default. ``document_ids``: only chunks of these documents.
    ``min_score``: minimum score, from 0 to 1; see Memories.recall. ``embedding``: the query's vector, as an Embedding
    or as any numbers; by default the server's embedder makes one. ``further_agents``: at most 16 other agents whose
    documents are searched, too.
    """

    limit: int
    document_ids: Collection[str] | None
    min_score: float | None
    embedding: Embedding | Iterable[float] | None
    further_agents: Iterable[str]


class Content(TypedDict, total=False):
    """The content of a document: one of its three fields, or none for a document whose content stays."""

    text: str
    data: bytes
    url: str


class DocumentWrite(Protocol):
    """A document to create or to change."""

    def named(self, name: str) -> "DocumentWrite":
        """Return the same write with a file's name as ``source``, unless it has one."""
        ...

    def call(self, content: Content) -> Call[Document]:
        """Return the call with a content."""
        ...

    def header(self) -> pb.UploadDocumentHeader:
        """Return the header of an upload of the content."""
        ...


class Creation:
    """A document to create."""

    def __init__(self, agent_id: str, options: DocumentOptions) -> None:
        self._agent_id = agent_id
        self._options = options

    def named(self, name: str) -> "Creation":
        """Return the same creation with a file's name as ``source``, unless it has one."""
        return self if "source" in self._options else Creation(self._agent_id, {**self._options, "source": name})

    def call(self, content: Content) -> Call[Document]:
        """Return the call with a content."""
        request = pb.CreateDocumentRequest(
            agent_id=self._agent_id, draft=self._draft(), request_id=new_request_id(), **content
        )
        return call(method.CREATE_DOCUMENT, request, lambda answer: document_from(answer.document), patience=READING_S)

    def header(self) -> pb.UploadDocumentHeader:
        """Return the header of an upload of the content."""
        return pb.UploadDocumentHeader(agent_id=self._agent_id, create=self._draft(), request_id=new_request_id())

    def _draft(self) -> document_pb2.DocumentDraft:
        return _draft_of(self._options, self._options.get("document_id", ""))


class Update:
    """A document to change."""

    def __init__(
        self, agent_id: str, document_id: str, changes: DocumentChanges, expected_revision: int | None
    ) -> None:
        self._agent_id = agent_id
        self._document_id = document_id
        self._changes = changes
        self._expected_revision = expected_revision

    def named(self, name: str) -> "Update":
        """Return the same update with a file's name as ``source``, unless it has one."""
        if "source" in self._changes:
            return self
        return Update(self._agent_id, self._document_id, {**self._changes, "source": name}, self._expected_revision)

    def call(self, content: Content) -> Call[Document]:
        """Return the call with a content. Raises ValueError if nothing is to be changed."""
        if not (content or self._changes):
            raise ValueError("the update has no changes: name at least one field, or a content")
        request = pb.UpdateDocumentRequest(
            agent_id=self._agent_id,
            document_id=self._document_id,
            draft=_draft_of(self._changes),
            update_mask=FieldMask(paths=list(self._changes)),
            precondition=precondition_of(expected_revision=self._expected_revision),
            request_id=new_request_id(),
            **content,
        )
        return call(method.UPDATE_DOCUMENT, request, lambda answer: document_from(answer.document), patience=READING_S)

    def header(self) -> pb.UploadDocumentHeader:
        """Return the header of an upload of the content."""
        return pb.UploadDocumentHeader(
            agent_id=self._agent_id,
            update=pb.DocumentUpdate(
                document_id=self._document_id,
                draft=_draft_of(self._changes),
                update_mask=FieldMask(paths=list(self._changes)),
            ),
            precondition=precondition_of(expected_revision=self._expected_revision),
            request_id=new_request_id(),
        )


def get_document(agent_id: str, document_id: str) -> Call[Document]:
    """Read a document."""
    request = pb.GetDocumentRequest(agent_id=agent_id, document_id=document_id)
    return call(method.GET_DOCUMENT, request, lambda answer: document_from(answer.document))


def list_documents(agent_id: str, options: DocumentListOptions) -> Call[Page[Document]]:
    """List documents, page by page."""
    request = pb.ListDocumentsRequest(
        agent_id=agent_id,
        filter=filter_of(options),
        order=LIST_ORDER.number(options.get("order", ListOrder.UNSPECIFIED)),
        view=RECORD_VIEW.number(options.get("view", RecordView.UNSPECIFIED)),
        page_size=LIST_PAGE_SIZE,
    )
    return page_call(method.LIST_DOCUMENTS, request, lambda answer: list(map(document_from, answer.documents)))


def get_chunk(agent_id: str, document_id: str, number: int) -> Call[DocumentChunk]:
    """Read a chunk of a document."""
    request = pb.GetDocumentChunkRequest(agent_id=agent_id, document_id=document_id, number=number)
    return call(method.GET_DOCUMENT_CHUNK, request, lambda answer: chunk_from(answer.chunk))


def list_chunks(agent_id: str, document_id: str, first_number: int = 1) -> Call[Page[DocumentChunk]]:
    """List the chunks of a document from a number on, page by page."""
    request = pb.ListDocumentChunksRequest(
        agent_id=agent_id, document_id=document_id, first_number=first_number, page_size=LIST_PAGE_SIZE
    )
    return page_call(method.LIST_DOCUMENT_CHUNKS, request, lambda answer: list(map(chunk_from, answer.chunks)))


def delete_document(
    agent_id: str, document_id: str, expected_revision: int | None, *, erase: bool = False
) -> Call[bool | ErasureReceipt]:
    """Remove a document."""
    request = pb.DeleteDocumentRequest(
        erase=erase,
        agent_id=agent_id,
        document_id=document_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.DELETE_DOCUMENT,
        request,
        removed(lambda answer: answer.deleted, erase=erase),
        patience=erasing(erase=erase),
    )


def search_documents(agent_id: str, query: str, options: SearchOptions) -> Call[DocumentSearch]:
    """Find the chunks that match a query best."""
    chosen = filter_of(options)
    select(chosen, ids=options.get("document_ids"))
    request = pb.SearchDocumentsRequest(
        agent_id=agent_id,
        query=query,
        limit=options.get("limit", 0),
        filter=chosen,
        min_score=options.get("min_score"),
        embedding=embedding_message(options.get("embedding")),
        further_agent_ids=strings_of("further_agents", options.get("further_agents", ())),
    )
    return call(method.SEARCH_DOCUMENTS, request, document_search_from)


class DocumentUpload:
    """The messages of an upload of ``bytes_total`` bytes. ``progress`` receives the bytes sent and their total."""

    def __init__(self, write: DocumentWrite, bytes_total: int, progress: Progress | None) -> None:
        self.first: pb.UploadDocumentRequest = pb.UploadDocumentRequest(header=write.header())
        self._bytes_total = bytes_total
        self._bytes_done = 0
        self._progress = progress

    def part(self, data: bytes) -> pb.UploadDocumentRequest:
        """Return the message that carries the next piece of the file."""
        self._bytes_done += len(data)
        if self._progress is not None:
            self._progress(self._bytes_done, self._bytes_total)
        return pb.UploadDocumentRequest(data=data)


def content_of(text: str | None, data: bytes | None, url: str | None) -> Content:
    """Return the content that is given."""
    if text is not None:
        return {"text": text}
    if data is not None:
        return {"data": data}
    return {} if url is None else {"url": url}


def check_contents(*contents: object, most: str) -> None:
    """Raise ValueError unless exactly one content is given, or if ``most`` is "at most one", none."""
    given = sum(each is not None for each in contents)
    if given > 1 or (not given and most == "exactly one"):
        raise ValueError(f"give {most} of text, data, file and url")


def _draft_of(fields: DocumentChanges, document_id: str = "") -> document_pb2.DocumentDraft:
    draft = document_pb2.DocumentDraft(
        document_id=document_id,
        title=fields.get("title", ""),
        description=fields.get("description", ""),
        user_id=fields.get("user_id", ""),
        tags=strings_of("tags", fields.get("tags", ())),
        source=fields.get("source", ""),
        media_type=fields.get("media_type", ""),
        charset=fields.get("charset", ""),
    )
    write_metadata(draft.metadata, fields.get("metadata", {}))
    return draft
