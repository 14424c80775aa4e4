"""Commands that erase what others remove: from the state at once, from the journal when the engine goes on."""

from collections import Counter
from typing import Any, Generic

import msgspec
from typing_extensions import TypeVar

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.part import Counts
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agents.agent import AGENT
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.erasures.erasure import Erasure
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, AgentCleared, clear_kind
from memoryd_server.domain.limit import ERASED_PATHS_MAX
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.record_path import removed_paths

R = TypeVar("R", default=Any)


class Erased(Result, Generic[R], frozen=True, array_like=True, tag=True):
    """The result of a command whose removals are erased.

    ``counts`` has the number of removed records, with those that belong to them. ``erasure_id`` is the erasure in
    the agent's state, empty if there is none, since the agent does not exist. ``revision`` and ``time`` are those of
    the removal. ``journal_rows`` is the number of rewritten rows, 0 until the erasure is finished.
    """

    result: R
    counts: dict[RecordKind, int]
    erasure_id: str
    revision: int
    time: int
    journal_rows: int = 0

    @property
    def is_provisional(self) -> bool:
        """True if the command must be repeated later."""
        return self.result.is_provisional  # type: ignore[attr-defined, no-any-return]

    @property
    def remembered(self) -> "Erased[R]":
        """The result as it is stored under its request id."""
        return msgspec.structs.replace(self, result=self.result.remembered)  # type: ignore[attr-defined]

    @property
    def memory_bytes(self) -> int:
        """An estimate of the memory that the result takes."""
        return RESULT_BYTES + self.result.memory_bytes  # type: ignore[attr-defined, no-any-return]


class Erase(Command[Erased[Any]], frozen=True):
    """Execute a command, and erase what it removes, and what it names of records that are gone already."""

    command: Command
    erasure_id: str

    def decide(self, transition: Transition) -> Erased[Any]:
        """Execute the command. Raises what it raises.

        The erasure is left in the state even if nothing was removed: of what was removed before, the journal may still
        have the content. An agent that does not exist is not created by it.
        """
        before = transition.state
        transition.erases = True
        result = transition.step(self.command.decide)
        transition.keep_revision()
        after = transition.state
        if not after.exists:
            return Erased(result, {}, "", after.revision, transition.now)
        paths = dict.fromkeys(self.command.removed_paths(result))
        removed = [path for event in transition.events if event.type.is_removal for path in removed_paths(event)]
        if len(removed) <= ERASED_PATHS_MAX:
            paths.update(dict.fromkeys(removed))
        counts = _removed(before, transition)
        erasure = Erasure(self.erasure_id, b"", transition.now, after.revision, is_complete=True, paths=tuple(paths))
        transition.open(ERASURES).put(erasure)
        return Erased(result, counts, self.erasure_id, after.revision, transition.now)


class AgentEmptied(Result, frozen=True, array_like=True, tag=True):
    """The result of EmptyAgent: the number of removed records, and the revision of the removal."""

    counts: dict[RecordKind, int]
    revision: int


class EmptyAgent(Command[AgentEmptied], frozen=True):
    """Remove all records of an agent, which is to end once they are erased."""

    erasure_id: str

    def decide(self, transition: Transition) -> AgentEmptied:
        """Remove all records, if the agent exists."""
        before = transition.state
        if not before.exists:
            return AgentEmptied({}, before.revision)
        transition.erases = True
        transition.step(_remove_all)
        counts = _removed(before, transition)
        transition.keep_revision()
        revision = transition.revision
        erasure = Erasure(self.erasure_id, b"", transition.now, revision, is_complete=True, paths=((),), ends=True)
        transition.open(ERASURES).put(erasure)
        return AgentEmptied(counts, revision)


class EndEmptyAgent(Command[Erased[AgentCleared]], frozen=True):
    """End an agent that was emptied, and whose journal has nothing of it any more."""

    erasure: Erasure
    counts: Counts
    journal_rows: int

    def decide(self, transition: Transition) -> Erased[AgentCleared]:
        """End the agent; the result is provisional if it was changed since, and is to be emptied again."""
        state, erasure = transition.state, self.erasure
        is_blocked = dict(state.part(ERASURES).by_id) != {erasure.erasure_id: erasure}
        is_blocked = is_blocked or state.revision != erasure.revision
        cleared = AgentCleared({}, state.revision, is_blocked=True)
        if not is_blocked:
            transition.erases = True
            subject = AgentSubject(dict(self.counts), create_time=state.create_time)
            transition.emit(EventType.AGENT_ENDED, EventCause.REQUEST, subject)
            transition.ends = True
            cleared = AgentCleared(dict(self.counts), transition.revision, deleted=True)
        return Erased(cleared, cleared.counts, "", cleared.revision, transition.now, self.journal_rows)


ErasingResult = AgentEmptied


def _remove_all(transition: Transition) -> None:
    for kind in sorted(CLEARABLE):
        clear_kind(kind, transition, EventCause.CLEAR)
    transition.open(AGENT).clear(EventCause.CLEAR)
    if not transition.events:
        transition.keep_revision()


_KINDS = {
    name: RecordKind[name.upper()]
    for part in PARTS
    for name in part.records
    if name.upper() in RecordKind.__members__ and name not in ("agent", "scope")
}
"""The kinds of stored records by their names, for those that a name says."""

_COUNTED = {RecordKind.SCOPE, *_KINDS.values()}


def _removed(before: AgentState, transition: Transition) -> Counts:
    """Return the number of records that were removed, by kind. A disposed scope is still stored as such."""
    removed = Counter(
        _KINDS[change.kind] for change, value in transition.changes.items() if value is None and change.kind in _KINDS
    )
    removed[RecordKind.SCOPE] += sum(event.type is EventType.SCOPE_DISPOSED for event in transition.events)
    # What has no stored record of its own is counted by what its part has: the entities of a window.
    for part in PARTS:
        there, left = before.part(part), transition.state.part(part)
        if there is not left and part.name in before.parts:
            counts = Counter(part.live_counts(there, transition.now))
            counts.subtract(part.live_counts(left, transition.now))
            removed.update({kind: count for kind, count in (+counts).items() if kind not in _COUNTED})
    return dict(+removed)
