"""The records before the changes that events report, as earlier events in the journal left them.

An event does not contain the record before its change: each update of a record would be written twice. It has the
revision of that record, and the journal has the event of that revision.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.limit import PREVIOUS_BYTES_MAX
from memoryd_server.engine.agents.journal import published
from memoryd_server.ports.store import JournalCompacted, Store


class PreviousRecords:
    """Finds the records before changes for one message: together at most ``PREVIOUS_BYTES_MAX``, past it none.

    ``known`` are events of agents that were read already. Most of those before a change are among the events of the
    same page, and are then not read from the store.
    """

    def __init__(self, store: Store, known: Iterable[tuple[str, Event]] = ()) -> None:
        self._store = store
        self._bytes_left = PREVIOUS_BYTES_MAX
        self._rows: dict[tuple[str, int], tuple[Event, ...]] = {}
        self._known: defaultdict[tuple[str, int], list[Event]] = defaultdict(list)
        for agent_id, event in known:
            self._known[agent_id, event.revision].append(event)

    async def find(self, agent_id: str, events: Sequence[Event]) -> list[Any]:
        """Return the record before each event's change.

        It is None if there was none, if the journal no longer retains the event that wrote it, and past the maximum.
        """
        return [await self._find(agent_id, event) for event in events]

    async def _find(self, agent_id: str, event: Event) -> Any:
        if not event.previous_revision or event.subject.place is None or self._bytes_left <= 0:
            return None
        left = _left_before(event, self._known.get((agent_id, event.previous_revision), ()))
        if left is None:
            left = _left_before(event, await self._events_of(agent_id, event.previous_revision))
        record, size_bytes = left or (None, 0)
        self._bytes_left -= size_bytes
        return record if self._bytes_left >= 0 else None

    async def _events_of(self, agent_id: str, revision: int) -> tuple[Event, ...]:
        """Return the events of the commit that has a revision, none if the journal does not retain it."""
        name = (agent_id, revision)
        if name not in self._rows:
            self._rows[name] = await self._read(agent_id, revision)
        return self._rows[name]

    async def _read(self, agent_id: str, revision: int) -> tuple[Event, ...]:
        try:
            position = await self._store.locate(agent_id, revision - 1)
            page = await self._store.read_journal(position, 1, {agent_id}, self._store.shard_of(agent_id))
        except JournalCompacted:
            return ()
        return published(page.rows[0]).events if page.rows else ()


def _left_before(event: Event, events: Sequence[Event]) -> tuple[Any, int] | None:
    """Return the record of ``event`` as the last of these events before it left it, and its size.

    These are None and 0 if that event ended it. Return None if none of the events is about the record.
    """
    place = event.subject.place
    before = [
        each
        for each in events
        if each.revision == event.previous_revision and (each.revision, each.index) < (event.revision, event.index)
    ]
    for each in sorted(before, key=lambda each: each.index, reverse=True):
        found = each.subject.record_at(place)
        if found is not None:
            return (None, 0) if each.type.is_end else found
    return None
