"""Documents and their chunks, between the domain and the contract."""

from collections.abc import Callable
from typing import Any

from google.protobuf import field_mask_pb2

from memoryd.v1 import document_pb2
from memoryd.v1 import document_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.documents.charset import codec_of
from memoryd_server.domain.documents.document import (
    DOCUMENT_SHAPE,
    MEDIA_TYPES,
    TEXT_TYPES,
    Document,
    DocumentChunk,
    DocumentDraft,
)
from memoryd_server.domain.documents.document_change import DocumentPatch
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.documents.documents import Amendment, FoundChunk, SearchRequest
from memoryd_server.transport.fields.json_value import metadata_json_of, write_json
from memoryd_server.transport.fields.min_score import min_score_of
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.update_mask import paths_of
from memoryd_server.transport.fields.user_id import user_id_of
from memoryd_server.transport.memories.memory_message import vector_of


def document_message(agent_id: str, document: Document) -> document_pb2.Document:
    """Encode a document, for responses and events."""
    message = document_pb2.Document(
        document_id=document.document_id,
        agent_id=agent_id,
        revision=document.revision,
        create_time=timestamp(document.create_time),
        update_time=timestamp(document.update_time),
        user_id=document.user_id,
        tags=document.tags,
        title=document.title,
        description=document.description,
        source=document.source,
        media_type=document.media_type,
        text_bytes=document.text_bytes,
        token_count=document.token_count,
        chunk_count=document.chunk_count,
        charset=document.charset,
    )
    if document.metadata_json:
        write_json(document.metadata_json, message.metadata)
    return message


def chunk_message(chunk: DocumentChunk) -> document_pb2.DocumentChunk:
    """Encode a chunk."""
    return document_pb2.DocumentChunk(
        document_id=chunk.document_id,
        number=chunk.number,
        heading=chunk.heading,
        text=chunk.text,
        overlap=chunk.overlap,
        token_count=chunk.token_count,
        page=chunk.page,
        last_page=chunk.last_page,
    )


def scored_chunk_message(found: FoundChunk) -> pb.ScoredDocumentChunk:
    """Encode a chunk that was found, with its score."""
    return pb.ScoredDocumentChunk(
        chunk=chunk_message(found.chunk),
        title=found.document.title,
        score=found.match.score,
        lexical_score=found.match.words,
        semantic_score=found.match.meaning,
        matched_words=found.match.matched_words,
        agent_id=found.agent_id,
    )


def draft_of(
    message: document_pb2.DocumentDraft, new_id: str, *, field: str = "draft", is_text: bool = False
) -> DocumentDraft:
    """Decode a document to create, without its content: a text if ``is_text``, else a file. Raises InvalidField.

    ``field`` is the path of the draft in its request.
    """
    document_id = message.document_id
    return DocumentDraft(
        record_id_of(f"{field}.document_id", document_id) if document_id else new_id,
        media_type=_media_type_of(message, f"{field}.media_type", is_text=is_text),
        charset=_charset_of(message, f"{field}.charset", is_text=is_text),
        **{name: decode(message, f"{field}.{path}") for path, (name, decode) in _FIELDS.items()},
    )


def amendment_of(
    message: pb.UpdateDocumentRequest | pb.DocumentUpdate, *, field: str = "", content: str | None = None
) -> Amendment:
    """Decode a change of a document, without its content, whose kind is ``content``. Raises InvalidField.

    ``field`` is the path of the message in its request, with a dot at its end. ``content`` is None if the content
    stays; "text" for a text, another one for a file.
    """
    document_id = record_id_of(f"{field}document_id", message.document_id)
    patched, of_content = dict[str, Any](), dict[str, str]()
    for path in _paths_of(message.update_mask, f"{field}update_mask", may_be_empty=content is not None):
        place = f"{field}draft.{path}"
        if path in _FIELDS:
            name, decode = _FIELDS[path]
            patched[name] = decode(message.draft, place)
        elif content is None:
            raise InvalidField(f"{field}update_mask", f"must not have {path!r} without a content")
        else:
            of_content[path] = _OF_CONTENT[path](message.draft, place, is_text=content == "text")
    if content is None and patched.get("title") == "":
        raise InvalidField(f"{field}draft.title", "must not be blank without a content")
    media_type, charset = of_content.get("media_type", ""), of_content.get("charset", "")
    return Amendment(document_id, DocumentPatch(**patched), media_type, charset)


def search_request_of(message: pb.SearchDocumentsRequest) -> SearchRequest:
    """Decode a search request. Raises InvalidField."""
    validation.within("query", validation.size_bytes(message.query), 0, limit.QUERY_BYTES_MAX, " bytes")
    vector = vector_of(message.embedding, "embedding") if message.HasField("embedding") else None
    if vector is None and not message.query.strip():
        raise InvalidField("query", "must not be blank without an embedding")
    count_max = validation.within("limit", message.limit, 0, 2**31 - 1) or limit.MATCHES_DEFAULT
    return SearchRequest(
        message.query,
        min(count_max, limit.MATCHES_MAX),
        record_filter_of(message.filter, DOCUMENT_SHAPE),
        min_score_of(message),
        vector,
    )


def _paths_of(mask: field_mask_pb2.FieldMask, field: str, *, may_be_empty: bool) -> list[str]:
    if not mask.paths and not may_be_empty:
        raise InvalidField(field, "must not be empty without a content")
    return paths_of(mask, (*_FIELDS, *_OF_CONTENT), field) if mask.paths else []


def _media_type_of(message: document_pb2.DocumentDraft, field: str, *, is_text: bool) -> str:
    media_types = TEXT_TYPES if is_text else MEDIA_TYPES
    if message.media_type and message.media_type not in media_types:
        raise InvalidField(field, f"must be one of {', '.join(sorted(media_types))}")
    return message.media_type


def _charset_of(message: document_pb2.DocumentDraft, field: str, *, is_text: bool) -> str:
    charset = message.charset
    if charset and is_text:
        raise InvalidField(field, "must be empty for a text, which is in no encoding")
    if charset and not codec_of(charset):
        raise InvalidField(field, "must be the name of a character encoding, such as utf-8 or windows-1252")
    return charset


_OF_CONTENT = {"media_type": _media_type_of, "charset": _charset_of}
"""The fields of a draft that describe its content, each with its decoder."""


def _description_of(message: document_pb2.DocumentDraft, field: str) -> str:
    size = validation.size_bytes(message.description)
    if size > limit.DESCRIPTION_BYTES_MAX:
        raise InvalidField(field, f"must be at most {limit.DESCRIPTION_BYTES_MAX} bytes")
    return message.description


_FIELDS: dict[str, tuple[str, Callable[[document_pb2.DocumentDraft, str], Any]]] = {
    "user_id": ("user_id", lambda message, field: user_id_of(field, message.user_id)),
    "tags": ("tags", lambda message, field: tuple(sorted(validation.tags(field, message.tags)))),
    "metadata": ("metadata_json", lambda message, field: metadata_json_of(message.metadata, field)),
    "title": (
        "title",
        lambda message, field: validation.optional_text(field, message.title, limit.TITLE_BYTES_MAX).strip(),
    ),
    "description": ("description", _description_of),
    "source": (
        "source",
        lambda message, field: validation.optional_text(field, message.source, limit.SOURCE_BYTES_MAX),
    ),
}
"""The fields of a draft that an update may change, each with its name in the domain and its decoder."""
