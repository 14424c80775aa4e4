"""Saved indexes as files of one directory: ``<digest of the agent's id>.<revision>.index``.

The first line of a file is the agent's id as JSON. They are not synced: a file that lost its end in a crash is found
damaged by its checksums, and removed.
"""

import contextlib
import hashlib
import logging
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import msgspec

from memoryd_server.ports.saved_indexes import Draft, SavedIndex
from memoryd_server.stores.limit import INDEX_AGENT_BYTES_MAX, INDEX_FREE_BYTES_MIN, INDEX_FREE_SHARE_MIN

log = logging.getLogger("memoryd.indexes")

_SUFFIX = ".index"
_PART_SUFFIX = ".part"


class IndexDirectory:
    """Implements ``SavedIndexes``. The directory belongs to one daemon."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._revisions: dict[str, int] = {}
        self._removals = Counter[str]()
        self._parts: dict[str, set[Path]] = {}
        self._lock = threading.Lock()

    def open(self) -> None:
        """Find the files that exist, and remove the remains of interrupted writes."""
        with _logged("open"):
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in self._directory.iterdir():
                digest, _, revision = path.stem.partition(".")
                if path.suffix == _SUFFIX and revision.isdecimal() and digest not in self._revisions:
                    self._revisions[digest] = int(revision)
                else:
                    path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def read(self, agent_id: str) -> Iterator[BinaryIO | None]:
        """Return a context manager of an agent's file, open to be read; None if there is none."""
        file: BinaryIO | None = None
        with _logged("read"), self._lock:
            path = self._path_of(_digest_of(agent_id))
            file = None if path is None else _opened(path, agent_id)
        with file or contextlib.nullcontext():
            yield file

    def begin(self, agent_id: str) -> Draft:
        """Permit to save an agent's index. To be called before the saved items are chosen. It does not block."""
        return Draft(agent_id, self._removals[_digest_of(agent_id)])

    def write(self, draft: Draft, revision: int, save: Callable[[BinaryIO], None]) -> int:
        """Replace an agent's file by what ``save`` writes. Return its size in bytes; 0 if it was not saved."""
        digest = _digest_of(draft.agent_id)
        part = self._directory / f"{digest}.{secrets.token_hex(8)}{_PART_SUFFIX}"
        size = 0
        with _logged("write"):
            if not _has_room(self._directory):
                return size
            with self._lock:
                self._parts.setdefault(digest, set()).add(part)
            try:
                with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w+b") as file:
                    file.write(msgspec.json.encode(draft.agent_id) + b"\n")
                    save(file)
                    written = file.seek(0, os.SEEK_END)
                with self._lock:
                    if self._removals[digest] == draft.removals:
                        self._replace(digest, revision, part)
                        size = written
            finally:
                part.unlink(missing_ok=True)
                with self._lock:
                    self._parts[digest].discard(part)
                    if not self._parts[digest]:
                        del self._parts[digest]
        return size

    def confirm(self, agent_id: str, revision: int) -> None:
        """Note that an agent's file has the items of this revision, too."""
        digest = _digest_of(agent_id)
        with _logged("confirm"), self._lock:
            path = self._path_of(digest)
            if path is not None:
                confirmed = path.rename(self._named(digest, revision))
                self._revisions[digest] = revision
                os.utime(confirmed)

    def remove(self, agent_id: str) -> None:
        """Remove an agent's file, and withdraw the drafts of the agent. Nothing of it is left in the file system."""
        digest = _digest_of(agent_id)
        with _logged("remove"), self._lock:
            self._removals[digest] += 1
            path = self._path_of(digest)
            self._revisions.pop(digest, None)
            # Those that are being written, too: what a draft has written so far has no name then.
            for each in (*self._parts.get(digest, ()), *([] if path is None else [path])):
                each.unlink(missing_ok=True)

    def remove_all(self) -> None:
        """Remove all files, to make room."""
        with _logged("remove"), self._lock:
            for digest in list(self._revisions):
                path = self._named(digest, self._revisions.pop(digest))
                path.unlink(missing_ok=True)

    def older_than(self, age_s: float) -> Sequence[SavedIndex]:
        """Return the files that were written or confirmed longer ago than this."""
        found, before = list[SavedIndex](), time.time() - age_s
        with _logged("list"), self._lock:
            for digest, revision in self._revisions.items():
                path = self._named(digest, revision)
                if path.stat().st_mtime < before:
                    with path.open("rb") as file:
                        found.append(SavedIndex(_agent_of(file), revision))
        return found

    def _replace(self, digest: str, revision: int, part: Path) -> None:
        """Give a complete file its name, in place of the former one."""
        former, path = self._path_of(digest), self._named(digest, revision)
        part.rename(path)
        self._revisions[digest] = revision
        if former is not None and former != path:
            former.unlink(missing_ok=True)

    def _path_of(self, digest: str) -> Path | None:
        revision = self._revisions.get(digest)
        return None if revision is None else self._named(digest, revision)

    def _named(self, digest: str, revision: int) -> Path:
        return self._directory / f"{digest}.{revision}{_SUFFIX}"


def _digest_of(agent_id: str) -> str:
    # An id may be longer than a file's name, and have any characters.
    return hashlib.blake2b(agent_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _opened(path: Path, agent_id: str) -> BinaryIO | None:
    """Open a file behind the line of its agent; None if it is another agent's, which it is only if it was renamed."""
    file = path.open("rb")
    try:
        is_own = _agent_of(file) == agent_id
    except BaseException:
        file.close()
        raise
    if is_own:
        return file
    file.close()
    return None


def _agent_of(file: BinaryIO) -> str:
    """Read the line of a file's agent. Return the agent's id; empty if there is none."""
    try:
        return msgspec.json.decode(file.readline(INDEX_AGENT_BYTES_MAX), type=str)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _has_room(directory: Path) -> bool:
    """Return True unless the disk is nearly full: what can be made again must not take the last room."""
    system = os.statvfs(directory)
    free, size = system.f_bavail * system.f_frsize, system.f_blocks * system.f_frsize
    return free >= min(INDEX_FREE_BYTES_MIN, INDEX_FREE_SHARE_MIN * size)


@contextlib.contextmanager
def _logged(step: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        log.warning("saved indexes cannot be used", extra={"step": step, "error": str(error)})
