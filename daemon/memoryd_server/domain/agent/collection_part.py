"""A part that is a collection: the behaviour that all such kinds of memory share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from memoryd_server.domain.agent.collection import Collected, Collection, in_order
from memoryd_server.domain.agent.collection_editor import CollectionEditor
from memoryd_server.domain.agent.part import Counts, InitialEvent, PartStatistics, Records, oldest_and_newest
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

    ``name`` is stored with each record. ``created``, ``updated`` and ``deleted`` are the types of a record's events;
    they are None for a record whose owner's events cover it, such as a chunk of a document. ``cleared_with`` is the
    kind of that owner, with which the records are cleared; None for records of their own. ``contained`` is the kind of
    the records within a record, such as the steps of a plan, with a function that returns how many one has. If
    ``is_one_per_group`` is true, a group has one record, which is known by the group's name. ``grouped_by`` is what
    clients call the group of a record, for example "document_id"; empty if a record is identified without it.
    ``indexed_bytes`` is an estimate of the memory that indexes use per record.
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
        is_one_per_group: bool = False,
        grouped_by: str = "",
        cleared_with: RecordKind | None = None,
        contained: tuple[RecordKind, Callable[[R], int]] | None = None,
        indexed_bytes: int = 0,
    ) -> None:
        self.name = name
        self.kind = cleared_with or kind
        self.record_kind = kind
        self.created = created
        self.updated = updated
        self.deleted = deleted
        self.shape = record_type.shape
        self.records: Mapping[str, type[Any]] = {name: record_type}
        self._is_one_per_group = is_one_per_group
        self._contained = contained
        self._grouped_by = grouped_by
        self._overhead_bytes = _RECORD_OVERHEAD_BYTES + indexed_bytes

    def record_id(self, group: str, key: str) -> str:
        """Return the id by which clients know the record with this group and key."""
        return group if self._is_one_per_group else key

    def place(self, group: str) -> dict[str, str]:
        """Return what identifies a record of this group besides its id, by the names of the contract."""
        return {self._grouped_by: group} if self._grouped_by else {}

    def empty(self, agent_id: str) -> Collection[R]:
        """Return an empty collection."""
        return _EMPTY

    def records_in(self, agent_id: str, records: Records) -> Sequence[R]:
        """Return the collection's records among those of an agent. Raises DataDamaged if they are inconsistent."""
        return records[self.name]

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if two records share an alias."""
        aliases = [alias for record in self.records_in(agent_id, records) for alias in getattr(record, "aliases", ())]
        if len(set(aliases)) < len(aliases):
            raise DataDamaged(f"agent {agent_id!r} has two records of kind {self.name} with one alias")

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records can be restored."""
        self.check(agent_id, records)

    def load(self, agent_id: str, records: Records) -> Collection[R]:
        """Return the collection of the agent's records."""
        return Collection.of(self.records_in(agent_id, records))

    def edit(self, value: Collection[R], transition: Transition) -> CollectionEditor[R]:
        """Return an editor of the collection within a transition."""
        return CollectionEditor(self, value, transition)

    def initial_events(self, value: Collection[R], now: int) -> Iterator[InitialEvent]:
        """Yield an event for each record, in the order of creation."""
        if self.created is not None:
            for record in in_order(value):
                yield InitialEvent(self.created, record.revision, record.update_time, record)

    def counts(self, records: Collection[R] | Sequence[R]) -> Counts:
        """Return the number of these records, and of the records of another kind that they contain."""
        counts = {self.record_kind: len(records)}
        if self._contained is not None:
            kind, count_in = self._contained
            counts[kind] = sum(map(count_in, records))
        return counts

    def live_counts(self, value: Collection[R], now: int) -> Counts:
        """Return the number of records."""
        return self.counts(value)

    def statistics(self, value: Collection[R], now: int) -> PartStatistics:
        """Return the number of records, their total size and their times."""
        times = oldest_and_newest(record.update_time for record in value)
        return PartStatistics(value.size_bytes, self.counts(value), {}, *times)

    def blocks_ending(self, value: Collection[R]) -> bool:
        """Return False: an agent may end whatever its collections hold."""
        return False

    def memory_bytes(self, value: Collection[R]) -> int:
        """Return an estimate of the memory that the collection takes in addition to the sizes of its records."""
        return value.count * self._overhead_bytes
