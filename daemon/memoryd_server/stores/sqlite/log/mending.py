"""The repair of a damaged write-ahead log: a new log of what is whole in it, with a zeroed page for each that is lost.

A zeroed page is no page of SQLite. Reading it fails, and so what was on it is refused instead of read as it was before.
"""

from collections.abc import Iterator
from typing import NamedTuple

from memoryd_server.stores.sqlite.log.frame import PAGE_BYTES, Frame, encode_log, read_frames

_SALTS = (1, 1)
"""Salts of a new log. SQLite chooses others when it writes to the log from its start again."""


class MendedLog(NamedTuple):
    """A new log, and the numbers of its pages that are lost."""

    content: bytes
    lost_pages: tuple[int, ...]


def mended_logs(log: bytes) -> Iterator[MendedLog]:
    """Yield what the transactions of a damaged log may be, the fewest first.

    The frames behind a damaged one were either written after it, or they are left over from a transaction that failed,
    and must not be read. The log alone does not show that. So it may end at each transaction that a damaged frame
    follows, and at its last one.
    """
    frames = read_frames(log)
    while frames and not (frames[-1].page is not None and frames[-1].pages_total):
        frames.pop()
    for end, frame in enumerate(frames, 1):
        if frame.page is None:
            if not frame.numbers:
                # An unknown page is lost: any page may be older than it was.
                return
        elif frame.pages_total and (end == len(frames) or frames[end].page is None):
            yield _mended(frames[:end])


def _mended(frames: list[Frame]) -> MendedLog:
    pages_total = frames[-1].pages_total
    latest = {number: frame.page for frame in frames for number in frame.numbers}
    numbers = sorted(number for number in latest if number <= pages_total)
    pages = [(number, latest[number] or bytes(PAGE_BYTES)) for number in numbers]
    lost_pages = tuple(number for number in numbers if latest[number] is None)
    return MendedLog(encode_log(pages, pages_total, _SALTS), lost_pages)
