"""Responses of HTTP's that never change while the daemon runs, for web browsers and tools."""

import hashlib

import msgspec


class Page(msgspec.Struct, frozen=True):
    """A response of HTTP's to GET and HEAD of a path."""

    path: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes


def tag_of(body: bytes) -> tuple[str, str]:
    """Return the header by which a client finds that it has a body already: its ETag."""
    return "etag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'
