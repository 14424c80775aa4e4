"""Parts: what a kind of memory is to the machine that loads, changes, clears, restores and lists it.

An agent's state is one immutable value for each part. The machine (this folder, and what the engine runs it with) knows
parts by this protocol alone; ``domain.kinds`` has the table of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.agent.event import Subject
    from memoryd_server.domain.agent.transition import Transition


class ChangeKey(msgspec.Struct, frozen=True, gc=False):
    """Names a record of an agent: its record name, which belongs to one part, and its key."""

    kind: str
    key: str


Changes = dict[ChangeKey, Any]
"""The records that a command puts, by name; None for those that it deletes."""

Records = Mapping[str, Sequence[Any]]
"""An agent's records by their record name, such as "entry" or "note"; a name without records has an empty sequence."""


class Access(msgspec.Struct, frozen=True):
    """The reads of one record that were counted beside the state, and the time of the last one.

    ``record_id`` is the ``access_id`` of the record that was read: another record may have its key since.
    """

    change: ChangeKey
    record_id: str
    count: int
    last_time: int


class InitialEvent(msgspec.Struct, frozen=True):
    """One record as a watch that begins with the state reports it. ``time`` is in nanoseconds since the Unix epoch."""

    type: EventType
    revision: int
    time: int
    subject: "Subject"


class PartStatistics(msgspec.Struct, frozen=True):
    """Figures of one part. ``counts`` and ``record_counts`` are by name; times are of its oldest and newest record."""

    size_bytes: int = 0
    counts: dict[str, int] = {}
    record_counts: dict[str, int] = {}
    oldest_time: int | None = None
    newest_time: int | None = None


class PartValue(Protocol):
    """The part of one agent's state: an immutable value."""

    @property
    def next_deadline(self) -> int | None:
        """When the part must be swept next, in nanoseconds since the Unix epoch; None when nothing is due."""
        ...

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of the part."""
        ...


Growth = tuple[int, int]
"""How much a part has grown: in records, and in bytes of the memory that it takes beside the sizes of its records."""


V = TypeVar("V", bound=PartValue)
V_co = TypeVar("V_co", bound=PartValue, covariant=True)
E = TypeVar("E", bound="Editor[Any]")
E_co = TypeVar("E_co", bound="Editor[Any]", covariant=True)


class Editor(Protocol[V_co]):
    """Changes one part of a state within one transition, to which it adds the changed records, events and sizes."""

    @property
    def part(self) -> "Part[Any, Any]":
        """The part that it changes."""
        ...

    @property
    def before(self) -> V_co:
        """The value before the transition."""
        ...

    @property
    def next_deadline(self) -> int | None:
        """When the part must be swept next, with what has changed so far."""
        ...

    def finish(self) -> V_co:
        """Return the value after the transition; the value before it if nothing changed."""
        ...

    def growth(self) -> Growth:
        """Return how much the part has grown within the transition."""
        ...

    def clear(self, cause: EventCause) -> dict[str, int]:
        """Remove all records; return how many live ones there were, by the names of ``Part.live_counts``."""
        ...

    def restore(self, image: Records) -> None:
        """Replace all records by those of a snapshot, with an event for each difference."""
        ...

    def replay(self, changes: Changes) -> None:
        """Put and delete the records among ``changes`` that belong to the part; these were decided elsewhere."""
        ...

    def sweep(self, rules: Any) -> dict[str, int]:
        """Remove what has expired, a bounded number of records at a time; return how many, by name.

        ``rules`` is what ``ExpireRecords`` has for the part, None for nothing.
        """
        ...

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Add reads that were counted beside the state to the records that are still there."""
        ...


class Part(Protocol[V, E_co]):
    """A kind of memory.

    ``name`` identifies the part in a state, ``records`` has the types of its stored records by record name: never
    rename. ``is_cleared_together`` means that the machine emits one event for all parts of the same ``kind`` that are
    cleared; otherwise the part emits its own.
    """

    name: str
    kind: RecordKind
    records: Mapping[str, type[Any]]
    is_cleared_together: bool

    def empty(self, agent_id: str) -> V:
        """Return the value of an agent that has no records of the part."""
        ...

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the agent's records of the part fit together."""
        ...

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records can be restored."""
        ...

    def load(self, agent_id: str, records: Records) -> V:
        """Return the value that the agent's records describe; they have passed ``check``."""
        ...

    def edit(self, value: V, transition: "Transition") -> E_co:
        """Return what changes the value within a transition."""
        ...

    def initial_events(self, value: V, now: int) -> Iterator[InitialEvent]:
        """Yield what the part holds as events, each record after those that it depends on."""
        ...

    def live_counts(self, value: V, now: int) -> dict[str, int]:
        """Return how many records may be served at this time, by the name of their count."""
        ...

    def statistics(self, value: V, now: int) -> PartStatistics:
        """Return the figures of the part at this time."""
        ...

    def blocks_ending(self, value: V) -> bool:
        """Return whether the agent may not end yet, because the part has work to finish first."""
        ...

    def memory_bytes(self, value: V) -> int:
        """Return an estimate of the memory that the value takes beside the sizes of its records."""
        ...
