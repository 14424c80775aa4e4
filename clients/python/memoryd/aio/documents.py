"""The documents of an agent."""

import io
from collections.abc import AsyncIterator
from os import PathLike
from pathlib import Path
from typing import BinaryIO, Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.aio.runtime import blocking, opened
from memoryd.model.document import Document, DocumentChunk, DocumentSearch, document_from
from memoryd.model.erasure import ErasureReceipt
from memoryd.protocol import document as calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.document import (
    Content,
    DocumentChanges,
    DocumentListOptions,
    DocumentOptions,
    DocumentUpload,
    DocumentWrite,
    Progress,
    SearchOptions,
)
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.method import UPLOAD_DOCUMENT
from memoryd.v1 import document_service_pb2 as pb


@checks_keywords
class Documents:
    """Source texts for prompts, whole or in chunks that a search finds.

    Every method raises CallFailed when the daemon refuses or cannot be reached. ``create`` and ``update`` take the
    content as one of ``text``; ``data``, the bytes of a file; ``file``, the path of a file, whose name is the source
    unless the options name one; and ``url``, from which the server fetches the document. They raise TooLarge,
    QuotaExceeded, DocumentUnreadable when no text can be extracted, UrlNotAllowed and UrlUnreachable when the server
    cannot fetch it, and OSError when the file cannot be read. ``progress`` receives the bytes of a file sent so far,
    and their total.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def create(
        self,
        text: str | None = None,
        *,
        data: bytes | None = None,
        file: str | PathLike[str] | None = None,
        url: str | None = None,
        progress: Progress | None = None,
        **options: Unpack[DocumentOptions],
    ) -> Document:
        """Create a document with one content. Raises RecordExists when the ``document_id`` is taken."""
        calls.check_contents(text, data, file, url, most="exactly one")
        creation = calls.Creation(self._agent_id, options)
        return await self._write(creation, calls.content_of(text, data, url), file, progress)

    async def update(
        self,
        document_id: str,
        *,
        text: str | None = None,
        data: bytes | None = None,
        file: str | PathLike[str] | None = None,
        url: str | None = None,
        progress: Progress | None = None,
        expected_revision: int | None = None,
        **changes: Unpack[DocumentChanges],
    ) -> Document:
        """Change the given fields of a document, its content, or both. Raises RecordNotFound, RevisionMismatch."""
        calls.check_contents(text, data, file, url, most="at most one")
        update = calls.Update(self._agent_id, document_id, changes, expected_revision)
        return await self._write(update, calls.content_of(text, data, url), file, progress)

    async def get(self, document_id: str, **options: Unpack[ReadOptions]) -> Document:
        """Return a document, without its text. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_document(self._agent_id, document_id), options))

    async def text(self, document_id: str, **options: Unpack[ReadOptions]) -> str:
        """Return the text of a document. Raises RecordNotFound."""
        return "".join([chunk.text async for chunk in self.chunks(document_id, **options)])

    async def chunk(self, document_id: str, number: int, **options: Unpack[ReadOptions]) -> DocumentChunk:
        """Return a chunk of a document. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_chunk(self._agent_id, document_id, number), options))

    def chunks(
        self, document_id: str, first_number: int = 1, **options: Unpack[ReadOptions]
    ) -> AsyncIterator[DocumentChunk]:
        """Yield the chunks of a document, from a number on, in the order of the text. Raises RecordNotFound.

        All are at one revision.
        """
        return self._channel.pages(reading(calls.list_chunks(self._agent_id, document_id, first_number), options))

    def list(self, **options: Unpack[DocumentListOptions]) -> AsyncIterator[Document]:
        """Yield the selected documents, all at one revision; by default in the order of their creation."""
        return self._channel.pages(reading(calls.list_documents(self._agent_id, options), options))

    @overload
    async def delete(
        self, document_id: str, *, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def delete(
        self, document_id: str, *, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> bool: ...

    async def delete(
        self, document_id: str, *, expected_revision: int | None = None, erase: bool = False
    ) -> bool | ErasureReceipt:
        """Remove a document, and return whether there was one. Raises RevisionMismatch.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(
            calls.delete_document(self._agent_id, document_id, expected_revision, erase=erase)
        )

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> DocumentSearch:
        """Find the chunks that match a query best, by words and meaning."""
        return await self._channel.run(reading(calls.search_documents(self._agent_id, query, options), options))

    async def _write(
        self, write: DocumentWrite, content: Content, path: str | PathLike[str] | None, progress: Progress | None
    ) -> Document:
        data = content.get("data")
        if path is not None:
            path = Path(path)
            write = write.named(path.name)
            async with opened(path, "rb") as file:
                found = await blocking(path.stat)
                if found.st_size > calls.PART_BYTES:
                    return await self._upload(write, file, found.st_size, progress)
                data = await blocking(file.read)
                content = {"data": data}
        elif data is not None and len(data) > calls.PART_BYTES:
            return await self._upload(write, io.BytesIO(data), len(data), progress)
        document = await self._channel.run(write.call(content))
        if data is not None and progress is not None:
            progress(len(data), len(data))
        return document

    async def _upload(self, write: DocumentWrite, file: BinaryIO, size: int, progress: Progress | None) -> Document:
        upload = DocumentUpload(write, size, progress)
        seconds = self._channel.settings.timeout + calls.READING_S
        answer = await self._channel.upload(UPLOAD_DOCUMENT, _messages(file, upload), seconds)
        return document_from(answer.document)


async def _messages(file: BinaryIO, upload: DocumentUpload) -> AsyncIterator[pb.UploadDocumentRequest]:
    yield upload.first
    while data := await blocking(file.read, calls.PART_BYTES):
        yield upload.part(data)
