"""The messages between the daemon and a process that reads files: MessagePack after its length in four bytes."""

import struct

import msgspec

from memoryd_server.ports.extraction import FileDescription

LENGTH = struct.Struct(">I")

READY = b""
"""The first message of a process, sent once it can read files."""


class ReadingLimits(msgspec.Struct, frozen=True):
    """The maximum resources for one file: sizes in bytes, ``pages``, and seconds of processor time."""

    file_bytes: int
    memory_bytes: int
    text_bytes: int
    unpacked_bytes: int
    pages: int
    cpu_s: float


class Task(msgspec.Struct, frozen=True):
    """A file to read: the one at ``path`` or, if that is empty, the ``data_bytes`` that follow this message."""

    path: str
    data_bytes: int
    file: FileDescription
    limits: ReadingLimits


class Answer(msgspec.Struct, frozen=True):
    """The result of a task: a text, or a ``problem`` (the predicate of "the document …"), or the name of a ``limit``.

    If ``is_last`` is true, the process ends after this message.
    """

    text: str = ""
    title: str = ""
    media_type: str = ""
    charset: str = ""
    problem: str = ""
    limit: str = ""
    is_last: bool = False


def framed(message: bytes) -> bytes:
    """Return a message with its length before it."""
    return LENGTH.pack(len(message)) + message
