"""Replay of the journal on a snapshot: the agents as of a moment, from a base and the rows that follow it."""

from collections.abc import Callable, Iterator

import msgspec

from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import tally_of
from memoryd_server.domain.lifecycle.record import decode_record, encode, state_of
from memoryd_server.engine.agents.journal import JournalData, decode_row
from memoryd_server.ports.store import AgentHead, JournalRow, Record, StoredAgent, Tally


class AgentImage(msgspec.Struct):
    """An agent as of a row. ``create_time`` is 0 if it does not exist. ``records`` has the data by kind and key."""

    agent_id: str
    revision: int
    create_time: int = 0
    update_time: int = 0
    records: dict[tuple[str, str], bytes] = {}

    def stored(self) -> StoredAgent:
        """Return the agent as a store keeps it. Raises DataDamaged if its records are inconsistent."""
        values = (decode_record(kind, data) for (kind, _), data in self.records.items())
        state = state_of(self.agent_id, self.revision, self.create_time, self.update_time, values)
        head = AgentHead(
            self.agent_id,
            self.revision,
            self.create_time,
            self.update_time,
            len(self.records),
            state.next_deadline,
            tally=Tally(*tally_of(state)),
        )
        return StoredAgent(head, tuple(Record(kind, key, data) for (kind, key), data in self.records.items()))


def erases(row: JournalRow) -> bool:
    """Return True if a row reports an erasure. Raises DataDamaged, SchemaTooNew and SchemaTooOld."""
    return any(
        event.cause is EventCause.ERASED or event.type in (EventType.MEMORY_PURGED, EventType.USER_FORGOTTEN)
        for event in decode_row(row).events
    )


class Replay:
    """The agents that ``selects`` chooses, from a base on. Add the base first, then the rows of each shard in order."""

    def __init__(self, selects: Callable[[str], bool] = lambda _: True) -> None:
        self.images: dict[str, AgentImage] = {}
        self._selects = selects

    def add_agent(self, agent: StoredAgent) -> None:
        """Add an agent of the base."""
        head = agent.head
        if self._selects(head.agent_id):
            records = {(each.kind, each.key): each.data for each in agent.records}
            image = AgentImage(head.agent_id, head.revision, head.create_time, head.update_time, records)
            self.images[head.agent_id] = image

    def add_row(self, row: JournalRow) -> None:
        """Apply a row, unless the base has it already. Raises DataDamaged, SchemaTooNew and SchemaTooOld."""
        if not self._selects(row.agent_id):
            return
        image = self.images.get(row.agent_id)
        if image is None or (row.base_revision == 0 < row.revision and not image.create_time):
            # An agent that ended keeps its revision. Once its last row is pruned, it begins at 0 again.
            image = self.images[row.agent_id] = AgentImage(row.agent_id, row.base_revision)
        if row.revision < image.revision or row.base_revision < row.revision == image.revision:
            return
        if row.base_revision != image.revision:
            found = f"revision {row.base_revision} of agent {row.agent_id!r} follows {image.revision}"
            raise DataDamaged(f"journal row {row.position}: {found}")
        self._apply(image, row, decode_row(row))

    def agents(self) -> Iterator[StoredAgent]:
        """Yield the agents that exist. Raises DataDamaged for one whose records are inconsistent."""
        for image in self.images.values():
            if image.create_time:
                yield image.stored()

    def _apply(self, image: AgentImage, row: JournalRow, data: JournalData) -> None:
        if not data.has_changes:
            raise DataDamaged(f"journal row {row.position}: a version that wrote it did not record its changes")
        if data.drops_records or data.ends:
            image.records.clear()
            image.create_time = 0
        for change in data.changes:
            key = (change.kind, change.key)
            if change.value is None:
                image.records.pop(key, None)
            elif isinstance(change.value, bytes):
                image.records[key] = change.value
            else:
                image.records[key] = encode(data.record_of(change.value))
        if row.revision != row.base_revision:
            image.update_time = row.commit_time
        if not data.ends:
            image.create_time = image.create_time or row.commit_time
        image.revision = row.revision
