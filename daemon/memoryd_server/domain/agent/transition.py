"""The transition of one command: collects its changes and events until they become the next state."""

from collections.abc import Callable
from itertools import compress, filterfalse
from operator import ne
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from memoryd_server.domain.agent.author import Author
from memoryd_server.domain.agent.event import Event, Subject
from memoryd_server.domain.agent.part import ChangeKey, Changes, E, Editor, Part, V
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.values.deadline import earliest

R = TypeVar("R")


class Transition:
    """The changes and events of one command; ``finish`` returns the state that they lead to.

    The editor of a part is opened when the command first uses it. Later look-ups of the same command see what it put
    before. ``now`` is in nanoseconds since the Unix epoch. If ``erases`` is true, what the command removes is erased:
    the events of removals have the cause ERASED then. ``new_tier`` is the tier of an agent that the command creates,
    empty for none.
    """

    __slots__ = (
        "_editors",
        "_next_deadline",
        "author",
        "changes",
        "ends",
        "erases",
        "events",
        "limits",
        "new_tier",
        "now",
        "revision",
        "size_bytes",
        "state",
    )

    def __init__(self, state: AgentState, now: int, limits: Limits, author: Author) -> None:
        self.state = state
        self.now = now
        self.limits = limits
        self.author = author
        self.revision = state.revision + 1
        self.changes: Changes = {}
        self.events: list[Event] = []
        self.size_bytes = state.size_bytes
        self.ends = False
        self.erases = False
        self.new_tier = ""
        self._next_deadline = state.next_deadline
        self._editors: dict[str, Editor[Any]] = {}

    def open(self, part: Part[V, E]) -> E:
        """Return the editor of a part; each call returns the same one."""
        editor: E | None = self._editors.get(part.name)  # type: ignore[assignment]
        if editor is None:
            value: V | None = self.state.parts.get(part.name)
            editor = part.edit(part.empty(self.state.agent_id) if value is None else value, self)
            self._editors[part.name] = editor
        return editor

    def step(self, decide: Callable[["Transition"], R]) -> R:
        """Decide one command of several, on the state that the earlier ones left. Return its result.

        Each is decided by a transition of its own, so that it finds what it would find as a commit of its own; only the
        revision is the same for all. After the last one, call ``keep_revision``: perhaps no event changed the revision.
        """
        step = Transition(self.state, self.now, self.limits, self.author)
        step.revision = self.revision
        step.erases = self.erases
        step.new_tier = self.new_tier
        result = decide(step)
        assert not step.ends, "a command that ends the agent cannot be one of several"
        self.state = step.finish()
        self.changes.update(step.changes)
        first = len(self.events)
        self.events += [replace(each, index=first + each.index) for each in step.events]
        self.size_bytes = self.state.size_bytes
        self._next_deadline = self.state.next_deadline
        return result

    def keep_revision(self) -> None:
        """Keep the agent's revision, for changes that no event reports."""
        self.revision = self.state.revision

    @property
    def changed(self) -> bool:
        """True if there is anything to commit."""
        return bool(self.changes or self.events)

    @property
    def result_revision(self) -> int:
        """The agent's revision after the command."""
        return self.revision if self.changed else self.state.revision

    def put(self, kind: str, key: str, record: Any) -> None:
        """Record that a record was put, or deleted if ``record`` is None."""
        self.changes[ChangeKey(kind, key)] = record

    def emit(
        self,
        event_type: EventType,
        cause: EventCause,
        subject: Subject,
        previous: Any = None,
        changed: tuple[str, ...] | None = None,
    ) -> None:
        """Append an event. ``previous`` is the record before the change, None if there was none.

        ``changed`` are the names of the fields that an update changed; None to compare the record with ``previous``,
        which the subject of an update must have as a whole then.
        """
        index, revision = len(self.events), self.revision
        if self.erases and event_type.is_removal:
            cause = EventCause.ERASED
        if previous is None:
            event = Event(event_type, cause, revision, index, self.now, self.author, subject)
        else:
            if changed is None:
                changed = () if event_type.is_end else changed_fields(previous, subject.record)
            known = previous.revision
            event = Event(event_type, cause, revision, index, self.now, self.author, subject, known, changed)
        self.events.append(event)

    def check_size(self) -> None:
        """Raise QuotaExceeded if the command made the agent exceed its storage limit."""
        # An agent above a lowered limit may still change, as long as it does not grow.
        size_bytes_max = self.limits.storage_bytes_per_agent
        if self.size_bytes > max(size_bytes_max, self.state.size_bytes):
            raise QuotaExceeded("storage_bytes_per_agent", size_bytes_max)

    def note_deadline(self, deadline: int) -> None:
        """Record a time at which something is due."""
        if self._next_deadline is None or deadline < self._next_deadline:
            self._next_deadline = deadline

    def find_next_deadline(self) -> None:
        """Compute the next deadline from all parts, since what was due at the recorded time may have been removed."""
        parts = {**self.state.parts, **self._editors}
        self._next_deadline = earliest(*(part.next_deadline for part in parts.values()))

    def finish(self) -> AgentState:
        """Return the next state; the state itself if nothing changed.

        The revision stays the same if only the next deadline changed.
        """
        state, editors = self.state, self._editors
        # An editor refers to its transition: without this the two would wait for the garbage collector.
        self._editors = {}
        if not (self.changes or self.events):
            if self._next_deadline == state.next_deadline:
                return state
            return replace(state, next_deadline=self._next_deadline)
        parts, record_count, memory_bytes = state.parts, state.record_count, state.memory_bytes
        for name, editor in editors.items():
            after = editor.finish()
            if after is not editor.before:
                parts = parts.set(name, after)
                records_added, memory_added = editor.growth()
                record_count += records_added
                memory_bytes += memory_added
        return AgentState(
            state.agent_id,
            self.revision,
            state.create_time or self.now,
            self.now if self.revision != state.revision else state.update_time,
            parts,
            self._next_deadline,
            record_count,
            self.size_bytes,
            memory_bytes,
        )


def changed_fields(before: Any, after: Any) -> tuple[str, ...]:
    """Return the names of the fields in which a record differs from the one before it; none if it has ended."""
    if after is None:
        return ()
    # No step of Python's own for each field: every write of an entry passes here.
    differs = map(ne, astuple(before), astuple(after))
    return tuple(filterfalse(_ALWAYS_CHANGED.__contains__, compress(after.__struct_fields__, differs)))


_ALWAYS_CHANGED = frozenset({"revision", "update_time", "size_bytes"})
"""The fields that each change changes, and the one that follows from the others."""
