"""The metrics of the disk: the size of what the daemon keeps there, and the space that is left."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from memoryd_server.ports.instrument import Gauge

_SIZE, _FREE = "agents.memory.disk.size", "agents.memory.disk.free"
_FOLDERS = ("snapshots", "uploads", "indexes")


class DiskTelemetry:
    """The sizes of the files in the directories of the data and of the store, as of the last ``measure``.

    ``store`` is None for a store that keeps no files.
    """

    def __init__(self, data: Path, store: Path | None) -> None:
        self._data, self._store = data, store
        self._free = {
            path: Gauge(_FREE, "Space that is free for the daemon", "By", directory=str(path))
            for path in dict.fromkeys((data, store or data))
        }
        kinds = (*(("database", "log") if store is not None else ()), *_FOLDERS)
        self._sizes = {kind: Gauge(_SIZE, "Size of the daemon's files", "By", kind=kind) for kind in kinds}

    def instruments(self) -> tuple[Gauge, ...]:
        """Return the metrics."""
        return (*self._free.values(), *self._sizes.values())

    def measure(self) -> None:
        """Look at the files. Blocks. What cannot be read counts as empty."""
        for path, free in self._free.items():
            free.set(_free_of(path))
        if self._store is not None:
            self._sizes["database"].set(_size_of((self._store / "memoryd.db",)))
            self._sizes["log"].set(_size_of((self._store / "memoryd.db-wal",)))
        for folder in _FOLDERS:
            above = self._store or self._data if folder == "indexes" else self._data
            walked = os.walk(above / folder)
            self._sizes[folder].set(_size_of(Path(within) / name for within, _, names in walked for name in names))


def _free_of(path: Path) -> int:
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return 0


def _size_of(files: Iterable[Path]) -> int:
    return sum(map(_size, files))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
