"""JSON objects of any size, stored as one or several entries, since the size of an entry is limited."""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from memoryd.model.entry import Entry
from memoryd.model.value import Json

# A piece is stored as a JSON string: if each of its characters is escaped, it is twice as long, and still below 1 MiB.
PIECE_BYTES = 500_000

Typed = list[str]
"""A serialized value: the name of its format, and the bytes in base64."""


def typed(serde: SerializerProtocol, value: Any) -> Typed:
    """Return the value as the serializer encodes it."""
    name, content = serde.dumps_typed(value)
    return [name, base64.b64encode(content).decode()]


def untyped(serde: SerializerProtocol, written: Typed) -> Any:
    """Return the decoded value."""
    name, content = written
    return serde.loads_typed((name, base64.b64decode(content)))


def values_of(key: str, document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values that store a document: one, or a head and its pieces."""
    # ASCII only: a character is one byte, so that the text can be split anywhere.
    text = json.dumps(document, separators=(",", ":"))
    if len(text) <= PIECE_BYTES:
        yield key, Json(text)
        return
    pieces = [text[start : start + PIECE_BYTES] for start in range(0, len(text), PIECE_BYTES)]
    yield key, {"pieces": len(pieces)}
    yield from zip(piece_keys(key, len(pieces)), pieces, strict=True)


def piece_keys(key: str, count: int) -> list[str]:
    """Return the keys of a document's pieces."""
    return [f"{key}/{number}" for number in range(1, count + 1)]


def missing_pieces(key: str, entries: Mapping[str, Entry]) -> list[str]:
    """Return the keys of a document's pieces that are not among the entries. Without its head there are none."""
    head = entries.get(key)
    return [] if head is None else [each for each in piece_keys(key, _count(head.value)) if each not in entries]


def document_in(key: str, entries: Mapping[str, Entry]) -> dict[str, Any] | None:
    """Return the document, or None if one of its entries is missing."""
    head = entries.get(key)
    if head is None or missing_pieces(key, entries):
        return None
    document: dict[str, Any] = head.value
    if pieces := piece_keys(key, _count(document)):
        document = json.loads("".join(entries[each].value for each in pieces))
    return document


def _count(document: Mapping[str, Any]) -> int:
    return int(document.get("pieces", 0))
