"""The file that notes a restore at the start of the daemon while it is under way."""

import os
from pathlib import Path

from typing_extensions import override

from memoryd_server.engine.images.initial_restore import RestoreMark
from memoryd_server.ops.error import OperatorError

BACKUP = "backup"
"""The content of the file, instead of an id, while `memoryd backup restore` fills the store."""


def refuse_interrupted(directory: Path) -> None:
    """Raise OperatorError if a restore of a backup into a directory was interrupted: a part would be served."""
    if RestoreMarkFile(directory / "restoring").read() == BACKUP:
        raise OperatorError(f"{directory}: the restore of a backup did not end: run memoryd backup restore again")


class RestoreMarkFile(RestoreMark):
    """A file with the id of the snapshot. Its methods raise OperatorError if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @override
    def read(self) -> str:
        try:
            return self._path.read_text("ascii", "replace").strip()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise self._failure(error) from error

    @override
    def write(self, snapshot_id: str) -> None:
        """Write the file and its directory to the disk: the restore must not outlive its mark."""
        new = self._path.with_name(f"{self._path.name}.new")
        try:
            with new.open("w", encoding="ascii") as file:
                file.write(f"{snapshot_id}\n")
                file.flush()
                os.fsync(file.fileno())
            new.replace(self._path)
            self._sync_directory()
        except OSError as error:
            raise self._failure(error) from error

    @override
    def clear(self) -> None:
        """Delete the file, also from the disk: a mark that came back would take back later changes."""
        try:
            self._path.unlink(missing_ok=True)
            self._sync_directory()
        except OSError as error:
            raise self._failure(error) from error

    def _sync_directory(self) -> None:
        directory = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _failure(self, error: OSError) -> OperatorError:
        return OperatorError(f"restore: cannot use {self._path}: {error.strerror}")
