"""The extraction port: it converts files to text."""

from pathlib import Path
from typing import Protocol

import msgspec


class ExtractedText(msgspec.Struct, frozen=True):
    """The text of a file.

    ``text`` has the file's headings as Markdown ("## Install"), and a form feed between pages. ``title`` is the title
    that the file states; empty if none. ``media_type`` is the type that the file was read as, and ``charset`` the
    encoding of a file of text; empty for one of another type.
    """

    text: str
    title: str
    media_type: str
    charset: str = ""


class FileDescription(msgspec.Struct, frozen=True):
    """The description of a file. Empty fields are inferred from its bytes.

    ``name`` is the file's name as its owner gave it, ``charset`` the encoding that it is in, and ``charset_hint`` the
    one that its sender states, who may be wrong.
    """

    name: str = ""
    media_type: str = ""
    charset: str = ""
    charset_hint: str = ""


UNKNOWN_FILE = FileDescription()


class Extractor(Protocol):
    """Converts files to text, within limits of size, pages, time and memory."""

    async def extract(self, data: bytes | Path, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
        """Return the text of a file, which is given by its bytes or by its path on the daemon's machine.

        Its type is inferred from its first bytes and the suffix of its name unless it is given. Raises
        DocumentUnreadable, TooLarge.
        """
        ...

    async def close(self) -> None:
        """Stop all processes that extract."""
        ...
