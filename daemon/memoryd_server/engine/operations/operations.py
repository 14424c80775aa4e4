"""The operations of this daemon: each is a task and its state, kept in memory for some time after its end."""

import asyncio
import contextlib
import enum
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

import msgspec

from memoryd_server.domain.error import Draining, OperationExists, OperationNotFound, Overloaded, Refusal
from memoryd_server.domain.limit import Limits
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.limit import (
    OPERATION_CHANGES_INTERVAL_S,
    OPERATIONS_KEPT_BYTES_MAX,
    OPERATIONS_KEPT_MAX,
    OPERATIONS_KEPT_NS_MAX,
)
from memoryd_server.engine.operations.progress import Progress, listen
from memoryd_server.ports.instrument import Gauge

log = logging.getLogger("memoryd.operations")

Work = Callable[[], Awaitable[bytes]]
"""The work of an operation. It returns the response in bytes."""


class OperationState(enum.IntEnum):
    """The state of an operation. The numbers are those of the contract."""

    RUNNING = 1
    SUCCEEDED = 2
    FAILED = 3
    CANCELLED = 4


class OperationRequest(msgspec.Struct, frozen=True):
    """The request of an operation, and its caller.

    ``agent_ids`` are the agents to which a caller must have access; an empty id stands for all agents. The first is the
    one that the operation is about. ``fingerprint`` is a digest of the request's body.
    """

    operation_id: str
    method: str
    agent_ids: tuple[str, ...]
    principal: str
    fingerprint: bytes


class Operation(msgspec.Struct, frozen=True):
    """An operation at one moment. ``failure`` is a Refusal, or a defect of the daemon."""

    request: OperationRequest
    create_time: int
    update_time: int
    state: OperationState = OperationState.RUNNING
    progress: Progress | None = None
    cancel_requested: bool = False
    end_time: int | None = None
    result: bytes = b""
    failure: BaseException | None = None

    @property
    def operation_id(self) -> str:
        """The id of the operation."""
        return self.request.operation_id


class _Run:
    """An operation while it runs and after, with those who wait for its changes."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.task: asyncio.Task[bytes] | None = None
        self.ended = asyncio.Event()
        self._changed = asyncio.Event()

    def update(self, operation: Operation) -> None:
        """Replace the operation, and wake those who wait."""
        self.operation = operation
        self._changed.set()
        self._changed = asyncio.Event()
        if operation.state is not OperationState.RUNNING:
            self.ended.set()

    async def change(self) -> None:
        """Wait for the next change."""
        await self._changed.wait()


class Operations:
    """The running operations, and those that ended lately."""

    def __init__(self, limits: Limits, clock: Clock, gauge: Gauge) -> None:
        self._running_max = limits.concurrent_operations
        self._running_per_caller_max = limits.concurrent_operations_per_caller
        self._clock = clock
        self._gauge = gauge
        self._runs: dict[str, _Run] = {}
        self._starting: dict[str, asyncio.Event] = {}
        self._ended: dict[str, int] = {}
        self._ended_bytes = 0
        self._drains = False

    async def start(self, request: OperationRequest, work: Work) -> tuple[Operation, bool]:
        """Start an operation, or return the one of this id and request; and whether it was started.

        What the work refuses in its first step is raised, and no operation is kept of it. Raises OperationExists for
        another request of the same id, and Overloaded.
        """
        operation_id = request.operation_id
        existing = await self.find(operation_id, request.fingerprint)
        if existing is not None:
            return existing, False
        if self._drains:
            raise Draining
        if self._gauge.value + len(self._starting) >= self._running_max:
            raise Overloaded("concurrent_operations", self._running_max)
        if self._running_of(request.principal) + len(self._starting) >= self._running_per_caller_max:
            raise Overloaded("concurrent_operations_per_caller", self._running_per_caller_max)
        now = self._clock()
        run = _Run(Operation(request, now, now))
        task = run.task = asyncio.create_task(self._working(run, work), name=f"operation {operation_id}")
        starting = self._starting[operation_id] = asyncio.Event()
        try:
            # One turn: the task takes its first step, up to what it waits for.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            del self._starting[operation_id]
            starting.set()
        if task.done() and isinstance(refusal := task.exception(), Refusal):
            raise refusal.with_traceback(None)
        self._runs[operation_id] = run
        self._gauge.add(1)
        if task.done():
            self._end(run, task)
        else:
            task.add_done_callback(lambda ended: self._end(run, ended))
        return run.operation, True

    async def find(self, operation_id: str, fingerprint: bytes) -> Operation | None:
        """Return the operation of this id; None if there is none. Raises OperationExists if its request is another."""
        while (starting := self._starting.get(operation_id)) is not None:
            await starting.wait()
        self._forget_old()
        run = self._runs.get(operation_id)
        if run is None:
            return None
        if run.operation.request.fingerprint != fingerprint:
            raise OperationExists(operation_id)
        return run.operation

    def get(self, operation_id: str) -> Operation:
        """Return an operation. Raises OperationNotFound."""
        return self._run(operation_id).operation

    def all(self) -> Iterable[Operation]:
        """Return all operations."""
        self._forget_old()
        return [run.operation for run in self._runs.values()]

    async def wait(self, operation_id: str, timeout_s: float) -> Operation:
        """Return an operation once it has ended, or as it is after ``timeout_s``. Raises OperationNotFound."""
        run = self._run(operation_id)
        await _at_most(timeout_s, run.ended)
        return run.operation

    async def watch(self, operation_id: str) -> AsyncGenerator[Operation, None]:
        """Yield an operation now and after changes, until it has ended. Raises OperationNotFound."""
        run = self._run(operation_id)
        while True:
            emitted = run.operation
            yield emitted
            if emitted.state is not OperationState.RUNNING:
                return
            if run.operation is emitted:
                await run.change()
            if not run.ended.is_set():
                # Progress may change a thousand times a second.
                await _at_most(OPERATION_CHANGES_INTERVAL_S, run.ended)

    def cancel(self, operation_id: str) -> tuple[Operation, bool]:
        """Ask an operation to stop, and return whether it ran and was not asked before. Raises OperationNotFound."""
        run = self._run(operation_id)
        operation = run.operation
        if operation.state is not OperationState.RUNNING or operation.cancel_requested:
            return operation, False
        run.update(msgspec.structs.replace(operation, cancel_requested=True, update_time=self._clock()))
        assert run.task is not None
        run.task.cancel()
        return run.operation, True

    def rewrite_results(self, agent_id: str, change: Callable[[Operation], bytes]) -> None:
        """Replace the results of the operations about an agent, or about all, that have ended."""
        for run in self._runs.values():
            operation = run.operation
            if operation.state is OperationState.SUCCEEDED and not {"", agent_id}.isdisjoint(
                operation.request.agent_ids
            ):
                # The bytes that are counted for the operation stay: a result only becomes smaller.
                run.operation = msgspec.structs.replace(operation, result=change(operation))

    async def wait_for_all(self) -> None:
        """Start no operation from now on, and wait until none runs."""
        self._drains = True
        for run in list(self._runs.values()):
            await run.ended.wait()

    def stop(self) -> None:
        """End all operations that run. Each fails as Draining."""
        self._drains = True
        for run in self._runs.values():
            if run.task is not None:
                run.task.cancel()

    def _running_of(self, principal: str) -> int:
        operations = (run.operation for run in self._runs.values())
        return sum(each.state is OperationState.RUNNING and each.request.principal == principal for each in operations)

    def _run(self, operation_id: str) -> _Run:
        self._forget_old()
        try:
            return self._runs[operation_id]
        except KeyError:
            raise OperationNotFound(operation_id) from None

    async def _working(self, run: _Run, work: Work) -> bytes:
        def note(progress: Progress) -> None:
            if run.operation.state is OperationState.RUNNING:
                run.update(msgspec.structs.replace(run.operation, progress=progress, update_time=self._clock()))

        listen(note)
        return await work()

    def _end(self, run: _Run, task: "asyncio.Task[bytes]") -> None:
        now, operation = self._clock(), run.operation
        self._gauge.add(-1)
        changes: dict[str, object]
        if task.cancelled():
            if operation.cancel_requested:
                changes = {"state": OperationState.CANCELLED}
            else:
                changes = {"state": OperationState.FAILED, "failure": Draining()}
        elif (failure := task.exception()) is not None:
            if not isinstance(failure, Refusal):
                log.error("operation failed", exc_info=failure, extra={"method": operation.request.method})
            changes = {"state": OperationState.FAILED, "failure": failure.with_traceback(None)}
        else:
            changes = {"state": OperationState.SUCCEEDED, "result": task.result()}
        run.task = None
        run.update(msgspec.structs.replace(operation, update_time=now, end_time=now, **changes))
        log.info(
            "operation ended",
            extra={
                "operation_id": operation.operation_id,
                "method": operation.request.method,
                "state": run.operation.state.name.lower(),
            },
        )
        self._ended[operation.operation_id] = len(run.operation.result)
        self._ended_bytes += len(run.operation.result)
        self._forget_old()

    def _forget_old(self) -> None:
        """Drop the operations that ended first, until the bounds hold. The last one that ended stays."""
        oldest = self._clock() - OPERATIONS_KEPT_NS_MAX
        while self._ended:
            first = next(iter(self._ended))
            end_time = self._runs[first].operation.end_time
            assert end_time is not None
            is_over = len(self._ended) > OPERATIONS_KEPT_MAX or self._ended_bytes > OPERATIONS_KEPT_BYTES_MAX
            if end_time >= oldest and not (is_over and len(self._ended) > 1):
                return
            self._ended_bytes -= self._ended.pop(first)
            del self._runs[first]


async def _at_most(timeout_s: float, event: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            await event.wait()
