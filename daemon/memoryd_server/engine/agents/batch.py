"""The commands of one agent that are decided and committed together."""

import asyncio
from collections.abc import Sequence
from sys import maxsize
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.decide import decide
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.tier import CreateInTier
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.kinds import tally_of
from memoryd_server.domain.lifecycle.agent_change import RecordAccesses
from memoryd_server.domain.lifecycle.record import encode
from memoryd_server.engine.agents.journal import RememberedRequest, encode_row, record_changes
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.limit import JOURNALED_CHANGES_BYTES_MAX
from memoryd_server.ports.store import AgentHead, Commit, CommitPoint, Record, RecordKey, Tally


class Pending(msgspec.Struct, frozen=True):
    """A queued command. ``answer`` is the future that the caller awaits."""

    command: Command
    write: Write
    answer: asyncio.Future[Any]


class Batch:
    """Commands that are decided and committed together, with the outcome of each.

    ``answers_again`` is true if a command repeats an earlier request, and returns that request's remembered result.
    ``is_journaled`` is true if anything but counts of reads changed.
    """

    __slots__ = (
        "answers_again",
        "base",
        "changes",
        "drops_records",
        "events",
        "is_journaled",
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
        self.is_journaled = False
        self.journal_bytes = 0

    def decide(self, pending: Pending, now: int, tiers: Tiers, window: RequestWindow) -> None:
        """Decide one command on the state that the earlier commands of the batch produced."""
        # The caller cancelled while the command was queued: nothing of it may be committed.
        if pending.answer.done():
            return
        outcome: Result | Refusal
        try:
            remembered = None if pending.write.request is None else self._remembered(pending.write.request, window, now)
            outcome = self._decided(pending, now, tiers) if remembered is None else remembered
        except Refusal as refusal:
            outcome = refusal
        self.outcomes.append((pending, outcome))

    def commit(self) -> Commit:
        """Return the unit of writing for a store that only this daemon uses."""
        puts, deletes = self._records()
        # Counts of reads are not in the journal: a read writes as little as it can. A backup has them as of its base.
        journal = self._row(puts, JOURNALED_CHANGES_BYTES_MAX) if self.is_journaled else None
        return Commit(self._head(), self.base.revision, puts, deletes, journal, self.drops_records)

    def shared_commit(self, expected_point: CommitPoint, nonce: int) -> Commit:
        """Return the unit of writing for a shared store.

        Each has a journal row: other daemons apply the changed records to their copies of the agent.
        """
        puts, deletes = self._records()
        journal = self._row(puts)
        return Commit(
            self._head(),
            self.base.revision,
            puts,
            deletes,
            journal,
            self.drops_records,
            expected_point,
            nonce,
        )

    def _row(self, puts: Sequence[Record], changes_bytes_max: int = maxsize) -> bytes:
        events = tuple(self.events)
        changes, size_bytes = record_changes(self.changes, puts, events)
        has_changes = size_bytes <= changes_bytes_max
        journal = encode_row(
            events,
            tuple(self.requests.values()),
            changes if has_changes else (),
            drops_records=self.drops_records,
            ends=not self.state.exists,
            next_deadline=self.state.next_deadline,
            has_changes=has_changes,
        )
        self.journal_bytes = len(journal)
        return journal

    def _head(self) -> AgentHead:
        state = self.state
        ended = state.create_time == 0
        return AgentHead(
            state.agent_id,
            state.revision,
            self.base.create_time if ended else state.create_time,
            self.events[-1].time if ended else state.update_time,
            state.record_count,
            state.next_deadline,
            ended,
            Tally(*tally_of(state)),
        )

    def _records(self) -> tuple[tuple[Record, ...], tuple[RecordKey, ...]]:
        """Return the records to put, as bytes, and those to delete."""
        puts, deletes = [], []
        for change, value in self.changes.items():
            if value is None:
                deletes.append(RecordKey(change.kind, change.key))
            else:
                puts.append(Record(change.kind, change.key, encode(value)))
        return tuple(puts), tuple(deletes)

    def answer(self) -> None:
        """Complete the future of each command with its result or refusal. Cancelled futures are skipped."""
        for pending, outcome in self.outcomes:
            answer = pending.answer
            if answer.done():
                continue
            if isinstance(outcome, Refusal):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)

    def _remembered(self, request: RequestKey, window: RequestWindow, now: int) -> Result | None:
        earlier = self.requests.get(request.request_id)
        # A repetition within the batch: its result is committed together with the first one, so nothing must settle.
        if earlier is not None:
            return RequestWindow([earlier]).find(request, now)
        remembered = window.find(request, now)
        self.answers_again = self.answers_again or remembered is not None
        return remembered

    def _decided(self, pending: Pending, now: int, tiers: Tiers) -> Result:
        write, command, limits = pending.write, pending.command, tiers.limits
        if tiers.is_enforced:
            tier = tiers.of(self.state, write.new_tier)
            if tier is not None:
                tier.require(write.features)
                limits = tier.limits
            if write.new_tier and not self.state.exists:
                command = CreateInTier(command, write.new_tier)
        decision = decide(self.state, command, now, limits, write.author, write.precondition)
        if (decision.changes or decision.events) and not isinstance(pending.command, RecordAccesses):
            self.is_journaled = True
        if decision.ends:
            # The agent's stored records are dropped before the later puts: a later command may create the agent again.
            self.changes = {}
            self.drops_records = True
        else:
            self.changes.update(decision.changes)
        self.state = decision.state
        self.events.extend(decision.events)
        if write.request is not None and not decision.result.is_provisional:
            result = decision.result.remembered
            request = RememberedRequest(write.request.request_id, write.request.fingerprint, now, result)
            self.requests[request.request_id] = request
        return decision.result
