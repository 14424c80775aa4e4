"""The upload port: it stores a file that arrives in parts until it has been read."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol


class Upload(Protocol):
    """A file that is being received."""

    @property
    def path(self) -> Path:
        """The file's path. The file is complete once ``finish`` has returned."""
        ...

    async def write(self, data: bytes) -> None:
        """Append a part. Raises StorageFull, StoreUnavailable."""
        ...

    async def finish(self) -> None:
        """Complete the file, so that it can be read. Raises StorageFull, StoreUnavailable."""
        ...


class UploadRepository(Protocol):
    """Receives files. Each is removed once it has been processed, or when the daemon starts next."""

    async def open(self) -> None:
        """Make the directory ready, and remove an earlier daemon's files. Raises StoreUnavailable, StorageFull."""
        ...

    def receive(self) -> AbstractAsyncContextManager[Upload]:
        """Return a context manager of an empty file, which is removed on exit. Raises StorageFull, StoreUnavailable."""
        ...
