"""Operations: tasks that nobody has to wait for, and what is kept of them."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.unit.engine.world import ManualClock, settle

from memoryd_server.domain.error import (
    Draining,
    InvalidField,
    OperationExists,
    OperationNotFound,
    Overloaded,
    StorageFull,
)
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.limit import OPERATIONS_KEPT_BYTES_MAX, OPERATIONS_KEPT_MAX, OPERATIONS_KEPT_NS_MAX
from memoryd_server.engine.operations import operations as module
from memoryd_server.engine.operations import progress
from memoryd_server.engine.operations.operations import Operation, OperationRequest, Operations, OperationState
from memoryd_server.engine.operations.progress import Progress
from memoryd_server.ports.instrument import Gauge


class Bench:
    """Operations with a manual clock, whose works end when a test says so."""

    def __init__(self, running_max: int = 2, running_per_caller_max: int = 2) -> None:
        self.clock = ManualClock()
        self.gauge = Gauge("operations", "")
        limits = Limits(concurrent_operations=running_max, concurrent_operations_per_caller=running_per_caller_max)
        self.operations = Operations(limits, self.clock, self.gauge)
        self.may_end = asyncio.Event()

    async def start(
        self,
        operation_id: str = "o",
        work: Callable[[], Awaitable[bytes]] | None = None,
        body: bytes = b"body",
        principal: str = "someone",
    ) -> tuple[Operation, bool]:
        asked = OperationRequest(operation_id, "Service/Method", ("a",), principal, body)
        return await self.operations.start(asked, work or self.held)

    async def held(self) -> bytes:
        await self.may_end.wait()
        return b"done"

    async def end(self, operation_id: str = "o") -> Operation:
        self.may_end.set()
        return await self.operations.wait(operation_id, 10.0)


async def at_once() -> bytes:
    return b"at once"


async def fail() -> bytes:
    await asyncio.sleep(0)
    raise StorageFull


async def break_down() -> bytes:
    raise ZeroDivisionError


async def refuse() -> bytes:
    raise InvalidField("field", "is wrong")


async def test_an_operation_runs_and_succeeds_with_its_result() -> None:
    bench = Bench()
    started, created = await bench.start()
    assert (started.state, created, bench.gauge.value) == (OperationState.RUNNING, True, 1)
    bench.clock.now += 5
    ended = await bench.end()
    assert (ended.state, ended.result, bench.gauge.value) == (OperationState.SUCCEEDED, b"done", 0)
    assert (ended.create_time, ended.end_time, ended.update_time) == (
        started.create_time,
        bench.clock.now,
        bench.clock.now,
    )
    assert bench.operations.get("o") == ended


async def test_work_that_ends_in_its_first_step_has_ended_at_once() -> None:
    bench = Bench()
    ended, created = await bench.start(work=at_once)
    assert (ended.state, ended.result, created, bench.gauge.value) == (OperationState.SUCCEEDED, b"at once", True, 0)


async def test_what_the_first_step_refuses_is_raised_and_not_kept() -> None:
    bench = Bench()
    with pytest.raises(InvalidField):
        await bench.start(work=refuse)
    with pytest.raises(OperationNotFound):
        bench.operations.get("o")
    assert (await bench.start())[1]
    await bench.end()


async def test_a_later_failure_is_kept_and_a_defect_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    await bench.start(work=fail)
    failed = await bench.end()
    assert failed.state is OperationState.FAILED
    assert isinstance(failed.failure, StorageFull)
    assert not [each for each in caplog.records if each.levelname == "ERROR"]
    defect, _ = await bench.start("defect", break_down)
    assert defect.state is OperationState.FAILED
    assert isinstance(defect.failure, ZeroDivisionError)
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == ["operation failed"]


async def test_the_same_request_returns_the_existing_operation_also_after_its_end() -> None:
    bench = Bench()
    first, _ = await bench.start()
    assert await bench.start() == (first, False)
    ended = await bench.end()
    assert await bench.start() == (ended, False)
    with pytest.raises(OperationExists):
        await bench.start(body=b"other")


async def test_of_two_starts_at_the_same_time_one_creates_the_operation() -> None:
    bench = Bench()
    started = await asyncio.gather(bench.start(), bench.start())
    assert sorted(created for _, created in started) == [False, True]
    await bench.end()


async def test_a_start_that_is_cancelled_starts_nothing() -> None:
    bench = Bench()
    starting = asyncio.create_task(bench.start())
    await asyncio.sleep(0)
    starting.cancel()
    await settle()
    with pytest.raises(OperationNotFound):
        bench.operations.get("o")
    assert bench.gauge.value == 0


async def test_operations_that_are_being_started_count_against_the_limit() -> None:
    bench = Bench(running_max=1)
    first, second = await asyncio.gather(bench.start("o"), bench.start("p"), return_exceptions=True)
    assert isinstance(first, tuple)
    assert isinstance(second, Overloaded)
    await bench.end()


async def test_no_more_operations_run_than_the_limit() -> None:
    bench = Bench(running_max=1)
    await bench.start("first")
    with pytest.raises(Overloaded) as refused:
        await bench.start("second")
    assert refused.value.metadata == {"limit": "concurrent_operations", "value": "1"}
    await bench.end("first")
    assert (await bench.start("second"))[1]


async def test_a_caller_leaves_places_for_the_operations_of_others() -> None:
    bench = Bench(running_max=3, running_per_caller_max=1)
    await bench.start("first")
    with pytest.raises(Overloaded) as refused:
        await bench.start("second")
    assert refused.value.metadata == {"limit": "concurrent_operations_per_caller", "value": "1"}
    assert (await bench.start("other", principal="another"))[1]
    await bench.end("first")
    await bench.operations.wait("other", 10.0)
    assert (await bench.start("second"))[1]


async def test_a_wait_returns_when_its_time_is_over() -> None:
    bench = Bench()
    await bench.start()
    assert (await bench.operations.wait("o", 0.0)).state is OperationState.RUNNING
    await bench.end()


async def test_cancelling_ends_the_work_and_is_idempotent() -> None:
    bench = Bench()
    await bench.start()
    asked, changed = bench.operations.cancel("o")
    assert (asked.state, asked.cancel_requested, changed) == (OperationState.RUNNING, True, True)
    assert bench.operations.cancel("o") == (asked, False)
    ended = await bench.operations.wait("o", 10.0)
    assert (ended.state, ended.failure) == (OperationState.CANCELLED, None)
    assert bench.operations.cancel("o") == (ended, False)


async def test_work_that_ends_although_it_was_cancelled_has_succeeded() -> None:
    bench = Bench()

    async def stubborn() -> bytes:
        try:
            await bench.may_end.wait()
        except asyncio.CancelledError:
            return b"done anyway"
        return b""

    await bench.start(work=stubborn)
    bench.operations.cancel("o")
    ended = await bench.operations.wait("o", 10.0)
    assert (ended.state, ended.result, ended.cancel_requested) == (OperationState.SUCCEEDED, b"done anyway", True)


async def test_a_watch_shows_the_progress_and_ends_with_the_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OPERATION_CHANGES_INTERVAL_S", 0.0)
    bench, step = Bench(), asyncio.Event()

    async def work() -> bytes:
        await step.wait()
        progress.report(RecordKind.AGENT, 1, 2)
        return await bench.held()

    await bench.start(work=work)
    watched = bench.operations.watch("o")
    assert (await anext(watched)).progress is None
    following = asyncio.ensure_future(anext(watched))
    await settle()
    assert not following.done()
    step.set()
    assert (await following).progress == Progress(RecordKind.AGENT, 1, 2)
    bench.may_end.set()
    assert (await anext(watched)).state is OperationState.SUCCEEDED
    assert [each async for each in watched] == []


async def test_a_watch_of_an_operation_that_ended_shows_it_once() -> None:
    bench = Bench()
    ended, _ = await bench.start(work=at_once)
    assert [each async for each in bench.operations.watch("o")] == [ended]


async def test_a_watch_receives_few_of_many_changes() -> None:
    bench = Bench()

    async def work() -> bytes:
        for done in range(10_000):
            progress.report(RecordKind.AGENT, done)
            await asyncio.sleep(0)
        return b""

    await bench.start(work=work)
    assert len([each async for each in bench.operations.watch("o")]) < 1_000


def test_progress_outside_of_an_operation_is_not_wanted() -> None:
    assert not progress.is_wanted()
    progress.report(RecordKind.AGENT, 1)


async def test_within_an_operation_progress_is_wanted() -> None:
    bench, wanted = Bench(), []

    async def work() -> bytes:
        wanted.append(progress.is_wanted())
        return b""

    await bench.start(work=work)
    assert wanted == [True]
    assert not progress.is_wanted()


async def test_progress_of_a_task_that_outlives_its_operation_changes_nothing() -> None:
    bench, late = Bench(), asyncio.Event()

    async def outlive() -> None:
        await late.wait()
        progress.report(RecordKind.AGENT, 9)

    async def work() -> bytes:
        outliving.append(asyncio.create_task(outlive()))
        return b""

    outliving: list[asyncio.Task[None]] = []
    ended, _ = await bench.start(work=work)
    late.set()
    await outliving[0]
    assert bench.operations.get("o") == ended


async def test_ended_operations_are_kept_for_an_hour() -> None:
    bench = Bench()
    await bench.start(work=at_once)
    bench.clock.now += OPERATIONS_KEPT_NS_MAX
    assert bench.operations.get("o")
    bench.clock.now += 1
    with pytest.raises(OperationNotFound):
        bench.operations.get("o")
    assert list(bench.operations.all()) == []


async def test_running_operations_are_never_forgotten() -> None:
    bench = Bench()
    await bench.start()
    bench.clock.now += 10 * OPERATIONS_KEPT_NS_MAX
    for number in range(OPERATIONS_KEPT_MAX + 1):
        await bench.start(f"o{number}", at_once)
    assert bench.operations.get("o").state is OperationState.RUNNING
    kept = [each.operation_id for each in bench.operations.all()]
    assert (len(kept), "o0" in kept, "o1" in kept) == (OPERATIONS_KEPT_MAX + 1, False, True)
    await bench.end()


async def test_large_responses_displace_older_ones_but_the_last_one_stays() -> None:
    bench = Bench()

    async def large() -> bytes:
        return b"x" * (OPERATIONS_KEPT_BYTES_MAX + 1)

    await bench.start("small", at_once)
    await bench.start("large", large)
    assert [each.operation_id for each in bench.operations.all()] == ["large"]


async def test_a_drain_waits_for_operations_and_starts_no_others() -> None:
    bench = Bench()
    await bench.start()
    waiting = asyncio.create_task(bench.operations.wait_for_all())
    await settle()
    assert not waiting.done()
    with pytest.raises(Draining):
        await bench.start("late")
    await bench.end()
    await waiting


async def test_an_operation_that_the_drain_stops_has_failed() -> None:
    bench = Bench()
    await bench.start()
    bench.operations.stop()
    await bench.operations.wait_for_all()
    stopped = bench.operations.get("o")
    assert stopped.state is OperationState.FAILED
    assert isinstance(stopped.failure, Draining)
