"""How often entries were read: counted beside the state, so that a read never commits."""

from memoryd_server.domain.command import Access, RecordAccesses
from memoryd_server.domain.entry import Entry
from memoryd_server.domain.transition import Changes


class AccessCounts:
    """The reads of one agent's entries since they were last recorded in the state."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Access] = {}

    def __bool__(self) -> bool:
        return bool(self._counts)

    def note(self, entry: Entry, now: int) -> tuple[int, int | None]:
        """Count a read; answers how often the entry was read before it, and when last."""
        scope_id, key, entry_id = entry.scope_id, entry.key, entry.entry_id
        place = (scope_id, key)
        pending = self._counts.get(place)
        if pending is None or pending.entry_id != entry_id:
            self._counts[place] = Access(scope_id, key, entry_id, 1, now)
            return entry.access_count, entry.last_access_time
        self._counts[place] = Access(scope_id, key, entry_id, pending.count + 1, now)
        return entry.access_count + pending.count, pending.last_time

    def told(self, entry: Entry) -> tuple[int, int | None]:
        """How often the entry was read, and when last, without counting this look."""
        pending = self._counts.get((entry.scope_id, entry.key))
        if pending is None or pending.entry_id != entry.entry_id:
            return entry.access_count, entry.last_access_time
        return entry.access_count + pending.count, pending.last_time

    def forget_replaced(self, changes: Changes) -> None:
        """Let the counts of entries go that were removed: who sets such a key again begins at none."""
        for change, value in changes.items():
            if change.kind == "entry":
                scope_id, _, key = change.key.partition("/")
                pending = self._counts.get((scope_id, key))
                if pending is not None and not (isinstance(value, Entry) and value.entry_id == pending.entry_id):
                    del self._counts[scope_id, key]

    def forget_all(self) -> None:
        """Let all counts go."""
        self._counts.clear()

    def take(self) -> RecordAccesses:
        """The command that records what was counted; counting begins anew."""
        taken, self._counts = self._counts, {}
        return RecordAccesses(tuple(taken.values()))
