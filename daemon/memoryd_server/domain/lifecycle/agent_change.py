"""Commands about a whole agent: clear, end, restore, expire, and record reads. They name no kind of memory."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.part import Counts, Records
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agents.agent import description_of
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.agents.tier import tier_name_of
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind


class AgentCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearAgent and EndAgent.

    ``counts`` has the number of removed live records. ``deleted`` is true if the agent ended, and ``snapshot_id`` is
    the snapshot that was taken before; empty for none. If ``is_blocked`` is true, the agent did not end, since a part
    has unfinished work: the caller must end it again later.
    """

    counts: dict[RecordKind, int]
    revision: int
    is_blocked: bool = False
    deleted: bool = False
    snapshot_id: str = ""

    @property
    def is_provisional(self) -> bool:
        """True if the caller must wait for unfinished work and repeat the command."""
        return self.is_blocked


class ClearAgent(Command[AgentCleared], frozen=True):
    """Remove all records of some kinds, with those that they own. The kind ENTRY covers all entries and scopes."""

    kinds: frozenset[RecordKind] = CLEARED_BY_DEFAULT

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return all records of these kinds."""
        return tuple((name,) for part in PARTS if part.kind in self.kinds for name in part.records)

    def decide(self, transition: Transition) -> AgentCleared:
        """Remove the records. An agent that does not exist has none. Raises RevisionMismatch."""
        counts: Counter[RecordKind] = Counter()
        for kind in sorted(self.kinds):
            counts.update(clear_kind(kind, transition, EventCause.CLEAR))
        return AgentCleared(dict(+counts), transition.result_revision)


class EndAgent(Command[AgentCleared], frozen=True):
    """Delete the agent with all of its memory, if it exists. ``snapshot_id`` is a snapshot of its last revision."""

    cause: EventCause = EventCause.REQUEST
    snapshot_id: str = ""

    def decide(self, transition: Transition) -> AgentCleared:
        """Delete the agent, unless a part has unfinished work. Raises RevisionMismatch."""
        state = transition.state
        if not state.exists:
            return AgentCleared({}, state.revision)
        if any(part.blocks_ending(state.part(part)) for part in PARTS):
            return AgentCleared({}, state.revision, is_blocked=True)
        counts: Counter[RecordKind] = Counter()
        for part in PARTS:
            counts.update(part.live_counts(state.part(part), transition.now))
        transition.emit(EventType.AGENT_ENDED, self.cause, AgentSubject(dict(+counts), create_time=state.create_time))
        transition.ends = True
        return AgentCleared(dict(+counts), transition.revision, deleted=True, snapshot_id=self.snapshot_id)


class AgentRestored(Result, frozen=True, array_like=True, tag=True):
    """The result of RestoreAgent."""

    revision: int


class RestoreAgent(Command[AgentRestored], frozen=True):
    """Replace all memory of the agent by the records of a snapshot.

    If ``is_limited`` is true, an agent of a tier may not grow beyond the limits by it. One without a tier may, as all
    agents may that are restored together.
    """

    image: Records
    snapshot_id: str
    is_limited: bool = False

    def decide(self, transition: Transition) -> AgentRestored:
        """Replace each part, and emit an event for each difference. Records past their deadline are left out.

        Raises QuotaExceeded.
        """
        before = transition.state
        tier = tier_name_of(before) if before.exists else transition.new_tier
        transition.step(self._replace_parts)
        if self.is_limited and tier:
            _check_growth(before, transition)
        transition.emit(
            EventType.AGENT_RESTORED,
            EventCause.RESTORE,
            AgentSubject(
                snapshot_id=self.snapshot_id,
                create_time=transition.state.create_time or transition.now,
                description=description_of(transition.state),
            ),
        )
        return AgentRestored(transition.revision)

    def _replace_parts(self, transition: Transition) -> None:
        for part in PARTS:
            transition.open(part).restore(self.image)


class RecordsExpired(Result, frozen=True, array_like=True, tag=True):
    """The result of ExpireRecords: the number of removed or archived records, and of due ingestions, by name."""

    counts: dict[str, int]
    revision: int


class ExpireRecords(Command[RecordsExpired], frozen=True):
    """Remove expired records and archive faded ones: a bounded number of each kind.

    ``rules`` has the parameters of a part's sweep, by the name of the part.
    """

    rules: Mapping[str, Any] = {}

    def decide(self, transition: Transition) -> RecordsExpired:
        """Sweep each part that has records, and compute the agent's next deadline."""
        counts: Counter[str] = Counter()
        for part in PARTS:
            if part.name in transition.state.parts:
                counts.update(transition.open(part).sweep(self.rules.get(part.name)))
        transition.find_next_deadline()
        return RecordsExpired(dict(+counts), transition.result_revision)


class AccessesRecorded(Result, frozen=True, array_like=True, tag=True):
    """The result of RecordAccesses."""

    revision: int


class RecordAccesses(Command[AccessesRecorded], frozen=True):
    """Add reads that were counted outside of the state. No event reports them, so that the revision stays.

    ``accesses`` has the counted reads of each part, by the name of the part.
    """

    accesses: Mapping[str, Sequence[Any]]

    def decide(self, transition: Transition) -> AccessesRecorded:
        """Add the reads to the records that still exist."""
        transition.keep_revision()
        for part in PARTS:
            if accesses := self.accesses.get(part.name):
                transition.open(part).record_accesses(accesses)
        return AccessesRecorded(transition.revision)


CLEARABLE = frozenset(part.kind for part in PARTS) - {RecordKind.AGENT}
"""The kinds that ClearAgent clears. It keeps the description of the agent."""

AgentResult = AgentCleared | AgentRestored | RecordsExpired | AccessesRecorded


def clear_kind(kind: RecordKind, transition: Transition, cause: EventCause) -> Counts:
    """Remove all records of one kind with those that they own, and return the number of live ones."""
    counts: Counter[RecordKind] = Counter()
    emits = False
    for part in PARTS:
        if part.kind is kind:
            counts.update(transition.open(part).clear(cause))
            emits = part.is_cleared_together
    cleared = dict(+counts)
    if emits and cleared:
        transition.emit(EventType.cleared(kind), cause, ClearedSubject(cleared))
    return cleared


def _check_growth(before: AgentState, transition: Transition) -> None:
    """Raise QuotaExceeded if an agent has grown beyond a limit of what it stores, since the state ``before``."""
    bytes_max = transition.limits.storage_bytes_per_agent
    if transition.size_bytes > max(bytes_max, before.size_bytes):
        raise QuotaExceeded("storage_bytes_per_agent", bytes_max)
    had, has = (_record_counts(each, transition.now) for each in (before, transition.state))
    for kind, name in _LIMITED.items():
        maximum: int = getattr(transition.limits, name)
        if has[kind] > max(maximum, had[kind]):
            raise QuotaExceeded(name, maximum)


def _record_counts(state: AgentState, now: int) -> Counter[RecordKind]:
    counts: Counter[RecordKind] = Counter()
    for part in PARTS:
        counts.update(part.statistics(state.part(part), now).record_counts)
    return counts


_LIMITED = {
    RecordKind.ENTRY: "entries_per_agent",
    RecordKind.SCOPE: "scopes_per_agent",
    RecordKind.FRAGMENT: "fragments_per_agent",
    RecordKind.MEMORY: "memories_per_agent",
    RecordKind.MEMORY_PROPOSAL: "memory_proposals_per_agent",
    RecordKind.NOTE: "notes_per_agent",
    RecordKind.PLAN: "plans_per_agent",
    RecordKind.CONVERSATION: "conversations_per_agent",
    RecordKind.MESSAGE: "messages_per_agent",
    RecordKind.ENTITY_WINDOW: "entity_windows_per_agent",
    RecordKind.DOCUMENT: "documents_per_agent",
}
"""The limit of the number of records of a kind."""
