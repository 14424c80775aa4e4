"""The commands of one agent that are decided and committed together."""

import asyncio

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.record import encode
from memoryd_server.domain.agent.result import AgentCleared, EntryReserved, FragmentsLeased, MessagesCompacted, Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import ChangeKey, Changes
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.limit import Limits
from memoryd_server.engine.agents.journal import RememberedRequest, encode_row, record_changes
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.ports.store import AgentHead, Commit, CommitPoint, Record, RecordKey


class Pending(msgspec.Struct, frozen=True):
    """A command that waits for its answer."""

    command: Command
    origin: str
    request: RequestKey | None
    answer: asyncio.Future[Result]


class Batch:
    """The commands that are decided and committed together, and what becomes of them.

    ``answers_again`` is whether one of them is answered as it was before, by its request id.
    """

    __slots__ = (
        "answers_again",
        "base",
        "changes",
        "drops_records",
        "events",
        "journal_bytes",
        "outcomes",
        "requests",
        "state",
    )

    def __init__(self, state: AgentState) -> None:
        self.base = state
        self.state = state
        self.changes: Changes = {}
        self.events: list[Event] = []
        self.requests: dict[str, RememberedRequest] = {}
        self.outcomes: list[tuple[Pending, Result | Refusal]] = []
        self.answers_again = False
        self.drops_records = False
        self.journal_bytes = 0

    def decide(self, pending: Pending, now: int, limits: Limits, window: RequestWindow) -> None:
        """Decide one command on what the earlier ones of the batch left."""
        if pending.answer.done():
            return
        outcome: Result | Refusal
        try:
            outcome = self._remembered(pending.request, window, now) or self._decided(pending, now, limits)
        except Refusal as refusal:
            outcome = refusal
        self.outcomes.append((pending, outcome))

    def commit(self) -> Commit:
        """The unit that a store is to keep which this daemon has for itself."""
        data = self._encoded()
        journal = None
        if self.tells:
            journal = encode_row(tuple(self.events), tuple(self.requests.values()))
            self.journal_bytes = len(journal)
        return Commit(self._head(), self.base.revision, _puts(data), self._deletes(), journal, self.drops_records)

    def shared_commit(self, expected_point: CommitPoint, nonce: int) -> Commit:
        """The unit that a shared store is to keep: other daemons are told what changed."""
        data, events = self._encoded(), tuple(self.events)
        journal = encode_row(
            events,
            tuple(self.requests.values()),
            record_changes(self.changes, data, events),
            drops_records=self.drops_records,
            ends=not self.state.exists,
            next_deadline=self.state.next_deadline,
        )
        self.journal_bytes = len(journal)
        return Commit(
            self._head(),
            self.base.revision,
            _puts(data),
            self._deletes(),
            journal,
            self.drops_records,
            expected_point,
            nonce,
        )

    @property
    def tells(self) -> bool:
        """Whether there is something that watchers are told."""
        return self.state.revision != self.base.revision

    def _head(self) -> AgentHead:
        state = self.state
        ended = not state.exists
        return AgentHead(
            state.agent_id,
            state.revision,
            self.base.create_time if ended else state.create_time,
            self.events[-1].time if ended else state.update_time,
            state.record_count,
            state.next_deadline,
            ended,
        )

    def _encoded(self) -> dict[ChangeKey, bytes]:
        return {change: encode(value) for change, value in self.changes.items() if value is not None}

    def _deletes(self) -> tuple[RecordKey, ...]:
        return tuple(RecordKey(change.kind, change.key) for change, value in self.changes.items() if value is None)

    def answer(self) -> None:
        """Answer all commands with what was decided."""
        for pending, outcome in self.outcomes:
            answer = pending.answer
            if answer.done():
                continue
            if isinstance(outcome, Refusal):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)

    def _remembered(self, request: RequestKey | None, window: RequestWindow, now: int) -> Result | None:
        if request is None:
            return None
        earlier = self.requests.get(request.request_id)
        if earlier is not None:
            return RequestWindow([earlier]).find(request, now)
        remembered = window.find(request, now)
        self.answers_again = self.answers_again or remembered is not None
        return remembered

    def _decided(self, pending: Pending, now: int, limits: Limits) -> Result:
        decision = decide(self.state, pending.command, now, limits, pending.origin)
        if decision.ends:
            self.changes = {}
            self.drops_records = True
        else:
            self.changes.update(decision.changes)
        self.state = decision.state
        self.events.extend(decision.events)
        if pending.request is not None and not _waits(decision.result):
            request = RememberedRequest(pending.request.request_id, pending.request.fingerprint, now, decision.result)
            self.requests[request.request_id] = request
        return decision.result


def _puts(data: dict[ChangeKey, bytes]) -> tuple[Record, ...]:
    return tuple(Record(change.kind, change.key, each) for change, each in data.items())


def _waits(result: Result) -> bool:
    """Whether the caller is to wait and to ask again, so that this is not its answer yet."""
    if isinstance(result, EntryReserved):
        return result.held_by_other
    if isinstance(result, AgentCleared):
        return result.awaits_purges
    if isinstance(result, MessagesCompacted):
        return result.overtaken
    return isinstance(result, FragmentsLeased) and result.lease is None
