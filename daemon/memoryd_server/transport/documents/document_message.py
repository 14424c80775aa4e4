"""Documents and their chunks, between the domain and the contract."""

from collections.abc import Iterable

from memoryd.v1 import document_pb2
from memoryd.v1 import document_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.documents.document import MEDIA_TYPES, TEXT_TYPES, Document, DocumentChunk, DocumentDraft
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.documents.documents import FoundChunk, SearchRequest
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp


def document_message(agent_id: str, document: Document) -> document_pb2.Document:
    """Encode a document, for responses and events."""
    return document_pb2.Document(
        document_id=document.document_id,
        agent_id=agent_id,
        title=document.title,
        description=document.description,
        tags=document.tags,
        source=document.source,
        media_type=document.media_type,
        text_bytes=document.text_bytes,
        token_count=document.token_count,
        chunk_count=document.chunk_count,
        create_time=timestamp(document.create_time),
        update_time=timestamp(document.update_time),
        revision=document.revision,
    )


def chunk_message(chunk: DocumentChunk) -> document_pb2.DocumentChunk:
    """Encode a chunk."""
    return document_pb2.DocumentChunk(
        document_id=chunk.document_id,
        number=chunk.number,
        heading=chunk.heading,
        text=chunk.text,
        overlap=chunk.overlap,
        token_count=chunk.token_count,
    )


def scored_chunk_message(found: FoundChunk) -> pb.ScoredChunk:
    """Encode a chunk that was found, with its score."""
    return pb.ScoredChunk(
        chunk=chunk_message(found.chunk),
        title=found.document.title,
        score=found.match.score,
        matched_words=found.match.matched_words,
    )


def draft_of(message: pb.DocumentDraft, new_id: str, *, is_text: bool = False) -> DocumentDraft:
    """Decode a document to add, without its content: a text if ``is_text``, else a file. Raises InvalidField."""
    media_types = TEXT_TYPES if is_text else MEDIA_TYPES
    if message.media_type and message.media_type not in media_types:
        raise InvalidField("document.media_type", f"must be one of {', '.join(sorted(media_types))}")
    return DocumentDraft(
        record_id_of("document.document_id", message.document_id) if message.document_id else new_id,
        validation.optional_text("document.title", message.title, limit.TITLE_BYTES_MAX).strip(),
        _description_of(message.description),
        tuple(sorted(validation.tags("document.tags", message.tags))),
        validation.optional_text("document.source", message.source, limit.SOURCE_BYTES_MAX),
        message.media_type,
    )


def search_request_of(message: pb.SearchDocumentsRequest) -> SearchRequest:
    """Decode a search request. Raises InvalidField."""
    validation.within("query", validation.size_bytes(message.query), 1, limit.QUERY_BYTES_MAX, " bytes")
    count_max = validation.within("limit", message.limit, 0, 2**31 - 1) or limit.MATCHES_DEFAULT
    validation.within("document_ids", len(message.document_ids), 0, limit.DOCUMENTS_FILTERED_MAX)
    return SearchRequest(
        message.query,
        min(count_max, limit.MATCHES_MAX),
        frozenset(record_id_of("document_ids", each) for each in message.document_ids),
        tags_of(message.tags),
        validation.importance("min_score", message.min_score),
    )


def tags_of(tags: Iterable[str]) -> frozenset[str]:
    """Return the tags that a document must have, if they are valid. Raises InvalidField."""
    return frozenset(validation.tags("tags", tags))


def _description_of(description: str) -> str:
    size = validation.size_bytes(description)
    if size > limit.DESCRIPTION_BYTES_MAX:
        raise InvalidField("document.description", f"must be at most {limit.DESCRIPTION_BYTES_MAX} bytes")
    return description
