"""The documents of an agent."""

import io
from collections.abc import AsyncIterator, Iterable
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Unpack

from memoryd.aio.channel import Channel
from memoryd.aio.runtime import blocking, opened
from memoryd.model.document import Document, DocumentChunk, DocumentSearch, document_from
from memoryd.protocol import document as calls
from memoryd.protocol.document import DocumentOptions, DocumentUpload, Progress, SearchOptions
from memoryd.protocol.method import UPLOAD_DOCUMENT
from memoryd.v1 import document_service_pb2 as pb


class Documents:
    """Source texts for prompts, whole or in chunks that a search finds.

    Every method raises CallFailed when the daemon refuses or cannot be reached. Those that add raise RecordExists when
    the ``document_id`` is taken, RevisionMismatch, LimitExceeded, and DocumentUnreadable when no text can be
    extracted.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def add_text(self, text: str, **options: Unpack[DocumentOptions]) -> Document:
        """Add a text."""
        return await self._channel.run(calls.add_text(self._agent_id, text, options))

    async def add_bytes(
        self, data: bytes, *, progress: Progress | None = None, **options: Unpack[DocumentOptions]
    ) -> Document:
        """Add the bytes of a file. ``progress`` receives the bytes sent and their total."""
        if len(data) > calls.PART_BYTES:
            return await self._upload(io.BytesIO(data), len(data), progress, options)
        document = await self._channel.run(calls.add_data(self._agent_id, data, options))
        if progress is not None:
            progress(len(data), len(data))
        return document

    async def add_file(
        self, path: str | PathLike[str], *, progress: Progress | None = None, **options: Unpack[DocumentOptions]
    ) -> Document:
        """Add a file. Its name is the document's source unless the options name one. Raises OSError."""
        path = Path(path)
        options = calls.named(options, path.name)
        async with opened(path, "rb") as file:
            found = await blocking(path.stat)
            if found.st_size > calls.PART_BYTES:
                return await self._upload(file, found.st_size, progress, options)
            return await self.add_bytes(await blocking(file.read), progress=progress, **options)

    async def add_url(self, url: str, **options: Unpack[DocumentOptions]) -> Document:
        """Add the document that the server fetches from a URL. Raises UrlNotAllowed unless the server may fetch it."""
        return await self._channel.run(calls.add_url(self._agent_id, url, options))

    async def get(self, document_id: str) -> Document:
        """Return a document, without its text. Raises RecordNotFound."""
        return await self._channel.run(calls.get_document(self._agent_id, document_id))

    async def text(self, document_id: str) -> str:
        """Return the text of a document. Raises RecordNotFound."""
        return "".join([chunk.text async for chunk in self.chunks(document_id)])

    def list(self, tags: Iterable[str] = ()) -> AsyncIterator[Document]:
        """Yield the documents that have all of these tags, in the order of their creation, at one revision."""
        return self._channel.pages(calls.list_documents(self._agent_id, tags))

    def chunks(self, document_id: str) -> AsyncIterator[DocumentChunk]:
        """Yield the chunks of a document in the order of the text, at one revision. Raises RecordNotFound."""
        return self._channel.pages(calls.list_chunks(self._agent_id, document_id))

    async def delete(self, document_id: str, *, expected_revision: int | None = None) -> bool:
        """Remove a document, and return whether there was one. Raises RevisionMismatch."""
        return await self._channel.run(calls.delete_document(self._agent_id, document_id, expected_revision))

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> DocumentSearch:
        """Find the chunks that match a query best, by words and meaning."""
        return await self._channel.run(calls.search_documents(self._agent_id, query, options))

    async def _upload(self, file: BinaryIO, size: int, progress: Progress | None, options: DocumentOptions) -> Document:
        upload = DocumentUpload(self._agent_id, options, size, progress)
        seconds = self._channel.settings.timeout + calls.ADDING_S
        answer = await self._channel.upload(UPLOAD_DOCUMENT, _messages(file, upload), seconds)
        return document_from(answer.document)


async def _messages(file: BinaryIO, upload: DocumentUpload) -> AsyncIterator[pb.UploadDocumentRequest]:
    yield upload.first
    while data := await blocking(file.read, calls.PART_BYTES):
        yield upload.part(data)
