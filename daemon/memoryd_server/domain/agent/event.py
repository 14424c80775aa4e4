"""Events: the facts that a commit adds to an agent's history."""

from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.event_type import EventCause, EventType


class EventFilter(msgspec.Struct, frozen=True):
    """A condition on events: an event passes if it passes all fields; an empty field passes everything.

    The fields mean what ``EventFilter`` of the contract says.
    """

    agent_ids: frozenset[str] = frozenset()
    scope_ids: frozenset[str] = frozenset()
    include_descendants: bool = False
    key_prefix: str = ""
    event_types: frozenset[EventType] = frozenset()

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return True if the agent's event passes the filter."""
        return (
            (not self.agent_ids or agent_id in self.agent_ids)
            and (not self.event_types or event.type in self.event_types)
            and (not (self.scope_ids or self.key_prefix) or event.subject.is_within(self))
        )


class EventSelection(msgspec.Struct, frozen=True, cache_hash=True):
    """The events that a watch or a listing requests: those that pass any filter and have another origin."""

    filters: tuple[EventFilter, ...] = ()
    exclude_origin: str = ""

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return True if the agent's event is selected."""
        if self.exclude_origin and event.origin == self.exclude_origin:
            return False
        return not self.filters or any(each.keeps(agent_id, event) for each in self.filters)

    @property
    def agent_ids(self) -> frozenset[str] | None:
        """The agents that the selection is limited to, None when it covers all agents."""
        if not self.filters or any(not each.agent_ids for each in self.filters):
            return None
        return frozenset().union(*(each.agent_ids for each in self.filters))


class Subject(msgspec.Struct, frozen=True, array_like=True):
    """The thing that an event reports about. Each kind of memory has its own subjects, which have a tag."""

    @property
    def record(self) -> Any:
        """The stored record that the subject carries, None for none.

        In a store shared by several daemons, the journal row refers to the record instead of containing its bytes
        again.
        """
        return None

    @property
    def record_bytes(self) -> int:
        """The size of the carried record, which counts against the maximum size of a message."""
        return 0

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the subject is in the filter's scopes and has its key prefix."""
        return False


S = TypeVar("S", bound=Subject, default=Any)


class Event(msgspec.Struct, Generic[S], frozen=True, array_like=True):
    """One fact of an agent; fields are stored in this order.

    Events are ordered by ``revision`` and then by ``index``, the position within the revision. ``time`` is in
    nanoseconds since the Unix epoch. ``origin`` is the name by which the caller of the command identified itself.
    """

    type: EventType
    cause: EventCause
    revision: int
    index: int
    time: int
    origin: str
    subject: S


class AgentSubject(Subject, frozen=True, array_like=True, tag=True):
    """An agent that ended or was restored, as a whole.

    ``counts`` has the number of live records that ended with it, by the name of the count. ``snapshot_id`` is the
    snapshot that it was restored from. Filters treat the subject as one of the root scope.
    """

    counts: dict[str, int] = {}
    snapshot_id: str = ""

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the filter includes the root scope, or has no scopes."""
        return not chosen.scope_ids or "" in chosen.scope_ids


class ClearedSubject(Subject, frozen=True, array_like=True, tag=True):
    """All records of one kind, which were cleared together. ``kind`` is the number of the RecordKind."""

    kind: int
    count: int
