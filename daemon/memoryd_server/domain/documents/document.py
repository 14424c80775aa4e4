"""Documents, which are rendered as a whole, and the chunks in which they are stored and searched."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.agent.part import Counts, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, one_of

PLAIN_TEXT = "text/plain"
PDF = "application/pdf"
TEXT_TYPES = frozenset({PLAIN_TEXT, "text/markdown"})
"""Media types of a text that is given as a string."""
MEDIA_TYPES = TEXT_TYPES | {
    "text/html",
    PDF,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


class DocumentDraft(msgspec.Struct, frozen=True):
    """A document as its writer gives it. An empty ``title``, ``media_type`` or ``charset`` is derived from its content.

    ``metadata_json`` is a JSON object, empty for none.
    """

    document_id: str
    title: str = ""
    description: str = ""
    user_id: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    source: str = ""
    media_type: str = ""
    charset: str = ""

    def with_source(self, source: str) -> "DocumentDraft":
        """Return the draft with another source."""
        return msgspec.structs.replace(self, source=source)


class ChunkDraft(msgspec.Struct, frozen=True, gc=False):
    """A chunk before its document is stored.

    ``overlap`` is the end of the preceding chunk, which is searched and rendered with it. ``vector`` is the embedding
    of the searched text, as in ``Embedding``; it is empty, and ``identity`` is None, if there is none. ``page`` and
    ``last_page`` are those on which the text begins and ends, from 1; 0 if the document has no pages.
    """

    heading: str
    text: str
    overlap: str
    token_count: int
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    page: int = 0
    last_page: int = 0

    @property
    def found_by(self) -> str:
        """The text by which the chunk is searched: its heading, the overlap and its text."""
        return _found_by(self.heading, self.overlap, self.text)


class DocumentContent(msgspec.Struct, frozen=True):
    """The text of a document, cut into chunks. ``text_bytes`` and ``token_count`` are those of the whole text.

    ``charset`` is the encoding that its file was read in; empty if it was none of text.
    """

    media_type: str
    text_bytes: int
    token_count: int
    chunks: tuple[ChunkDraft, ...]
    charset: str = ""


class DocumentCondition(KindCondition, frozen=True):
    """Conditions on documents; see ``DocumentCondition`` of the contract."""

    media_types: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("media_type", self.media_types)
        yield from one_of("source", self.sources)


DOCUMENT_SHAPE = RecordShape(
    "document",
    attrgetter("document_id"),
    condition=DocumentCondition,
    content=frozenset({"tags", "metadata_json", "source"}),
)
"""The fields of documents that a filter asks for."""


class Document(Collected, frozen=True, array_like=True, gc=False, tag="document"):
    """A document without its text. Times are nanoseconds since the Unix epoch; fields are stored in this order.

    ``user_id`` is empty for none. ``metadata_json`` is a JSON object, empty for none. ``source`` is a file name or a
    URL, empty for none. ``token_count`` is estimated. ``charset`` is that of ``DocumentContent``.
    """

    shape: ClassVar[RecordShape | None] = DOCUMENT_SHAPE
    kept_when_erased: ClassVar = ("document_id", "media_type", "charset")

    document_id: str
    title: str
    description: str
    user_id: str
    tags: tuple[str, ...]
    metadata_json: str
    source: str
    media_type: str
    text_bytes: int
    token_count: int
    chunk_count: int
    create_time: int
    update_time: int
    revision: int
    size_bytes: int
    charset: str = ""

    @property
    def group(self) -> str:
        """The empty string: documents are not grouped, each is found by its id alone."""
        return ""

    @property
    def key(self) -> str:
        """The document's id."""
        return self.document_id

    def without_content(self) -> "Document":
        """Return the document without its texts, for events to clients that may not read content."""
        return msgspec.structs.replace(self, title="", description="", tags=(), metadata_json="", source="")


class DocumentChunk(Collected, frozen=True, array_like=True, gc=False, tag="document_chunk"):
    """A part of a document's text. The texts of all chunks in the order of their numbers are the document's text.

    Fields are stored in this order. ``number`` is from 1. The other fields are those of ``ChunkDraft``.
    """

    kept_when_erased: ClassVar = ("document_id",)

    document_id: str
    number: int
    heading: str
    text: str
    overlap: str
    token_count: int
    identity: EmbeddingIdentity | None
    vector: bytes
    create_time: int
    revision: int
    size_bytes: int
    page: int = 0
    last_page: int = 0

    @property
    def group(self) -> str:
        """The document's id."""
        return self.document_id

    @property
    def key(self) -> str:
        """The chunk's number as text of fixed width, so that keys sort in the order of the text."""
        return chunk_key(self.number)

    @property
    def update_time(self) -> int:
        """The time of creation, since a chunk never changes: a new content of a document replaces its chunks."""
        return self.create_time

    @property
    def rendered(self) -> str:
        """The text that is rendered into a prompt: the overlap and the chunk's text."""
        return _rendered(self.overlap, self.text)

    @property
    def found_by(self) -> str:
        """The text by which the chunk is searched: its heading, the overlap and its text."""
        return _found_by(self.heading, self.overlap, self.text)

    def without_content(self) -> "DocumentChunk":
        """Return the chunk without its texts, for events to clients that may not read content."""
        return msgspec.structs.replace(self, heading="", text="", overlap="")


def chunk_key(number: int) -> str:
    """Return the key of the chunk with this number."""
    return f"{number:012}"


def chunks_of_document(
    document_id: str, drafts: Iterable[ChunkDraft], time: int, revision: int
) -> tuple[DocumentChunk, ...]:
    """Return the chunks of a document. The drafts are in the order of the text."""
    return tuple(
        DocumentChunk(
            document_id,
            number,
            draft.heading,
            draft.text,
            draft.overlap,
            draft.token_count,
            draft.identity,
            draft.vector,
            time,
            revision,
            size_bytes(f"{draft.heading}{draft.text}{draft.overlap}") + len(draft.vector),
            draft.page,
            draft.last_page,
        )
        for number, draft in enumerate(drafts, 1)
    )


def _rendered(overlap: str, text: str) -> str:
    return f"{overlap} {text}" if overlap else text


def _found_by(heading: str, overlap: str, text: str) -> str:
    rendered = _rendered(overlap, text)
    return f"{heading}\n{rendered}" if heading else rendered


_INDEXED_CHUNK_BYTES = 4_608
"""Memory that the search index takes for each chunk."""


class _DocumentEditor(CollectionEditor[Document]):
    def owned_count(self, record: Document) -> int:
        """Return the number of the chunks and the document."""
        return 1 + record.chunk_count

    def forget_owned(self, record: Document) -> Counts:
        """Remove the chunks of the document."""
        self._transition.open(DOCUMENT_CHUNK).drop_group(record.document_id)
        return {RecordKind.DOCUMENT_CHUNK: record.chunk_count}


class _DocumentPart(CollectionPart[Document]):
    def edit(self, value: Collection[Document], transition: Transition) -> CollectionEditor[Document]:
        """Return an editor of the collection within a transition."""
        return _DocumentEditor(self, value, transition)

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless every document has all of its chunks, and every chunk its document."""
        super().check(agent_id, records)
        documents: Sequence[Document] = records[self.name]
        numbers: dict[str, set[int]] = {document.document_id: set() for document in documents}
        for chunk in records[DOCUMENT_CHUNK.name]:
            if chunk.document_id not in numbers:
                raise DataDamaged(f"agent {agent_id!r} has chunks of a missing document")
            numbers[chunk.document_id].add(chunk.number)
        if any(numbers[each.document_id] != set(range(1, each.chunk_count + 1)) for each in documents):
            raise DataDamaged(f"agent {agent_id!r} has a document that lacks chunks")


DOCUMENT_CHUNK = CollectionPart(
    "document_chunk",
    DocumentChunk,
    RecordKind.DOCUMENT_CHUNK,
    cleared_with=RecordKind.DOCUMENT,
    grouped_by="document_id",
    indexed_bytes=_INDEXED_CHUNK_BYTES,
)
DOCUMENT = _DocumentPart(
    "document",
    Document,
    RecordKind.DOCUMENT,
    EventType.DOCUMENT_CREATED,
    EventType.DOCUMENT_UPDATED,
    EventType.DOCUMENT_DELETED,
)
