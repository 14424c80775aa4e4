"""The extraction port: what makes text of files."""

from pathlib import Path
from typing import Protocol

import msgspec


class ExtractedText(msgspec.Struct, frozen=True):
    """What was read from a file.

    ``text`` has headings as Markdown has them ("## Install") where the file marks any, and a form feed between pages.
    ``title`` is the file's own; empty for none. ``media_type`` is what it was read as.
    """

    text: str
    title: str
    media_type: str


class Extractor(Protocol):
    """Makes text of files, within limits of size, pages, time and memory."""

    async def extract(self, data: bytes | Path, name: str = "", media_type: str = "") -> ExtractedText:
        """The text of a file, which is given as its bytes or lies at a path of the daemon's own.

        ``name`` is what its owner calls it. An empty ``media_type`` lets its beginning and the ending of the name
        tell. Raises DocumentUnreadable, LimitExceeded.
        """
        ...

    async def close(self) -> None:
        """End what extracts."""
        ...
