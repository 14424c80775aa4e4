"""Opaque tokens: positions from which a watch or a listing continues.

Each has a checksum, and is bound to its store (a watch) or to its request (a listing).
"""

import base64
import binascii
import hashlib
import struct
from typing import Annotated

import msgspec

from memoryd_server.domain.error import ForeignResumeToken, InvalidPageToken, InvalidResumeToken
from memoryd_server.engine.limit import TOKEN_NUMBER_MAX

_CHECKSUM_BYTES = 6
_PAGE = struct.Struct(">c8sQQ")
_Number = Annotated[int, msgspec.Meta(ge=0, le=TOKEN_NUMBER_MAX)]


class ShardPoint(msgspec.Struct, frozen=True, array_like=True):
    """A position in a shard's journal: after all rows before ``position``, and the first ``offset`` events of that row.

    ``check`` is ``check_of`` the nonce of the row before ``position``; 0 if that nonce was not at hand. It detects a
    store that went back in time and then wrote other rows at the same positions.
    """

    shard: _Number
    position: _Number
    offset: _Number = 0
    check: _Number = 0


class ResumePoint(msgspec.Struct, frozen=True, array_like=True):
    """The position of a watch or of a listing of events, in each shard that it covers."""

    shards: tuple[ShardPoint, ...]


class PagePoint(msgspec.Struct, frozen=True):
    """The position of a listing. Each kind of listing defines the meaning of the two numbers."""

    first: int
    second: int


def check_of(nonce: int) -> int:
    """Return the part of a nonce that a token contains: enough to detect a different row, in few bytes."""
    return nonce & 0xFFFF_FFFF


def digest(*parts: str) -> bytes:
    """Return a digest of these texts, 8 bytes. The lengths are included: ("ab", "c") and ("a", "bc") differ."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode()
        hashed.update(len(data).to_bytes(4, "big"))
        hashed.update(data)
    return hashed.digest()


_point_encoder = msgspec.msgpack.Encoder()
_point_decoder = msgspec.msgpack.Decoder(ResumePoint)


def encode_resume(store_id: str, point: ResumePoint) -> str:
    """Return the resume token of a watch of a store."""
    return _seal(b"r" + digest(store_id) + _point_encoder.encode(point))


def decode_resume(store_id: str, token: str) -> ResumePoint:
    """Return the position in a resume token. Raises InvalidResumeToken, and ForeignResumeToken for another store's."""
    body = _open(token)
    if body is None or body[:1] != b"r":
        raise InvalidResumeToken
    if body[1:9] != digest(store_id):
        raise ForeignResumeToken
    return _point_of(body[9:], InvalidResumeToken)


def encode_event_page(listing: bytes, point: ResumePoint) -> str:
    """Return the page token of a listing of events."""
    return _seal(b"e" + listing + _point_encoder.encode(point))


def decode_event_page(listing: bytes, token: str) -> ResumePoint:
    """Return the position in a page token of a listing of events. Raises InvalidPageToken."""
    body = _open(token)
    if body is None or body[:9] != b"e" + listing:
        raise InvalidPageToken
    return _point_of(body[9:], InvalidPageToken)


def _point_of(data: bytes, invalid: type[InvalidPageToken | InvalidResumeToken]) -> ResumePoint:
    try:
        return _point_decoder.decode(data)
    except msgspec.DecodeError:
        raise invalid from None


def encode_page(listing: bytes, point: PagePoint) -> str:
    """Return the page token of a listing. ``listing`` is the digest of its request."""
    return _seal(_PAGE.pack(b"p", listing, point.first, point.second))


def decode_page(listing: bytes, token: str) -> PagePoint:
    """Return the position in a page token. Raises InvalidPageToken."""
    body = _open(token)
    if body is None or len(body) != _PAGE.size or body[:1] != b"p":
        raise InvalidPageToken
    _, owner, first, second = _PAGE.unpack(body)
    if owner != listing or max(first, second) > TOKEN_NUMBER_MAX:
        raise InvalidPageToken
    return PagePoint(first, second)


def encode_text_page(listing: bytes, after: str) -> str:
    """Return the page token of a listing that continues after a name."""
    return _seal(b"t" + listing + after.encode())


def decode_text_page(listing: bytes, token: str) -> str:
    """Return the name after which a listing continues. Raises InvalidPageToken."""
    body = _open(token)
    if body is None or body[:9] != b"t" + listing:
        raise InvalidPageToken
    try:
        return body[9:].decode()
    except UnicodeDecodeError:
        raise InvalidPageToken from None


def _seal(body: bytes) -> str:
    return _text_of(body + _checksum(body))


def _open(token: str) -> bytes | None:
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    # The last character of base64 has unused bits, which decoding ignores. Encode again and compare: a token with
    # other bits there was not issued by a daemon.
    return body if checksum == _checksum(body) and _text_of(data) == token else None


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM_BYTES, key=b"memoryd").digest()
