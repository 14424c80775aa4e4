"""Minimal sources of documents: uploads in a dictionary, an extractor of UTF-8, and a fetcher from a dictionary."""

import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

from memoryd_server.domain.error import DocumentUnreadable, UrlNotAllowed
from memoryd_server.ports.extraction import UNKNOWN_FILE, ExtractedText, FileDescription
from memoryd_server.ports.fetching import Fetched, Sink
from memoryd_server.ports.upload import Upload


class ListedUploads:
    """Uploads that are kept in ``files`` while their block runs. ``received`` counts them."""

    def __init__(self) -> None:
        self.files: dict[Path, bytes] = {}
        self.received = 0

    async def open(self) -> None:
        """Do nothing: a dictionary is always open."""

    @contextlib.asynccontextmanager
    async def receive(self) -> AsyncGenerator[Upload, None]:
        self.received += 1
        upload = _Listed(Path(f"upload-{self.received}"), self.files)
        self.files[upload.path] = b""
        try:
            yield upload
        finally:
            del self.files[upload.path]


class _Listed:
    def __init__(self, path: Path, files: dict[Path, bytes]) -> None:
        self.path = path
        self._files = files

    async def write(self, data: bytes) -> None:
        self._files[self.path] += data

    async def finish(self) -> None:
        """Do nothing: the data is already in the dictionary."""


class PlainExtractor:
    """An extractor that decodes files as UTF-8. ``asked`` has the given names and types; all have ``title``."""

    def __init__(self, uploads: ListedUploads) -> None:
        self._uploads = uploads
        self.title = ""
        self.asked: list[tuple[str, str]] = []
        self.is_closed = False

    async def extract(self, data: bytes | Path, file: FileDescription = UNKNOWN_FILE) -> ExtractedText:
        name, media_type = file.name, file.media_type
        self.asked.append((name, media_type))
        content = self._uploads.files[data] if isinstance(data, Path) else data
        try:
            return ExtractedText(content.decode(), self.title, media_type or "text/plain")
        except UnicodeDecodeError:
            raise DocumentUnreadable("is not text") from None

    async def close(self) -> None:
        self.is_closed = True


class PlainFetcher:
    """A fetcher of ``pages``, which are contents by URL, in chunks of a few bytes."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.is_closed = False

    async def fetch(self, url: str, sink: Sink) -> Fetched:
        if url not in self.pages:
            raise UrlNotAllowed("is not of a host that may be asked")
        page = self.pages[url]
        for start in range(0, len(page), 4):
            await sink(page[start : start + 4])
        return Fetched(url.rpartition("/")[2], "text/html")

    async def close(self) -> None:
        self.is_closed = True
