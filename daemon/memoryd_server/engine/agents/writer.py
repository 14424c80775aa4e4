"""The writer of one agent: decide, commit, apply, publish.

Waiting commands are taken as one batch and decided in turn on a tentative state. The changes and events of the batch
are committed to the store as one unit; only then the state is swapped, the events are published and the commands are
answered. When the commit fails, the tentative state is dropped: nothing half-done is ever seen.
"""

import asyncio
import enum
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import HistoryLost, LimitExceeded, Refusal, StorageFull, StoreUnavailable
from memoryd_server.domain.kinds import PART_OF_RECORD
from memoryd_server.domain.lifecycle.replay import Replayed, replay
from memoryd_server.domain.limit import CONFLICTS_IN_A_ROW_MAX, WRITE_BATCH_COMMANDS_MAX, Limits
from memoryd_server.engine.agents.access import AccessCounts
from memoryd_server.engine.agents.batch import Batch, Pending
from memoryd_server.engine.agents.clock import Clock, new_nonce
from memoryd_server.engine.agents.journal import Published, decode_row
from memoryd_server.engine.agents.request_window import RequestKey, RequestWindow
from memoryd_server.ports.store import Commit, CommitPoint, JournalRow, RevisionConflict, Store

log = logging.getLogger("memoryd.writer")


class _Fate(enum.Enum):
    """What became of a batch that met a conflict.

    ``UNCERTAIN`` until the state has caught up: it may have been committed, with others after it. ``UNKNOWN`` when the
    commits in between could not be read.
    """

    NOT_COMMITTED = enum.auto()
    UNCERTAIN = enum.auto()
    COMMITTED = enum.auto()
    UNKNOWN = enum.auto()


class Stored(msgspec.Struct, frozen=True):
    """An agent as the store has it: its state, the requests that it remembers, and the point of its last commit."""

    state: AgentState
    window: RequestWindow
    point: CommitPoint


class AgentWriter:
    """Holds one agent's committed ``state``, and is the only one who changes it.

    ``on_change`` is told the states before and after a commit, the records that changed, None when that is not known,
    and whether the commit was its own; ``on_failure`` that the state can no longer be trusted;
    ``on_conflict`` that another daemon was faster: ``go_on`` must follow once the state has caught up, or ``fail``.
    """

    def __init__(
        self,
        stored: Stored,
        *,
        store: Store,
        clock: Clock,
        limits: Limits,
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
        self._limits = limits
        self._publish = publish
        self._on_change = on_change
        self._on_failure = on_failure
        self._on_conflict = on_conflict
        self._queue: deque[Pending] = deque()
        self._batch: Batch | None = None
        self._asked: asyncio.Future[int] | asyncio.Future[bool] | None = None
        self._nonce = 0
        self._fate = _Fate.NOT_COMMITTED
        self._conflicts = 0
        self._scheduled = False
        self._waiters: dict[tuple[str, str], set[asyncio.Future[None]]] = {}
        self._loop = asyncio.get_running_loop()
        self._shard = store.shard_of(stored.state.agent_id)

    @property
    def is_behind(self) -> bool:
        """Whether there is reason to doubt that the state has what other daemons committed."""
        return self.doubts > self._doubts_settled

    def doubt(self) -> None:
        """Note that another daemon may have committed."""
        self.doubts += 1
        self.wake_waiters()

    def trust(self, doubts: int) -> None:
        """Note that the state has all that was committed when there were so many ``doubts``."""
        self._doubts_settled = max(self._doubts_settled, doubts)

    @property
    def idle(self) -> bool:
        """Whether nobody waits for anything here, so that the agent may leave the cache."""
        return self._batch is None and not self._queue and not self._waiters

    def submit(self, command: Command[R], origin: str = "", request: RequestKey | None = None) -> asyncio.Future[R]:
        """Queue a command; the future is its result once it is committed, or the Refusal.

        A future that is cancelled before its command is decided takes the command back. LimitExceeded when too many
        wait.
        """
        answer: asyncio.Future[R] = self._loop.create_future()
        if len(self._queue) >= self._limits.queued_commands_per_agent:
            answer.set_exception(LimitExceeded("queued_commands_per_agent", self._limits.queued_commands_per_agent))
            return answer
        self._queue.append(Pending(command, origin, request, answer))
        self._schedule()
        return answer

    def remembered(self, request: RequestKey) -> Result | None:
        """The result of a request that was carried out. Raises RequestIdReused for another body."""
        return self._window.find(request, self._clock())

    async def wait_for(self, part_name: str, timeout_s: float, key: str = "") -> None:
        """Wait until a commit changes a part, or a record of it with this last piece of its key; or for the timeout."""
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
        """Let everybody who waits look again."""
        for waiters in self._waiters.values():
            for waiter in waiters:
                _wake(waiter)

    def _schedule(self) -> None:
        if not self._scheduled and self._batch is None and self._queue:
            self._scheduled = True
            self._loop.call_soon(self._begin_batch)

    def _begin_batch(self) -> None:
        self._scheduled = False
        batch = Batch(self.state)
        now = self._clock()
        while self._queue and len(batch.outcomes) < WRITE_BATCH_COMMANDS_MAX:
            pending = self._queue.popleft()
            try:
                batch.decide(pending, now, self._limits, self._window)
            except Exception as defect:  # noqa: BLE001 - a defect in one decision must not take its neighbours along
                pending.answer.set_exception(defect)
        if batch.state is self.state:
            self._confirm(batch)
            return
        self._batch = batch
        self._doubts_asked = self.doubts
        try:
            commit = batch.commit() if self._sharing is None else self._shared_commit_of(batch)
            committed = self._store.commit(commit)
        except Exception as failure:  # noqa: BLE001 - whoever waits for the batch is told, whatever it is
            committed = self._loop.create_future()
            committed.set_exception(failure)
        self._asked = committed
        committed.add_done_callback(self._end_batch)

    def _shared_commit_of(self, batch: Batch) -> Commit:
        self._nonce = new_nonce()
        return batch.shared_commit(self.point, self._nonce)

    def _confirm(self, batch: Batch) -> None:
        """Answer what changes nothing, once it is known that it was decided on the current state."""
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
            self._meet_conflict(_Fate.NOT_COMMITTED)
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
            self._meet_conflict(_Fate.NOT_COMMITTED if failure.is_certain else _Fate.UNCERTAIN)
            return
        if failure is None and self.state is not batch.base:
            # It expected what others were known to have changed before it was sent: the store has gone back since.
            failure = HistoryLost(self.state.agent_id)
        if failure is not None:
            self.fail(failure)
            return
        self._batch = None
        if self._sharing is not None:
            self._conflicts = 0
            self.trust(self._doubts_asked)
        before, self.state = self.state, batch.state
        position = committed.result()
        self.point = CommitPoint(position, self._nonce)
        if batch.requests:
            self._remember(batch)
        if batch.state.revision != before.revision:
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

    def _meet_conflict(self, fate: _Fate) -> None:
        self._fate = fate
        self._on_conflict(self)

    def go_on(self) -> None:
        """End a conflict once the state has caught up: decide the batch again, unless it was committed after all."""
        batch = self._batch
        assert batch is not None
        self._conflicts += 1
        if self._fate is _Fate.UNKNOWN or self._conflicts > CONFLICTS_IN_A_ROW_MAX:
            self.fail(StoreUnavailable())
            return
        self._batch = None
        if self._fate is _Fate.COMMITTED:
            self._end_unchanged(batch)
            return
        self._queue.extendleft(pending for pending, _ in reversed(batch.outcomes))
        self._schedule()

    def fail(self, failure: BaseException) -> None:
        """End the batch that waits for the store, and what waits behind it, with a failure."""
        batch, self._batch = self._batch, None
        assert batch is not None
        self._conflicts = 0
        is_away = isinstance(failure, StoreUnavailable)
        if not isinstance(failure, Refusal):
            log.error("commit failed", extra={"agent_id": self.state.agent_id}, exc_info=failure)
            failure = StoreUnavailable()
        for pending, _ in batch.outcomes:
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        if isinstance(failure, StorageFull):
            self._schedule()
            return
        while self._queue:
            pending = self._queue.popleft()
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        if is_away and self._sharing is not None:
            # What is known stays: it shows whether the store comes back as it was.
            self.doubt()
            return
        log.warning("agent is loaded again", extra={"agent_id": self.state.agent_id})
        self._on_failure(self)
        self.wake_waiters()

    async def answered(self) -> None:
        """Wait until the store has answered what it is being asked for the batch that is under way."""
        if self._asked is not None:
            await asyncio.wait((self._asked,))

    def receive(self, row: JournalRow) -> None:
        """Note that a row of this agent came by, and take it in if it is the next one."""
        if row.position <= self.point.position or (self._asked is not None and row.nonce == self._nonce):
            return
        if self._batch is None and row.base_point == self.point:
            try:
                self.advance(row)
            except Exception:
                # Whoever needs the state next is told, when it cannot be loaded either.
                log.exception("commit of another daemon cannot be read", extra={"agent_id": row.agent_id})
            else:
                return
        self.doubt()

    def advance(self, row: JournalRow) -> None:
        """Apply the commit that follows: of another daemon, or its own whose answer was lost.

        Raises SchemaTooNew, DataDamaged; then nothing changed.
        """
        is_own = row.nonce == self._nonce and self._fate is _Fate.UNCERTAIN
        if is_own:
            self._fate = _Fate.COMMITTED
        data = decode_row(row)
        changes = dict(data.changed_records())
        commit = Replayed(row.revision, row.commit_time, changes, data.drops_records, data.ends, data.next_deadline)
        before, self.state = self.state, replay(self.state, commit)
        self.point = row.point
        for request in data.requests:
            self._window.remember(request)
        self._note_change(before, changes, drops_records=data.drops_records, is_own=is_own)

    def replace(self, stored: Stored) -> None:
        """Take the agent as the store has it now."""
        if self._fate is _Fate.UNCERTAIN:
            self._fate = _Fate.UNKNOWN
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
