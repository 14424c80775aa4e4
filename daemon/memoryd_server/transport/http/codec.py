"""Messages as JSON, by their descriptors: https://protobuf.dev/programming-guides/json."""

import re
import zlib
from typing import Any

import msgspec
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from memoryd_server.domain.error import MalformedMessage, TooLarge
from memoryd_server.transport.limit import MESSAGE_DEPTH_MAX, MESSAGE_ELEMENTS_MAX

_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_GZIP_BITS = 16 + zlib.MAX_WBITS
_OPENING = frozenset((b"[", b"{"))


class JsonMessage:
    """The messages of one type as JSON."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._name = descriptor.full_name
        self._new: type[Message] = message_factory.GetMessageClass(descriptor)
        self._has_token = "resume_token" in descriptor.fields_by_name

    def binary(self, text: bytes, resume_token: str | None = None) -> bytes:
        """Return the serialized message that JSON stands for, with this ``resume_token`` instead of its own.

        Its elements are counted before anything is built of them. Raises MalformedMessage with the place, and TooLarge.
        """
        check_elements(text)
        # An empty list would be taken for an empty message.
        if text.strip()[:1] not in (b"{", b""):
            raise MalformedMessage(f"the request is no JSON of {self._name}: it is no object")
        message: Any = self._new()
        try:
            json_format.Parse(text.decode("utf-8"), message, max_recursion_depth=MESSAGE_DEPTH_MAX)
            if resume_token and self._has_token:
                message.resume_token = resume_token
            return bytes(message.SerializeToString())
        except (json_format.Error, ValueError, TypeError, RecursionError) as error:
            raise MalformedMessage(f"the request is no JSON of {self._name}: {error}") from None

    def text(self, message: bytes) -> bytes:
        """Return the JSON of a serialized message."""
        return msgspec.json.encode(json_format.MessageToDict(self._new.FromString(message)))

    def token(self, message: bytes) -> str:
        """Return the token by which a client resumes after a message; empty if it has none."""
        if not self._has_token:
            return ""
        parsed: Any = self._new.FromString(message)
        return str(parsed.resume_token)


def check_elements(text: bytes) -> None:
    """Raise TooLarge for JSON of too many elements, and MalformedMessage for one of too many levels."""
    count, depth = _counted(text)
    if count <= MESSAGE_ELEMENTS_MAX and depth <= MESSAGE_DEPTH_MAX:
        return
    # There may be as many within texts, which took no more than a look so far.
    bare = _TEXT.sub(b"", text)
    count, depth = _counted(bare)
    if count > MESSAGE_ELEMENTS_MAX:
        raise TooLarge("message_elements", MESSAGE_ELEMENTS_MAX)
    if depth > MESSAGE_DEPTH_MAX and _depth(bare) > MESSAGE_DEPTH_MAX:
        raise MalformedMessage(f"the request is more than {MESSAGE_DEPTH_MAX} levels deep")


def _counted(text: bytes) -> tuple[int, int]:
    """Return how many elements a JSON without texts has, and how deep it can be."""
    opened = text.count(b"[") + text.count(b"{")
    return opened + text.count(b","), opened


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket in _OPENING else -1
        deepest = max(deepest, depth)
    return deepest


def inflated(data: bytes, maximum: int) -> bytes:
    """Return what gzip has compressed. Raises TooLarge for more than ``maximum`` bytes, and MalformedMessage."""
    inflater = zlib.decompressobj(_GZIP_BITS)
    try:
        plain = inflater.decompress(data, maximum + 1)
    except zlib.error:
        raise MalformedMessage("the request is not compressed by gzip") from None
    if len(plain) > maximum:
        raise TooLarge("message_bytes", maximum)
    if not inflater.eof:
        raise MalformedMessage("the request is not compressed by gzip")
    return plain


def deflated(data: bytes) -> bytes:
    """Return data as gzip compresses it at its fastest."""
    deflater = zlib.compressobj(1, zlib.DEFLATED, _GZIP_BITS)
    return deflater.compress(data) + deflater.flush()
