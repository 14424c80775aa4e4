"""What the daemon and a process that reads files say to each other: MessagePack behind its length in four bytes."""

import struct

import msgspec

LENGTH = struct.Struct(">I")

READY = b""
"""What a process says first, once it can read files."""


class ReadingLimits(msgspec.Struct, frozen=True):
    """How much a file may cost: sizes in bytes."""

    file_bytes: int
    memory_bytes: int
    text_bytes: int
    unpacked_bytes: int
    pages: int
    cpu_s: float


class Task(msgspec.Struct, frozen=True):
    """A file to read: what lies at ``path``, or, where that is empty, the ``data_bytes`` that follow."""

    path: str
    data_bytes: int
    name: str
    media_type: str
    limits: ReadingLimits


class Answer(msgspec.Struct, frozen=True):
    """What came of it: a text, or a ``problem`` after "the document ", or the name of a ``limit`` of the daemon.

    The process ends after the answer if ``is_last``.
    """

    text: str = ""
    title: str = ""
    media_type: str = ""
    problem: str = ""
    limit: str = ""
    is_last: bool = False


def framed(message: bytes) -> bytes:
    """A message as it is sent."""
    return LENGTH.pack(len(message)) + message
