"""Events: committed facts, in the past tense."""

from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.event_type import EventCause, EventType


class EventFilter(msgspec.Struct, frozen=True):
    """Keeps the events that pass all of its fields; an empty field keeps all. See ``EventFilter`` of the contract."""

    agent_ids: frozenset[str] = frozenset()
    scope_ids: frozenset[str] = frozenset()
    include_descendants: bool = False
    key_prefix: str = ""
    event_types: frozenset[EventType] = frozenset()

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return whether the event of this agent passes."""
        return (
            (not self.agent_ids or agent_id in self.agent_ids)
            and (not self.event_types or event.type in self.event_types)
            and (not (self.scope_ids or self.key_prefix) or event.subject.is_within(self))
        )


class EventSelection(msgspec.Struct, frozen=True, cache_hash=True):
    """The events that a watch or a listing asks for: those that pass any filter and are not of the excluded origin."""

    filters: tuple[EventFilter, ...] = ()
    exclude_origin: str = ""

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return whether the event of this agent is selected."""
        if self.exclude_origin and event.origin == self.exclude_origin:
            return False
        return not self.filters or any(each.keeps(agent_id, event) for each in self.filters)

    @property
    def agent_ids(self) -> frozenset[str] | None:
        """The agents that the selection is limited to, None for all."""
        if not self.filters or any(not each.agent_ids for each in self.filters):
            return None
        return frozenset().union(*(each.agent_ids for each in self.filters))


class Subject(msgspec.Struct, frozen=True, array_like=True):
    """What an event is about. Each kind of memory has subjects of its own, which have a tag."""

    @property
    def record(self) -> Any:
        """The stored record that the subject carries, None for none.

        A journal row that is shared with other daemons refers to it instead of holding its bytes again.
        """
        return None

    @property
    def record_bytes(self) -> int:
        """The size of what the subject carries beside itself, for message limits."""
        return 0

    def is_within(self, chosen: EventFilter) -> bool:
        """Return whether the subject is in the scopes and has the key prefix that a filter names."""
        return False


S = TypeVar("S", bound=Subject, default=Any)


class Event(msgspec.Struct, Generic[S], frozen=True, array_like=True):
    """One fact of an agent; fields are stored in this order.

    ``revision`` and ``index``, its place among the events of its revision, give its order; ``time`` is in nanoseconds
    since the Unix epoch; ``origin`` is the name that the caller of the command gave itself.
    """

    type: EventType
    cause: EventCause
    revision: int
    index: int
    time: int
    origin: str
    subject: S


class AgentSubject(Subject, frozen=True, array_like=True, tag=True):
    """The agent as a whole, which ended or was restored.

    ``counts`` has what ended with it: the live records by the name of their count. ``snapshot_id`` is the snapshot that
    it was restored from. It belongs to the root scope, for filters.
    """

    counts: dict[str, int] = {}
    snapshot_id: str = ""

    def is_within(self, chosen: EventFilter) -> bool:
        """Return whether the filter keeps the root scope, or names none."""
        return not chosen.scope_ids or "" in chosen.scope_ids


class ClearedSubject(Subject, frozen=True, array_like=True, tag=True):
    """All records of one kind, which were removed together. ``kind`` is the number of the RecordKind."""

    kind: int
    count: int
