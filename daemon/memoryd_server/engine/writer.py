"""The writer of one agent: decide, commit, apply, publish.

Waiting commands are taken as one batch and decided in turn on a tentative state. The changes and events of the batch
are committed to the store as one unit; only then the state is swapped, the events are published and the commands are
answered. When the commit fails, the tentative state is dropped: nothing half-done is ever seen.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import msgspec

from memoryd_server.domain.command import Command
from memoryd_server.domain.decide import decide
from memoryd_server.domain.error import LimitExceeded, Refusal, StorageFull, StoreUnavailable
from memoryd_server.domain.event import Event
from memoryd_server.domain.limit import WRITE_BATCH_COMMANDS_MAX, Limits
from memoryd_server.domain.record import encode
from memoryd_server.domain.result import EntryReserved, FragmentsLeased, Result
from memoryd_server.domain.state import AgentState
from memoryd_server.domain.transition import ChangeKey, Changes
from memoryd_server.engine.access import AccessCounts
from memoryd_server.engine.clock import Clock
from memoryd_server.engine.journal import Published, RememberedRequest, encode_row
from memoryd_server.engine.request_window import RequestKey, RequestWindow
from memoryd_server.ports.store import AgentHead, Commit, Record, RecordKey, Store

log = logging.getLogger("memoryd.writer")

FRAGMENTS = "fragments"
"""What callers wait for who need a fragment to hand out."""


class Pending(msgspec.Struct, frozen=True):
    """A command that waits for its answer."""

    command: Command
    origin: str
    request: RequestKey | None
    answer: asyncio.Future[Result]


class Batch:
    """The commands that are decided and committed together, and what becomes of them."""

    __slots__ = ("base", "changes", "drops_records", "events", "journal", "outcomes", "requests", "state")

    def __init__(self, state: AgentState) -> None:
        self.base = state
        self.state = state
        self.changes: Changes = {}
        self.events: list[Event] = []
        self.requests: dict[str, RememberedRequest] = {}
        self.outcomes: list[tuple[asyncio.Future[Result], Result | Refusal]] = []
        self.drops_records = False
        self.journal: bytes | None = None

    def decide(self, pending: Pending, now: int, limits: Limits, window: RequestWindow) -> None:
        """Decide one command on what the earlier ones of the batch left."""
        if pending.answer.done():
            return
        outcome: Result | Refusal
        try:
            outcome = self._remembered(pending.request, window, now) or self._decided(pending, now, limits)
        except Refusal as refusal:
            outcome = refusal
        self.outcomes.append((pending.answer, outcome))

    def commit(self) -> Commit:
        """The unit that the store is to keep."""
        state = self.state
        ended = not state.exists
        head = AgentHead(
            state.agent_id,
            state.revision,
            self.base.create_time if ended else state.create_time,
            self.events[-1].time if ended else state.update_time,
            state.record_count,
            state.next_deadline,
            ended,
        )
        puts, deletes = [], []
        for change, value in self.changes.items():
            if value is None:
                deletes.append(RecordKey(change.kind, change.key))
            else:
                puts.append(Record(change.kind, change.key, encode(value)))
        if state.revision != self.base.revision:
            self.journal = encode_row(tuple(self.events), tuple(self.requests.values()))
        return Commit(head, self.base.revision, tuple(puts), tuple(deletes), self.journal, self.drops_records)

    def answer(self) -> None:
        """Answer all commands with what was decided."""
        for answer, outcome in self.outcomes:
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
        return window.find(request, now)

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
            request = RememberedRequest(*_fields(pending.request), now, decision.result)
            self.requests[request.request_id] = request
        return decision.result


class AgentWriter:
    """Holds one agent's committed ``state``, and is the only one who changes it.

    ``on_change`` is told the states before and after a commit; ``on_failure`` that the state can no longer be trusted.
    """

    def __init__(
        self,
        state: AgentState,
        window: RequestWindow,
        *,
        store: Store,
        clock: Clock,
        limits: Limits,
        publish: Callable[[Published], None],
        on_change: Callable[[AgentState, AgentState], None],
        on_failure: Callable[["AgentWriter"], None],
    ) -> None:
        self.state = state
        self.accesses = AccessCounts()
        self._window = window
        self._store = store
        self._clock = clock
        self._limits = limits
        self._publish = publish
        self._on_change = on_change
        self._on_failure = on_failure
        self._queue: deque[Pending] = deque()
        self._batch: Batch | None = None
        self._scheduled = False
        self._waiters: dict[str, set[asyncio.Future[None]]] = {}
        self._loop = asyncio.get_running_loop()

    @property
    def idle(self) -> bool:
        """Whether nobody waits for anything here, so that the agent may leave the cache."""
        return self._batch is None and not self._queue and not self._waiters

    def submit(self, command: Command, origin: str = "", request: RequestKey | None = None) -> asyncio.Future[Result]:
        """Queue a command; the future is its result once it is committed, or the Refusal.

        A future that is cancelled before its command is decided takes the command back. LimitExceeded when too many
        wait.
        """
        answer: asyncio.Future[Result] = self._loop.create_future()
        if len(self._queue) >= self._limits.queued_commands_per_agent:
            answer.set_exception(LimitExceeded("queued_commands_per_agent", self._limits.queued_commands_per_agent))
            return answer
        self._queue.append(Pending(command, origin, request, answer))
        self._schedule()
        return answer

    async def wait_for(self, name: str, timeout_s: float) -> None:
        """Wait until a commit touched what this names, at most so long: a ``key_name``, or FRAGMENTS."""
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
            self._remember(batch)
            batch.answer()
            self._schedule()
            return
        self._batch = batch
        try:
            committed = self._store.commit(batch.commit())
        except Exception as failure:  # noqa: BLE001 - whoever waits for the batch is told, whatever it is
            committed = self._loop.create_future()
            committed.set_exception(failure)
        committed.add_done_callback(self._end_batch)

    def _end_batch(self, committed: asyncio.Future[int]) -> None:
        batch = self._batch
        assert batch is not None
        self._batch = None
        failure = committed.exception()
        if failure is not None:
            self._fail(batch, failure)
            return
        before, self.state = self.state, batch.state
        self._remember(batch)
        if batch.drops_records:
            self.accesses.forget_all()
        elif self.accesses:
            self.accesses.forget_replaced(batch.changes)
        if batch.journal is not None:
            self._publish(
                Published(
                    committed.result(),
                    batch.state.agent_id,
                    before.revision,
                    batch.state.revision,
                    tuple(batch.events),
                    len(batch.journal),
                )
            )
        self._on_change(before, batch.state)
        batch.answer()
        if batch.drops_records:
            self.wake_waiters()
        else:
            self._wake_waiters_of(batch.changes)
        self._schedule()

    def _remember(self, batch: Batch) -> None:
        for request in batch.requests.values():
            self._window.remember(request)

    def _fail(self, batch: Batch, failure: BaseException) -> None:
        if not isinstance(failure, Refusal):
            log.error("commit failed", extra={"agent_id": self.state.agent_id}, exc_info=failure)
            failure = StoreUnavailable()
        for answer, _ in batch.outcomes:
            if not answer.done():
                answer.set_exception(failure)
        if isinstance(failure, StorageFull):
            self._schedule()
            return
        while self._queue:
            pending = self._queue.popleft()
            if not pending.answer.done():
                pending.answer.set_exception(failure)
        log.warning("agent is loaded again", extra={"agent_id": self.state.agent_id})
        self._on_failure(self)
        self.wake_waiters()

    def _wake_waiters_of(self, changes: Changes) -> None:
        if not self._waiters:
            return
        for name in {_name_of(change) for change in changes}:
            for waiter in self._waiters.get(name, ()):
                _wake(waiter)


def _fields(request: RequestKey) -> tuple[str, bytes]:
    return request.request_id, request.fingerprint


def key_name(key: str) -> str:
    """Names a key in any scope, for those who wait for it."""
    return f"key {key}"


def _name_of(change: ChangeKey) -> str:
    return FRAGMENTS if change.kind in ("fragment", "lease") else key_name(change.key.partition("/")[2])


def _waits(result: Result) -> bool:
    """Whether the caller is to wait and to ask again, so that this is not its answer yet."""
    if isinstance(result, EntryReserved):
        return result.held_by_other
    return isinstance(result, FragmentsLeased) and result.lease is None


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
