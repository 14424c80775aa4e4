"""The upload port: where a file that comes in parts lies until it has been read."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol


class Upload(Protocol):
    """A file that is being received."""

    @property
    def path(self) -> Path:
        """Where it lies. It is whole once ``finish`` has returned."""
        ...

    async def write(self, data: bytes) -> None:
        """Append a part. Raises StorageFull, StoreUnavailable."""
        ...

    async def finish(self) -> None:
        """Let others read the file. Raises StorageFull, StoreUnavailable."""
        ...


class UploadRepository(Protocol):
    """Receives files. None outlives the work on it, nor the next start of the daemon."""

    async def open(self) -> None:
        """Make the place ready, and remove what an earlier daemon left there. Raises StoreUnavailable, StorageFull."""
        ...

    def receive(self) -> AbstractAsyncContextManager[Upload]:
        """An empty file, which is removed at the end. Raises StorageFull, StoreUnavailable."""
        ...
