"""What is known of each snapshot file without reading it whole: a note in memory, and in a small file beside it.

A summary is derived. It stands for exactly one state of its file (size and time of modification); when it is missing,
stale or damaged, the snapshot is read again. It holds no value of any agent, so it is not encrypted.
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
    """What a file in the state ``modify_time`` (nanoseconds) was found to be."""

    modify_time: int
    info: SnapshotInfo


class SummaryIndex:
    """The summaries of a directory. Its methods block."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, int], SnapshotInfo | Refusal]] = {}

    def find(self, path: Path, snapshot_id: str) -> SnapshotInfo | Refusal | None:
        """What the file is, or why it cannot be read; None when that is to be found out. Raises OSError."""
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
        """Note what the file, as it was at ``modify_time``, was found to be."""
        self._known[path] = ((info.size_bytes, modify_time), info)
        _save(path, Summary(modify_time, info))

    def remember_refusal(self, path: Path, modify_time: int, size_bytes: int, refusal: Refusal) -> None:
        """Note why the file, as it was then, cannot be read; for this process, which has other keys than the next."""
        self._known[path] = ((size_bytes, modify_time), refusal)

    def forget(self, path: Path) -> None:
        """Drop the summary of a file that is to be deleted. Raises OSError."""
        self._known.pop(path, None)
        _beside(path).unlink(missing_ok=True)

    def tidy(self, directory: Path) -> None:
        """Remove the summaries of files that are gone. Raises OSError."""
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
    """Write the small file. That it fails costs a reading of the snapshot later, and nothing else."""
    text = msgspec.json.encode(summary)
    incoming = IncomingFile(path.parent)
    try:
        incoming.open()
        incoming.write(b"%08x %s" % (zlib.crc32(text), text))
        incoming.finish()
        incoming.replace(_beside(path))
    except OSError as error:
        log.warning("the summary of snapshot file %s was not kept: %s", path.name, os.strerror(error.errno or 0))
    finally:
        with contextlib.suppress(OSError):
            incoming.discard()
