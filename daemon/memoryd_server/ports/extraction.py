"""The extraction port: it converts files to text."""

from pathlib import Path
from typing import Protocol

import msgspec


class ExtractedText(msgspec.Struct, frozen=True):
    """The text of a file.

    ``text`` has the file's headings as Markdown ("## Install"), and a form feed between pages. ``title`` is the title
    that the file states; empty if none. ``media_type`` is the type that the file was read as.
    """

    text: str
    title: str
    media_type: str


class Extractor(Protocol):
    """Converts files to text, within limits of size, pages, time and memory."""

    async def extract(self, data: bytes | Path, name: str = "", media_type: str = "") -> ExtractedText:
        """Return the text of a file, which is given by its bytes or by its path on the daemon's machine.

        ``name`` is the file's name as its owner gave it. If ``media_type`` is empty, the type is inferred from the
        file's first bytes and the suffix of its name. Raises DocumentUnreadable, TooLarge.
        """
        ...

    async def close(self) -> None:
        """Stop all processes that extract."""
        ...
