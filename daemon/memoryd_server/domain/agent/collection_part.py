"""A part that is a collection: the behaviour that all such kinds of memory share."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from memoryd_server.domain.agent.collection import Collected, Collection, in_order
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.part import InitialEvent, PartStatistics, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind

R = TypeVar("R", bound=Collected)

_RECORD_OVERHEAD_BYTES = 1_024
"""Memory that a record takes besides its texts: about 400 bytes by tracemalloc, more if it has many fields."""

_EMPTY: Collection[Any] = Collection()


class CollectionPart(Generic[R]):
    """The part of one kind of collected record; see ``domain.agent.part.Part``.

    ``name`` is stored with each record, and is the field that carries such a record in the contract's ``Event``.
    ``created``, ``updated`` and ``deleted`` are the types of a record's events; they are None for a record whose
    owner's events cover it, such as a chunk of a document. ``indexed_bytes`` is an estimate of the memory that indexes
    use per record.
    """

    is_cleared_together = True

    def __init__(
        self,
        name: str,
        record_type: type[R],
        kind: RecordKind,
        created: EventType | None = None,
        updated: EventType | None = None,
        deleted: EventType | None = None,
        *,
        indexed_bytes: int = 0,
    ) -> None:
        self.name = name
        self.kind = kind
        self.created = created
        self.updated = updated
        self.deleted = deleted
        self.records: Mapping[str, type[Any]] = {name: record_type}
        self._overhead_bytes = _RECORD_OVERHEAD_BYTES + indexed_bytes

    def empty(self, agent_id: str) -> Collection[R]:
        """Return an empty collection."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if two records share an alias."""
        aliases = [alias for record in records[self.name] for alias in getattr(record, "aliases", ())]
        if len(set(aliases)) < len(aliases):
            raise DataDamaged(f"agent {agent_id!r} has two records of kind {self.name} with one alias")

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records can be restored."""
        self.check(agent_id, records)

    def load(self, agent_id: str, records: Records) -> Collection[R]:
        """Return the collection of the agent's records."""
        return Collection.of(records[self.name])

    def edit(self, value: Collection[R], transition: Transition) -> CollectionEditor[R]:
        """Return an editor of the collection within a transition."""
        return CollectionEditor(self, value, transition)

    def initial_events(self, value: Collection[R], now: int) -> Iterator[InitialEvent]:
        """Yield an event for each record, in the order of creation."""
        if self.created is not None:
            for record in in_order(value):
                yield InitialEvent(self.created, record.revision, record.update_time, record)

    def live_counts(self, value: Collection[R], now: int) -> dict[str, int]:
        """Return the number of records."""
        return {"records": len(value)}

    def statistics(self, value: Collection[R], now: int) -> PartStatistics:
        """Return the number of records and their total size."""
        counts = {self.name: len(value)} if value else {}
        return PartStatistics(value.size_bytes, record_counts=counts)

    def blocks_ending(self, value: Collection[R]) -> bool:
        """Return False: an agent may end whatever its collections hold."""
        return False

    def memory_bytes(self, value: Collection[R]) -> int:
        """Return an estimate of the memory that the collection takes in addition to the sizes of its records."""
        return value.count * self._overhead_bytes
