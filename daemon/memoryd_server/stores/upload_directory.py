"""Files that are received into a directory, and removed once they have been processed."""

import contextlib
import logging
from collections.abc import AsyncGenerator
from pathlib import Path

from memoryd_server.ports.upload import Upload
from memoryd_server.stores.file_error import storage_errors
from memoryd_server.stores.snapshot_incoming import IncomingFile, remove_leftovers
from memoryd_server.stores.snapshot_thread import run_in_thread

log = logging.getLogger("memoryd.documents")


class UploadDirectory:
    """The upload repository of a directory; see the port for its methods.

    ``open`` removes the remains of interrupted uploads only if ``is_only_user``: files that other processes are
    receiving look the same.
    """

    def __init__(self, directory: Path, *, is_only_user: bool = True) -> None:
        self._directory = directory
        self._is_only_user = is_only_user

    async def open(self) -> None:
        """Create the directory if it is missing, for its owner only, and remove leftovers if that is safe."""
        with _failures():
            await run_in_thread(self._open)

    @contextlib.asynccontextmanager
    async def receive(self) -> AsyncGenerator[Upload, None]:
        """Return a context manager of an empty file, which is removed on exit."""
        file = IncomingFile(self._directory)
        try:
            with _failures():
                await run_in_thread(file.open)
            yield _Received(file)
        finally:
            await run_in_thread(file.discard)

    def _open(self) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._is_only_user:
            remove_leftovers(self._directory)


class _Received:
    """Implements ``Upload``."""

    def __init__(self, file: IncomingFile) -> None:
        self._file = file

    @property
    def path(self) -> Path:
        return self._file.path

    async def write(self, data: bytes) -> None:
        with _failures():
            await run_in_thread(self._file.write, data)

    async def finish(self) -> None:
        with _failures():
            await run_in_thread(self._file.finish)


def _failures() -> contextlib.AbstractContextManager[None]:
    return storage_errors(log, "upload directory")
