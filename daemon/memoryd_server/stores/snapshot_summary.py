"""The summaries of snapshot files, which save reading them: each is in memory, and in a small file beside its snapshot.

A summary is derived. It is valid for one state of its file (size and time of modification). If it is missing, stale or
damaged, the snapshot is read again. It contains no data of agents, so it is not encrypted.
"""

import contextlib
import logging
import os
import zlib
from pathlib import Path

import msgspec

from memoryd_server.domain.error import Refusal
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.stores.snapshot_incoming import IncomingFile

SUFFIX = ".info"

log = logging.getLogger("memoryd.snapshots")


class Summary(msgspec.Struct, frozen=True):
    """The description of a file that was last modified at ``modify_time`` (nanoseconds)."""

    modify_time: int
    info: SnapshotInfo


class SummaryIndex:
    """The summaries of a directory. Its methods block."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int], SnapshotInfo | Refusal]] = {}

    def find(self, path: Path, snapshot_id: str) -> SnapshotInfo | Refusal | None:
        """Return the file's description, or the reason why it cannot be read; None if unknown. Raises OSError."""
        state = _state(path)
        known = self._known.get(path)
        if known is not None and known[0] == state:
            return known[1]
        summary = _load(path)
        if summary is None or summary.info.snapshot_id != snapshot_id:
            return None
        if (summary.info.size_bytes, summary.modify_time) != state:
            return None
        self._known[path] = (state, summary.info)
        return summary.info

    def remember(self, path: Path, modify_time: int, info: SnapshotInfo) -> None:
        """Save the description of the file, as it was at ``modify_time``."""
        self._known[path] = ((info.size_bytes, modify_time), info)
        _save(path, Summary(modify_time, info))

    def remember_refusal(self, path: Path, modify_time: int, size_bytes: int, refusal: Refusal) -> None:
        """Remember why the file, as it was then, cannot be read.

        Only in memory: the next process may have another key, and be able to read it.
        """
        self._known[path] = ((size_bytes, modify_time), refusal)

    def forget(self, path: Path) -> None:
        """Delete the summary of a file that is about to be deleted. Raises OSError."""
        self._known.pop(path, None)
        _beside(path).unlink(missing_ok=True)

    def tidy(self, directory: Path) -> None:
        """Delete the summaries of files that no longer exist. Raises OSError."""
        for path in directory.glob(f"*{SUFFIX}"):
            if not path.with_name(path.name.removesuffix(SUFFIX)).exists():
                path.unlink(missing_ok=True)
        for path in [path for path in self._known if not path.exists()]:
            self._known.pop(path, None)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _load(path: Path) -> Summary | None:
    with contextlib.suppress(OSError, ValueError):
        checksum, _, text = _beside(path).read_bytes().partition(b" ")
        if int(checksum, 16) == zlib.crc32(text):
            return msgspec.json.decode(text, type=Summary)
    return None


def _save(path: Path, summary: Summary) -> None:
    """Write the summary's file. A failure is only logged: the snapshot is then read again later."""
    text = msgspec.json.encode(summary)
    incoming = IncomingFile(path.parent)
    try:
        incoming.open()
        incoming.write(b"%08x %s" % (zlib.crc32(text), text))
        incoming.finish()
        incoming.replace(_beside(path))
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        log.warning("summary of a snapshot not written", extra={"file": path.name, "reason": reason})
    finally:
        with contextlib.suppress(OSError):
            incoming.discard()
