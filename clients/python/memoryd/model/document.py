"""Documents, their chunks, and the results of searches in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model.entry import metadata_from
from memoryd.model.moment import datetime_from
from memoryd.v1 import document_pb2
from memoryd.v1 import document_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class Document:
    """A document without its text.

    ``user_id`` is whom it belongs to, empty for none. ``source`` is a file's name or a URL, empty for none.
    ``token_count`` is an estimate. ``update_time`` is when the document was last changed, or else created. ``revision``
    is the agent's revision that last wrote the document. ``charset`` is the encoding that a file of text was read in.
    """

    document_id: str
    agent_id: str
    title: str
    description: str
    user_id: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]
    source: str
    media_type: str
    text_bytes: int
    token_count: int
    chunk_count: int
    create_time: datetime
    update_time: datetime
    revision: int
    charset: str


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A part of a document's text. The texts of all chunks, in their order, are the text of the document.

    ``number`` is its position, from 1. ``heading`` is that of its section, after those above it. ``overlap`` is the end
    of the chunk before it, which is searched and rendered with it. ``token_count`` is an estimate for text and overlap.
    ``page`` and ``last_page`` are the pages on which the text begins and ends, 0 for a document without pages.
    """

    document_id: str
    number: int
    heading: str
    text: str
    overlap: str
    token_count: int
    page: int
    last_page: int


@dataclass(frozen=True, slots=True)
class ScoredDocumentChunk:
    """A chunk that was found, with the title of its document.

    ``score`` is how likely it is that it answers the query, from 0 to 1. ``lexical_score`` and ``semantic_score`` are
    those by words and by vectors, from 0 to 1, before weighting. ``matched_words`` are the words of the query that the
    chunk has. ``agent_id`` is the agent that the document belongs to.
    """

    chunk: DocumentChunk
    title: str
    score: float
    lexical_score: float
    semantic_score: float
    matched_words: tuple[str, ...]
    agent_id: str


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """The chunks that were found, the best first.

    ``match_count`` is the number of chunks that passed the filters and matched at all. ``semantic_used`` is true if
    vectors were compared. ``revision`` is the agent's revision at which the result holds, and ``further_revisions`` has
    those of the further agents.
    """

    chunks: tuple[ScoredDocumentChunk, ...]
    match_count: int
    semantic_used: bool
    revision: int
    further_revisions: Mapping[str, int]


def document_from(message: document_pb2.Document) -> Document:
    """Return the document of a message."""
    return Document(
        document_id=message.document_id,
        agent_id=message.agent_id,
        title=message.title,
        description=message.description,
        user_id=message.user_id,
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        source=message.source,
        media_type=message.media_type,
        text_bytes=message.text_bytes,
        token_count=message.token_count,
        chunk_count=message.chunk_count,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
        charset=message.charset,
    )


def chunk_from(message: document_pb2.DocumentChunk) -> DocumentChunk:
    """Return the chunk of a message."""
    return DocumentChunk(
        document_id=message.document_id,
        number=message.number,
        heading=message.heading,
        text=message.text,
        overlap=message.overlap,
        token_count=message.token_count,
        page=message.page,
        last_page=message.last_page,
    )


def document_search_from(message: pb.SearchDocumentsResponse) -> DocumentSearch:
    """Return the result of a search."""
    return DocumentSearch(
        chunks=tuple(
            ScoredDocumentChunk(
                chunk_from(each.chunk),
                each.title,
                each.score,
                each.lexical_score,
                each.semantic_score,
                tuple(each.matched_words),
                each.agent_id,
            )
            for each in message.chunks
        ),
        match_count=message.match_count,
        semantic_used=message.semantic_used,
        revision=message.revision,
        further_revisions={each.agent_id: each.revision for each in message.further_revisions},
    )
