"""The repair of a damaged write-ahead log: a new log of what is whole in it, with a zeroed page for each that is lost.

A zeroed page is no page of SQLite. Reading it fails, and so what was on it is refused instead of read as it was before.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from memoryd_server.stores.sqlite.failure import wal_path
from memoryd_server.stores.sqlite.log.frame import PAGE_BYTES, Frame, encode_log, read_frames


class MendedLog(NamedTuple):
    """A new log, and the numbers of its pages that are lost."""

    content: bytes
    lost_pages: tuple[int, ...]


def mend_log(log: bytes) -> MendedLog | None:
    """Return a log with the same transactions as a damaged one; None if it is unknown which pages are lost."""
    frames = read_frames(log)
    while frames and not (frames[-1].page is not None and frames[-1].pages_total):
        frames.pop()
    pages_total = frames[-1].pages_total if frames else 0
    if not frames or not all(_has_known_page(frame, pages_total) for frame in frames):
        return None
    latest = {frame.number: frame.page for frame in frames}
    numbers = sorted(number for number in latest if number <= pages_total)
    pages = [(number, latest[number] or bytes(PAGE_BYTES)) for number in numbers]
    content = encode_log(pages, pages_total, (secrets.randbits(32), secrets.randbits(32)))
    return MendedLog(content, tuple(number for number in numbers if latest[number] is None))


def _has_known_page(frame: Frame, pages_total: int) -> bool:
    return frame.page is not None or (frame.is_framed and 0 < frame.number <= pages_total)


@contextmanager
def replaced_log(database: Path, content: bytes) -> Iterator[None]:
    """Replace the database's log, which exists, during a with block, by ``content``.

    The damaged log is kept beside it. If the block raises, it is put back. No connection may be open before the block.
    Raises OSError.
    """
    path = wal_path(database)
    kept = damaged_path(database)
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.link(path, kept)
    try:
        fresh.replace(path)
        yield
    except BaseException:
        kept.replace(path)
        raise


def damaged_path(database: Path) -> Path:
    """Return a new path to keep a damaged log at: the log's name, and the first number that is free."""
    path = wal_path(database)
    number = 1
    while (found := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return found
