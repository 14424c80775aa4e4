"""Opaque tokens: where a watch or a listing goes on. Each has a checksum, and is bound to what it belongs to."""

import base64
import binascii
import hashlib
import struct

import msgspec

from memoryd_server.domain.error import ForeignResumeToken, InvalidPageToken, InvalidResumeToken

_CHECKSUM_BYTES = 6
_RESUME = struct.Struct(">cQQL")
_PAGE = struct.Struct(">c8sQQ")


class ResumePoint(msgspec.Struct, frozen=True):
    """How far a watch has told: all rows before ``position``, and the first ``offset`` events of that row."""

    position: int
    offset: int


class PagePoint(msgspec.Struct, frozen=True):
    """Where a listing goes on. What both numbers mean is the listing's own."""

    first: int
    second: int


def digest(*parts: str) -> bytes:
    """Eight bytes that tell these texts from others."""
    hashed = hashlib.blake2b(digest_size=8)
    for part in parts:
        data = part.encode()
        hashed.update(len(data).to_bytes(4, "big"))
        hashed.update(data)
    return hashed.digest()


def encode_resume(store_id: str, point: ResumePoint) -> str:
    """The token of a watch on a store."""
    return _seal(_RESUME.pack(b"r", int.from_bytes(digest(store_id), "big"), point.position, point.offset))


def decode_resume(store_id: str, token: str) -> ResumePoint:
    """Where a watch goes on. Raises InvalidResumeToken, ForeignResumeToken."""
    body = _open(token)
    if body is None or len(body) != _RESUME.size or body[:1] != b"r":
        raise InvalidResumeToken
    _, owner, position, offset = _RESUME.unpack(body)
    if owner != int.from_bytes(digest(store_id), "big"):
        raise ForeignResumeToken
    return ResumePoint(position, offset)


def encode_page(listing: bytes, point: PagePoint) -> str:
    """The token of a listing; ``listing`` is the digest of what is listed."""
    return _seal(_PAGE.pack(b"p", listing, point.first, point.second))


def decode_page(listing: bytes, token: str) -> PagePoint:
    """Where a listing goes on. Raises InvalidPageToken."""
    body = _open(token)
    if body is None or len(body) != _PAGE.size or body[:1] != b"p":
        raise InvalidPageToken
    _, owner, first, second = _PAGE.unpack(body)
    if owner != listing:
        raise InvalidPageToken
    return PagePoint(first, second)


def encode_text_page(listing: bytes, after: str) -> str:
    """The token of a listing that goes on after a name."""
    return _seal(b"t" + listing + after.encode())


def decode_text_page(listing: bytes, token: str) -> str:
    """The name after which a listing goes on. Raises InvalidPageToken."""
    body = _open(token)
    if body is None or body[:9] != b"t" + listing:
        raise InvalidPageToken
    return body[9:].decode()


def _seal(body: bytes) -> str:
    return base64.urlsafe_b64encode(body + _checksum(body)).decode().rstrip("=")


def _open(token: str) -> bytes | None:
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    return body if checksum == _checksum(body) else None


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM_BYTES, key=b"memoryd").digest()
