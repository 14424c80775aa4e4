"""Events: the facts that a commit adds to an agent's history."""

from collections.abc import Container
from typing import Any, Generic, NamedTuple

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.agent.author import Author
from memoryd_server.domain.event_type import WITHOUT_OWNER, EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.domain.values.record_filter import RecordFilter, RecordShape, matcher_of


class EventFilter(msgspec.Struct, frozen=True):
    """A condition on events: an event passes if it passes all fields; an empty field passes everything.

    The fields mean what ``EventFilter`` of the contract says. ``record_kinds`` are the kinds of which ``record`` keeps
    any record.
    """

    agents: AgentPatterns = ALL_AGENTS
    kinds: frozenset[RecordKind] = frozenset()
    event_types: frozenset[EventType] = frozenset()
    causes: frozenset[EventCause] = frozenset()
    scope_ids: frozenset[str] = frozenset()
    include_descendants: bool = False
    key_prefix: str = ""
    record: RecordFilter | None = None
    record_kinds: frozenset[RecordKind] = frozenset()

    @property
    def keeps_histories(self) -> bool:
        """True if it keeps either all events about a record or none."""
        return not self.event_types and not self.causes and self.record is None

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return True if the agent's event passes the filter."""
        return (
            self.agents.matches(agent_id)
            and (not self.event_types or event.type in self.event_types)
            and (not self.kinds or event.type.kind in self.kinds)
            and (not self.causes or event.cause in self.causes)
            and (not (self.scope_ids or self.key_prefix) or event.subject.is_within(self))
            and (
                self.record is None
                # What is left of an erased record does not say whose it was.
                or event.cause in WITHOUT_OWNER
                or event.subject.may_concern(self, event)
            )
        )


class EventSpan(msgspec.Struct, frozen=True):
    """A part of a history: events after a revision, up to another one, from one time on, and before another one.

    Times are in nanoseconds since the Unix epoch. None is no bound. Revisions are those of one agent.
    """

    after_revision: int = 0
    end_revision: int | None = None
    start_time: int | None = None
    end_time: int | None = None

    def has(self, event: "Event") -> bool:
        """Return True if the event is within the span."""
        return (
            event.revision > self.after_revision
            and (self.end_revision is None or event.revision <= self.end_revision)
            and (self.start_time is None or event.time >= self.start_time)
            and (self.end_time is None or event.time < self.end_time)
        )


class EventSelection(msgspec.Struct, frozen=True, cache_hash=True):
    """The events that a watch or a listing requests: those that pass any filter and have another origin.

    ``span`` limits a listing to a part of the history.
    """

    filters: tuple[EventFilter, ...] = ()
    exclude_origin: str = ""
    span: EventSpan | None = None

    @property
    def keeps_histories(self) -> bool:
        """True if of the events of one commit about one record, either all are selected or none."""
        return all(each.keeps_histories for each in self.filters)

    def keeps(self, agent_id: str, event: "Event") -> bool:
        """Return True if the agent's event is selected."""
        if self.exclude_origin and event.author.origin == self.exclude_origin:
            return False
        if self.span is not None and not self.span.has(event):
            return False
        return not self.filters or any(each.keeps(agent_id, event) for each in self.filters)

    @property
    def agents(self) -> AgentPatterns:
        """The agents that the selection is limited to."""
        if not self.filters:
            return ALL_AGENTS
        return AgentPatterns.of(pattern for each in self.filters for pattern in each.agents.patterns)


class RecordView(NamedTuple):
    """A record as an event has it, with its shape and the names of the fields that the event lacks."""

    shape: RecordShape
    record: Any
    unknown: Container[str] = ()


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

    @property
    def place(self) -> tuple[Any, ...] | None:
        """The identity of the record among all records of the agent; None for subjects that are not one record."""
        return None

    def record_at(self, place: tuple[Any, ...]) -> tuple[Any, int] | None:
        """Return the record at a place, and its size, if the subject carries it or is that record's end; else None."""
        return (self.record, self.record_bytes) if self.place == place else None

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the subject is in the filter's scopes and has its key prefix."""
        return False

    def view(self, event: "Event") -> RecordView | None:
        """Return what the event says of its one record; None if it is not about a record that filters select."""
        raise NotImplementedError

    def may_concern(self, chosen: EventFilter, event: "Event") -> bool:
        """Return True if the filter's ``record`` keeps the record, or may have kept it before the change."""
        view = self.view(event)
        if view is None or chosen.record is None:
            return False
        matcher = matcher_of(chosen.record, view.shape)
        if matcher.verdict(view.record, view.unknown) is not False:
            return True
        is_update = event.previous_revision > 0 and not event.type.is_end
        return is_update and not matcher.fields.isdisjoint({*event.changed, "update_time"})


S = TypeVar("S", bound=Subject, default=Any)


class Event(msgspec.Struct, Generic[S], frozen=True, array_like=True):
    """One fact of an agent; fields are stored in this order.

    Events are ordered by ``revision`` and then by ``index``, the position within the revision. ``time`` is in
    nanoseconds since the Unix epoch. ``author`` is the caller of the command. ``previous_revision`` is the revision of
    the record before the change, 0 if it had none; ``changed`` are the record's fields that an update changed.
    """

    type: EventType
    cause: EventCause
    revision: int
    index: int
    time: int
    author: Author
    subject: S
    previous_revision: int = 0
    changed: tuple[str, ...] = ()


class ClearedSubject(Subject, frozen=True, array_like=True, tag=True):
    """All records of one kind, which were cleared together. ``counts`` has the live ones, with those that they own."""

    counts: dict[RecordKind, int]

    def may_concern(self, chosen: EventFilter, event: Event) -> bool:
        """Return True if the filter keeps any record of these kinds: which records they were is not known."""
        return not chosen.record_kinds.isdisjoint(self.counts)
