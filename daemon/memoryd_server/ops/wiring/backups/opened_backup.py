"""The opening of a backup by commands, and the failures that the operator must mend."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from memoryd_server.domain.error import SnapshotLocked
from memoryd_server.ops.error import OperatorError
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Manifest
from memoryd_server.stores.snapshot_key import SnapshotKey

__all__ = ["BackupDirectory", "Manifest", "backup_at", "failures_explained"]


@contextlib.contextmanager
def failures_explained(path: Path) -> Iterator[None]:
    """Turn the failures of a backup's files into OperatorError."""
    try:
        yield
    except BlockingIOError as error:
        raise OperatorError(f"{path}: another process writes this backup") from error
    except SnapshotLocked as error:
        name = error.metadata["snapshot_id"]
        raise OperatorError(f"{path}: {name} is encrypted for another key: set --snapshot-key-file") from error
    except OSError as error:
        raise OperatorError(f"{error.filename or path}: {error.strerror}") from error


def backup_at(path: Path, key_file: Path | None = None) -> BackupDirectory:
    """Return a backup that is read with the key of a file, if there is one. Raises OperatorError."""
    try:
        key = None if key_file is None else SnapshotKey.load(key_file)
    except (OSError, ValueError) as error:
        raise OperatorError(f"--snapshot-key-file: {error}") from error
    return BackupDirectory(path, key)
