"""How often entries and memories were read: counted beside the state, so that a read never commits."""

import msgspec

from memoryd_server.domain.agent.command import Access, MemoryAccess, RecordAccesses
from memoryd_server.domain.agent.transition import Changes
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.memories.memory import Memory


class _Counted(msgspec.Struct, gc=False):
    record_id: str
    count: int
    last_time: int


class AccessCounts:
    """The reads of one agent's entries and memories since they were last recorded in the state."""

    __slots__ = ("_counts", "_memories")

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], _Counted] = {}
        self._memories: dict[str, _Counted] = {}

    def __bool__(self) -> bool:
        return bool(self._counts or self._memories)

    def note(self, entry: Entry, now: int) -> tuple[int, int | None]:
        """Count a read; answers how often the entry was read before it, and when last."""
        place = (entry.scope_id, entry.key)
        counted = self._counts.get(place)
        if counted is None or counted.record_id != entry.entry_id:
            self._counts[place] = _Counted(entry.entry_id, 1, now)
            return entry.access_count, entry.last_access_time
        before = (entry.access_count + counted.count, counted.last_time)
        counted.count += 1
        counted.last_time = now
        return before

    def told(self, entry: Entry) -> tuple[int, int | None]:
        """How often the entry was read, and when last, without counting this look."""
        counted = self._counts.get((entry.scope_id, entry.key))
        if counted is None or counted.record_id != entry.entry_id:
            return entry.access_count, entry.last_access_time
        return entry.access_count + counted.count, counted.last_time

    def note_memory(self, memory: Memory, now: int) -> None:
        """Count that a memory was recalled."""
        counted = self._memories.setdefault(memory.memory_id, _Counted(memory.memory_id, 0, now))
        counted.count += 1
        counted.last_time = now

    def told_memory(self, memory: Memory) -> tuple[int, int]:
        """How often a memory was recalled, and when last, without counting this look."""
        counted = self._memories.get(memory.memory_id)
        if counted is None:
            return memory.access_count, memory.last_access_time
        return memory.access_count + counted.count, counted.last_time

    def forget_replaced(self, changes: Changes) -> None:
        """Let the counts go of what was removed: who sets such a key again begins at none."""
        for change, value in changes.items():
            if change.kind == "entry":
                scope_id, _, key = change.key.partition("/")
                counted = self._counts.get((scope_id, key))
                if counted is not None and not (isinstance(value, Entry) and value.entry_id == counted.record_id):
                    del self._counts[scope_id, key]
            elif change.kind == "memory" and value is None:
                self._memories.pop(change.key, None)

    def forget_all(self) -> None:
        """Let all counts go."""
        self._counts.clear()
        self._memories.clear()

    def take(self) -> RecordAccesses:
        """The command that records what was counted; counting begins anew."""
        taken, self._counts = self._counts, {}
        recalled, self._memories = self._memories, {}
        return RecordAccesses(
            tuple(Access(*place, each.record_id, each.count, each.last_time) for place, each in taken.items()),
            tuple(MemoryAccess(each.record_id, each.count, each.last_time) for each in recalled.values()),
        )
