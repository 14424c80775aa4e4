"""Files received in parts, with a size limit and a digest."""

import contextlib
import hashlib
from collections.abc import AsyncGenerator
from pathlib import Path

from memoryd_server.domain.error import TooLarge
from memoryd_server.ports.upload import Upload, UploadRepository


class ReceivedFile:
    """A file that is being received. It may be read from ``path`` once ``finish`` has returned."""

    def __init__(self, upload: Upload, bytes_max: int) -> None:
        self._upload = upload
        self._bytes_max = bytes_max
        self._digest = hashlib.blake2b(digest_size=32)
        self.size_bytes = 0

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self._upload.path

    @property
    def digest(self) -> bytes:
        """The BLAKE2b digest of the content received so far, 32 bytes."""
        return self._digest.digest()

    async def write(self, data: bytes) -> None:
        """Append a part. Raises TooLarge, StorageFull, StoreUnavailable."""
        self.size_bytes += len(data)
        if self.size_bytes > self._bytes_max:
            raise TooLarge("document_file_bytes", self._bytes_max)
        self._digest.update(data)
        await self._upload.write(data)

    async def finish(self) -> None:
        """Complete the file. Raises StorageFull, StoreUnavailable."""
        await self._upload.finish()


class Uploads:
    """Receives files. Each is deleted when its context ends."""

    def __init__(self, repository: UploadRepository, bytes_max: int) -> None:
        self._repository = repository
        self._bytes_max = bytes_max

    @contextlib.asynccontextmanager
    async def receive(self) -> AsyncGenerator[ReceivedFile, None]:
        """Open an empty file, which is deleted at the end. Raises StorageFull, StoreUnavailable."""
        async with self._repository.receive() as upload:
            yield ReceivedFile(upload, self._bytes_max)
