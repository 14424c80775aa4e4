"""Parts: the interface between a kind of memory and the machine that loads, changes, restores and lists it.

An agent's state has one immutable value for each part. The machine, which is this folder and the engine that runs it,
depends on parts only through these protocols; ``domain.kinds`` lists them all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.agent.event import Subject
    from memoryd_server.domain.agent.transition import Transition


class ChangeKey(msgspec.Struct, frozen=True, gc=False):
    """The key of one record of an agent: the record's name, which belongs to one part, and its key."""

    kind: str
    key: str


Changes = dict[ChangeKey, Any]
"""The records that a command puts, by key; None for those that it deletes."""

Records = Mapping[str, Sequence[Any]]
"""An agent's records by record name, such as "entry" or "note". A name without records has an empty sequence."""


class Access(msgspec.Struct, frozen=True):
    """Reads of one record that were counted outside of the state, with the time of the last one.

    ``record_id`` is the ``access_id`` of the record that was read. By now, another record may have its key.
    """

    change: ChangeKey
    record_id: str
    count: int
    last_time: int


class InitialEvent(msgspec.Struct, frozen=True):
    """An event of a watch that begins with the state: one record. ``time`` is in nanoseconds since the Unix epoch."""

    type: EventType
    revision: int
    time: int
    subject: "Subject"


class PartStatistics(msgspec.Struct, frozen=True):
    """Statistics of one part.

    ``record_counts`` has the numbers of records, ``counts`` further figures by name. ``oldest_time`` and
    ``newest_time`` are the first and the last time at which one of its records was last changed, in nanoseconds since
    the Unix epoch.
    """

    size_bytes: int = 0
    record_counts: dict[RecordKind, int] = {}
    counts: dict[str, int] = {}
    oldest_time: int | None = None
    newest_time: int | None = None


def oldest_and_newest(times: Iterable[int]) -> tuple[int | None, int | None]:
    """Return the first and the last of these times; None and None if there are none."""
    listed = list(times)
    return min(listed, default=None), max(listed, default=None)


class PartValue(Protocol):
    """The value of one part in an agent's state. It is immutable."""

    @property
    def next_deadline(self) -> int | None:
        """The time at which the part must be swept next, in ns since the Unix epoch; None when nothing is due."""
        ...

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of the part."""
        ...


Counts = dict[RecordKind, int]
"""Numbers of records by their kind. A kind without records may be absent."""

Growth = tuple[int, int]
"""The growth of a part: in records, and in bytes of memory besides the sizes of the records."""


V = TypeVar("V", bound=PartValue)
V_co = TypeVar("V_co", bound=PartValue, covariant=True)
E = TypeVar("E", bound="Editor[Any]")
E_co = TypeVar("E_co", bound="Editor[Any]", covariant=True)


class Editor(Protocol[V_co]):
    """An editor of one part within one transition, to which it adds changed records, events and sizes."""

    @property
    def part(self) -> "Part[Any, Any]":
        """The part that the editor changes."""
        ...

    @property
    def before(self) -> V_co:
        """The value before the transition."""
        ...

    @property
    def next_deadline(self) -> int | None:
        """The time at which the part must be swept next, after the changes so far."""
        ...

    def finish(self) -> V_co:
        """Return the value after the transition; the same object as ``before`` if nothing changed."""
        ...

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        ...

    def clear(self, cause: EventCause) -> Counts:
        """Remove all records, and return the number of live ones."""
        ...

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Remove records of a user, with those that belong to them, and return the number of live ones.

        Each has the event of its removal, without content and with the cause USER_FORGOTTEN. ``removal`` bounds how
        many are removed.
        """
        ...

    def restore(self, image: Records) -> None:
        """Replace all records by those of a snapshot, and emit an event for each difference."""
        ...

    def replay(self, changes: Changes) -> None:
        """Put and delete the part's records among ``changes``, which another daemon committed.

        They were validated there, and their events were emitted there: neither is done again.
        """
        ...

    def sweep(self, rules: Any) -> dict[str, int]:
        """Remove a bounded number of expired records, and return their number by name.

        ``rules`` is what ``ExpireRecords.rules`` has for this part, None for nothing.
        """
        ...

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Add reads that were counted outside of the state to the records that still exist."""
        ...


class Part(Protocol[V, E_co]):
    """A kind of memory.

    ``name`` identifies the part in a state; ``records`` has the type of each stored record by record name. Both are
    stored: never rename. ``kind`` is the kind that ClearAgent clears the part with. If ``is_cleared_together`` is true,
    the machine emits one event for all cleared parts of the same ``kind``; otherwise the part emits its own.
    """

    name: str
    kind: RecordKind
    records: Mapping[str, type[Any]]
    is_cleared_together: bool

    def empty(self, agent_id: str) -> V:
        """Return the value of an agent that has no records of the part."""
        ...

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the agent's records of the part are consistent with each other."""
        ...

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records of a snapshot can be restored."""
        ...

    def load(self, agent_id: str, records: Records) -> V:
        """Return the value made of the agent's records, which have passed ``check``."""
        ...

    def edit(self, value: V, transition: "Transition") -> E_co:
        """Return an editor of the value within a transition."""
        ...

    def initial_events(self, value: V, now: int) -> Iterator[InitialEvent]:
        """Yield an event for each record of the part, each after the records that it depends on."""
        ...

    def live_counts(self, value: V, now: int) -> Counts:
        """Return the number of records that may be served at ``now``."""
        ...

    def statistics(self, value: V, now: int) -> PartStatistics:
        """Return the statistics of the part at ``now``."""
        ...

    def blocks_ending(self, value: V) -> bool:
        """Return True if the agent must not end yet, since the part has unfinished work."""
        ...

    def memory_bytes(self, value: V) -> int:
        """Return an estimate of the memory that the value takes in addition to the sizes of its records."""
        ...
