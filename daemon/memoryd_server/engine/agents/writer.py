"""The writer of one agent: decide, commit, apply, publish.

The writer takes the queued commands as one batch and decides them in turn on a tentative state. It commits the changes
and events of the batch to the store as one unit. Only then does it replace the state, publish the events and complete
the commands. If the commit fails, the tentative state is dropped: no reader or watcher ever sees a part of it.
"""

import asyncio
import enum
import logging
import time
from collections import deque
from collections.abc import Callable
from functools import partial

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import HistoryLost, Overloaded, Refusal, StorageFull, StoreUnavailable
from memoryd_server.domain.kinds import PART_OF_RECORD
from memoryd_server.domain.lifecycle.replay import Replayed, replay
from memoryd_server.engine.agents.access import AccessCounts
from memoryd_server.engine.agents.batch import Batch, Pending
from memoryd_server.engine.agents.clock import Clock, new_nonce
from memoryd_server.engine.agents.journal import Published, decode_row
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.limit import (
    CHANGES_ENCODED_AT_ONCE_MAX,
    CONFLICTS_IN_A_ROW_MAX,
    WRITE_BATCH_COMMANDS_MAX,
)
from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.store import Commit, CommitPoint, JournalRow, RevisionConflict, Store
from memoryd_server.ports.tracing import current_span

log = logging.getLogger("memoryd.writer")


class _CommitOutcome(enum.Enum):
    """The outcome of a batch that met a conflict.

    ``UNCERTAIN``: the store may have committed it, followed by other daemons' commits; catching up decides it.
    ``UNKNOWN``: it stays undecided, since the commits in between could not be read.
    """

    NOT_COMMITTED = enum.auto()
    UNCERTAIN = enum.auto()
    COMMITTED = enum.auto()
    UNKNOWN = enum.auto()


class Stored(msgspec.Struct, frozen=True):
    """An agent as loaded from the store: its state, its window of recent requests, and the point of its last commit."""

    state: AgentState
    window: RequestWindow
    point: CommitPoint


class AgentWriter:
    """Holds one agent's committed ``state``; nothing else in the process changes it.

    ``on_change`` is called with the states before and after a commit, the changed records (None: any record may have
    changed), and True if this writer made the commit. ``on_failure`` is called when the state can no longer be
    trusted: the agent must be loaded again. ``on_conflict`` is called when another daemon committed first: the callee
    must bring the state up to date and call ``go_on``, or call ``fail``. Until then the batch stays pending.
    """

    def __init__(
        self,
        stored: Stored,
        *,
        store: Store,
        clock: Clock,
        tiers: Tiers,
        telemetry: EngineTelemetry,
        publish: Callable[[Published], None],
        on_change: Callable[[AgentState, AgentState, Changes | None, bool], None],
        on_failure: Callable[["AgentWriter"], None],
        on_conflict: Callable[["AgentWriter"], None],
    ) -> None:
        self.state = stored.state
        self.point = stored.point
        self.accesses = AccessCounts()
        self.doubts = 0
        self._doubts_settled = 0
        self._doubts_asked = 0
        self._window = stored.window
        self._store = store
        self._sharing = store.sharing
        self._clock = clock
        self._tiers = tiers
        self._telemetry = telemetry
        self._commit_started = 0.0
        self._publish = publish
        self._on_change = on_change
        self._on_failure = on_failure
        self._on_conflict = on_conflict
        self._queue: deque[Pending] = deque()
        self._batch: Batch | None = None
        self._asked: asyncio.Future[int] | asyncio.Future[bool] | None = None
        self._nonce = 0
        self._outcome = _CommitOutcome.NOT_COMMITTED
        self._conflicts = 0
        self._scheduled = False
        self._waiters: dict[tuple[str, str], set[asyncio.Future[None]]] = {}
        self._loop = asyncio.get_running_loop()
        self._shard = store.shard_of(stored.state.agent_id)

    @property
    def is_behind(self) -> bool:
        """True if the state may lack a commit of another daemon."""
        return self.doubts > self._doubts_settled

    def doubt(self) -> None:
        """Note that another daemon may have committed. Those who wait for a change are woken to check the store."""
        self.doubts += 1
        self.wake_waiters()

    def trust(self, doubts: int) -> None:
        """Settle the first ``doubts`` doubts: the state has all that was committed when they were counted.

        Callers count before they ask the store. A doubt that arises while the store answers is thus not settled.
        """
        self._doubts_settled = max(self._doubts_settled, doubts)

    @property
    def waiting(self) -> int:
        """The number of commands that wait to be decided."""
        return len(self._queue)

    @property
    def idle(self) -> bool:
        """True if no command is pending and no caller waits for a change. Only then may the agent be evicted."""
        return self._batch is None and not self._queue and not self._waiters

    def submit(self, command: Command[R], write: Write = UNCONDITIONAL) -> asyncio.Future[R]:
        """Queue a command. Return a future of its result, set once the change is committed, or of its Refusal.

        Cancelling the future before the command is decided withdraws the command. If the queue is full, the future
        fails with Overloaded: this is the backpressure on writers of one agent.
        """
        answer: asyncio.Future[R] = self._loop.create_future()
        if len(self._queue) >= self._tiers.limits.queued_commands_per_agent:
            answer.set_exception(Overloaded("queued_commands_per_agent", self._tiers.limits.queued_commands_per_agent))
            return answer
        self._queue.append(Pending(command, write, answer))
        self._schedule()
        span = current_span()
        if span is not None:
            committing = span.begin("commit")
            answer.add_done_callback(lambda _: committing.end())
        return answer

    def remembered(self, request: RequestKey) -> Result | None:
        """Return the first result of a request, or None if it is new. Raises RequestIdReused for another body."""
        return self._window.find(request, self._clock())

    def rewrite_remembered(self, change: Callable[[Result], Result]) -> None:
        """Replace the remembered result of each request by what ``change`` returns for it."""
        self._window.rewrite(change)

    async def wait_for(self, part_name: str, timeout_s: float, key: str = "") -> None:
        """Wait until a commit changes a part of the agent, at most ``timeout_s`` seconds.

        With ``key``, wait for a change of a record of the part whose key is ``key`` after its first slash. The wait may
        end without such a change; the caller checks its condition again.
        """
        name = (part_name, key)
        waiter: asyncio.Future[None] = self._loop.create_future()
        waiters = self._waiters.setdefault(name, set())
        waiters.add(waiter)
        timer = self._loop.call_later(timeout_s, _wake, waiter)
        try:
            await waiter
        finally:
            timer.cancel()
            waiters.discard(waiter)
            if not waiters and self._waiters.get(name) is waiters:
                del self._waiters[name]

    def wake_waiters(self) -> None:
        """Wake all callers of ``wait_for``, so that they check their condition again."""
        for waiters in self._waiters.values():
            for waiter in waiters:
                _wake(waiter)

    def _schedule(self) -> None:
        if not self._scheduled and self._batch is None and self._queue:
            self._scheduled = True
            # Not at once: all commands that are submitted in this turn of the event loop share one commit.
            self._loop.call_soon(self._begin_batch)

    def _begin_batch(self) -> None:
        self._scheduled = False
        batch = Batch(self.state)
        now = self._clock()
        while self._queue and len(batch.outcomes) < WRITE_BATCH_COMMANDS_MAX:
            pending = self._queue.popleft()
            try:
                batch.decide(pending, now, self._tiers, self._window)
            except Exception as defect:  # noqa: BLE001 - a defect in one decision must not fail the rest of the batch
                pending.answer.set_exception(defect)
        if batch.state is self.state:
            self._confirm(batch)
            return
        self._batch = batch
        self._commit_started = time.perf_counter()
        # Count before the store is asked: success shows that the state was current then, not that it still is.
        self._doubts_asked = self.doubts
        encode: Callable[[], Commit] = batch.commit
        if self._sharing is not None:
            self._nonce = new_nonce()
            encode = partial(batch.shared_commit, self.point, self._nonce)
        committed: asyncio.Future[int]
        try:
            if len(batch.changes) > CHANGES_ENCODED_AT_ONCE_MAX:
                committed = self._loop.create_task(self._commit_in_next_turn(encode))
            else:
                committed = self._store.commit(encode())
        except Exception as failure:  # noqa: BLE001 - the callers of the batch must get any failure
            committed = self._loop.create_future()
            committed.set_exception(failure)
        self._asked = committed
        committed.add_done_callback(self._end_batch)

    async def _commit_in_next_turn(self, encode: Callable[[], Commit]) -> int:
        """Commit a large batch once the loop has served others: to encode it takes as long as it took to decide it."""
        await asyncio.sleep(0)
        return await self._store.commit(encode())

    def _confirm(self, batch: Batch) -> None:
        """Complete a batch that changes nothing, once the store confirms that it was decided on the current state.

        A refusal or an unchanged result depends on the state, too. Decided on a stale one, it would contradict a commit
        that another daemon has already acknowledged.
        """
        if self._sharing is None:
            self._end_unchanged(batch)
            return
        self._batch = batch
        self._doubts_asked = self.doubts
        self._asked = changed = self._sharing.changed(self.state.agent_id, self.point, settle=batch.answers_again)
        changed.add_done_callback(self._end_confirmation)

    def _end_confirmation(self, changed: asyncio.Future[bool]) -> None:
        batch = self._batch
        assert batch is not None
        self._asked = None
        failure = changed.exception()
        if failure is not None:
            self.fail(failure)
        elif changed.result():
            self._meet_conflict(_CommitOutcome.NOT_COMMITTED)
        else:
            self._batch = None
            self._conflicts = 0
            self.trust(self._doubts_asked)
            self._end_unchanged(batch)

    def _end_unchanged(self, batch: Batch) -> None:
        self._remember(batch)
        batch.answer()
        self._schedule()

    def _end_batch(self, committed: asyncio.Future[int]) -> None:
        batch = self._batch
        assert batch is not None
        self._asked = None
        failure = committed.exception()
        if isinstance(failure, RevisionConflict) and self._sharing is not None:
            self._meet_conflict(_CommitOutcome.NOT_COMMITTED if failure.is_certain else _CommitOutcome.UNCERTAIN)
            return
        if failure is None and self.state is not batch.base:
            # Catching up has applied other daemons' commits since this batch was decided. The store must then refuse
            # it, since it expects an older point. A store that accepts it has lost those commits.
            failure = HistoryLost(self.state.agent_id)
        if failure is not None:
            self.fail(failure)
            return
        self._batch = None
        self._telemetry.commit_duration.observe(time.perf_counter() - self._commit_started)
        self._telemetry.journal_written.value += batch.journal_bytes
        if self._sharing is not None:
            self._conflicts = 0
            self.trust(self._doubts_asked)
        # The order: replace the state and remember the requests, then notify, then complete the commands. A caller that
        # has its result finds its change in every read, and its request on a retry. Nothing here awaits, so that no
        # reader runs between the steps.
        before, self.state = self.state, batch.state
        position = committed.result()
        self.point = CommitPoint(position, self._nonce)
        if batch.requests:
            self._remember(batch)
        # A row without an event moves the hub's point on, too: in a shared store, when it is read from there.
        if batch.state.revision != before.revision or (self._sharing is None and batch.is_journaled):
            self._publish(
                Published(
                    position,
                    batch.state.agent_id,
                    before.revision,
                    batch.state.revision,
                    tuple(batch.events),
                    batch.journal_bytes,
                    self._shard,
                    self._nonce,
                )
            )
        self._note_change(before, batch.changes, drops_records=batch.drops_records, is_own=True)
        batch.answer()
        if self._queue:
            self._schedule()

    def _note_change(self, before: AgentState, changes: Changes, *, drops_records: bool, is_own: bool) -> None:
        if drops_records:
            self.accesses.forget_all()
        elif self.accesses.counts:
            self.accesses.forget_replaced(changes)
        self._on_change(before, self.state, None if drops_records else changes, is_own)
        if drops_records:
            self.wake_waiters()
        elif self._waiters:
            self._wake_waiters_of(changes)

    def _remember(self, batch: Batch) -> None:
        for request in batch.requests.values():
            self._window.remember(request)

    def _meet_conflict(self, outcome: _CommitOutcome) -> None:
        self._outcome = outcome
        self._on_conflict(self)

    def go_on(self) -> None:
        """Resolve a conflict once the state is up to date: decide the batch again, unless it was in fact committed."""
        batch = self._batch
        assert batch is not None
        self._conflicts += 1
        if self._outcome is _CommitOutcome.UNKNOWN or self._conflicts > CONFLICTS_IN_A_ROW_MAX:
            # After UNKNOWN, deciding again could apply the commands twice, and a result could claim a change that is
            # not there. After too many conflicts, the callers get an error instead of waiting without end.
            self.fail(StoreUnavailable())
            return
        self._batch = None
        if self._outcome is _CommitOutcome.COMMITTED:
            # ``advance`` has applied the batch's own row: only its callers still wait.
            self._end_unchanged(batch)
            return
        # To the front of the queue, in the same order: later commands must not overtake these.
        self._queue.extendleft(pending for pending, _ in reversed(batch.outcomes))
        self._schedule()

    def fail(self, failure: BaseException) -> None:
        """Fail the pending batch and, unless storage is full, all queued commands.

        A Refusal reaches the callers as it is; any other failure is logged, and becomes StoreUnavailable. After any
        failure but StorageFull, the store may have kept the commit.
        """
        batch, self._batch = self._batch, None
        assert batch is not None
        self._conflicts = 0
        # Before the lines below make any other failure a StoreUnavailable, too.
        is_away = isinstance(failure, StoreUnavailable)
        if not isinstance(failure, Refusal):
            log.error("commit failed", extra={"agent_id": self.state.agent_id}, exc_info=failure)
            failure = StoreUnavailable()
        for pending, _ in batch.outcomes:
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        if isinstance(failure, StorageFull):
            # Nothing was written, so the state is still valid. Go on with the queue: a deletion in it can free space.
            self._schedule()
            return
        while self._queue:
            pending = self._queue.popleft()
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        if is_away and self._sharing is not None:
            # Keep the state, although it may lack commits. Its point is the evidence by which catching up detects that
            # the store came back with less than it had acknowledged; loading again would hide that loss.
            self.doubt()
            return
        # The commit may or may not be in the store. Only the store can say: drop the state, and load it on next use.
        log.warning("agent is loaded again", extra={"agent_id": self.state.agent_id})
        self._on_failure(self)
        self.wake_waiters()

    async def answered(self) -> None:
        """Wait until the pending call to the store, if any, has ended and its result is applied."""
        if self._asked is not None:
            await asyncio.wait((self._asked,))

    def receive(self, row: JournalRow) -> None:
        """Handle a row of this agent's journal: apply it if it follows the state, else note a doubt."""
        # Already applied, or the row of the commit that is pending: its result arrives soon, and is applied then.
        if row.position <= self.point.position or (self._asked is not None and row.nonce == self._nonce):
            return
        # Not while a batch is pending: it was decided on this state, and is applied to this state if it succeeds.
        if self._batch is None and row.base_point == self.point:
            try:
                self.advance(row)
            except Exception:
                # No caller waits for this row. The doubt makes the next read catch up, and that read gets the error.
                log.exception("commit of another daemon cannot be read", extra={"agent_id": row.agent_id})
            else:
                return
        self.doubt()

    def advance(self, row: JournalRow) -> None:
        """Apply the next commit of the journal: another daemon's, or this writer's own whose result was lost.

        Raises SchemaTooNew or DataDamaged, and then leaves the state as it was.
        """
        # The nonce identifies the commit: equal changes of another daemon must not pass for this writer's.
        is_own = row.nonce == self._nonce and self._outcome is _CommitOutcome.UNCERTAIN
        if is_own:
            self._outcome = _CommitOutcome.COMMITTED
        data = decode_row(row)
        changes = dict(data.changed_records())
        commit = Replayed(row.revision, row.commit_time, changes, data.drops_records, data.ends, data.next_deadline)
        before, self.state = self.state, replay(self.state, commit)
        self.point = row.point
        for request in data.requests:
            self._window.remember(request)
        self._note_change(before, changes, drops_records=data.drops_records, is_own=is_own)

    def replace(self, stored: Stored) -> None:
        """Replace the state by the one that was loaded from the store. Any record may have changed."""
        # The rows in between were not read, and so neither was the row that would show this writer's commit.
        if self._outcome is _CommitOutcome.UNCERTAIN:
            self._outcome = _CommitOutcome.UNKNOWN
        before, self.state = self.state, stored.state
        self.point, self._window = stored.point, stored.window
        self._on_change(before, self.state, None, False)
        self.wake_waiters()

    def _wake_waiters_of(self, changes: Changes) -> None:
        names: set[tuple[str, str]] = set()
        for change in changes:
            part_name = PART_OF_RECORD[change.kind].name
            names.update(((part_name, ""), (part_name, change.key.partition("/")[2])))
        for name in names:
            for waiter in self._waiters.get(name, ()):
                _wake(waiter)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
