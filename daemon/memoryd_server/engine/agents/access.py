"""Read counts of records, kept outside the agent's state: a read never causes a commit."""

from collections.abc import Iterable
from typing import Any

import msgspec

from memoryd_server.domain.agent.part import Access, ChangeKey, Changes
from memoryd_server.domain.kinds import PART_OF_RECORD
from memoryd_server.domain.lifecycle.agent_change import RecordAccesses


class Counted(msgspec.Struct, gc=False):
    """Reads of one record since they were last recorded. ``last_time`` is in ns since the Unix epoch."""

    record_id: str
    count: int = 0
    last_time: int | None = None


_NEVER: tuple[int, int | None] = (0, None)


class AccessCounts:
    """The reads of one agent's records since they were last recorded in the state."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: dict[str, Counted] = {}

    def __bool__(self) -> bool:
        return bool(self.counts)

    def note(self, path: str, record_id: str, now: int) -> tuple[int, int | None]:
        """Count a read. Return the number of reads counted before it, and the time of the last of them.

        ``path`` is the name of the record, a slash and its key. One string is looked up faster than a ChangeKey, and
        every read of an entry passes here.
        """
        counted = self.counts.get(path)
        if counted is None or counted.record_id != record_id:
            self.counts[path] = Counted(record_id, 1, now)
            return 0, None
        before = (counted.count, counted.last_time)
        counted.count += 1
        counted.last_time = now
        return before

    def note_each(self, paths: Iterable[str], record_ids: Iterable[str], now: int) -> list[tuple[int, int | None]]:
        """Count a read of each of these records; see ``note``, which this repeats without a call for each."""
        counts = self.counts
        before: list[tuple[int, int | None]] = []
        for path, record_id in zip(paths, record_ids, strict=True):
            counted = counts.get(path)
            if counted is None or counted.record_id != record_id:
                counts[path] = Counted(record_id, 1, now)
                before.append(_NEVER)
            else:
                before.append((counted.count, counted.last_time))
                counted.count += 1
                counted.last_time = now
        return before

    def counted(self, path: str, record_id: str) -> tuple[int, int | None]:
        """Return the number of reads counted, and the time of the last one; see ``note``."""
        counted = self.counts.get(path)
        return (0, None) if counted is None or counted.record_id != record_id else (counted.count, counted.last_time)

    def forget_replaced(self, changes: Changes) -> None:
        """Drop the counts of records that were deleted, or replaced by a record with another id."""
        for change, value in changes.items():
            path = f"{change.kind}/{change.key}"
            counted = self.counts.get(path)
            if counted is not None and (value is None or value.access_id != counted.record_id):
                del self.counts[path]

    def forget_all(self) -> None:
        """Drop all counts."""
        self.counts.clear()

    def take(self) -> RecordAccesses:
        """Return the command that writes the counts to the state, and reset all counts to zero."""
        taken, self.counts = self.counts, {}
        by_part: dict[str, list[Any]] = {}
        for path, each in taken.items():
            kind, _, key = path.partition("/")
            access = Access(ChangeKey(kind, key), each.record_id, each.count, each.last_time or 0)
            by_part.setdefault(PART_OF_RECORD[kind].name, []).append(access)
        return RecordAccesses(by_part)
