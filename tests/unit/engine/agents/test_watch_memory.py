import asyncio
import gc
from collections.abc import Callable

import pytest
from tests.unit.engine.world import settle

from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.watch_memory import WatchFlow, WatchMemory
from memoryd_server.engine.limit import WATCH_MESSAGE_BYTES_USUAL, WATCH_PROVEN_BYTES, WATCH_STALL_S
from memoryd_server.ports.instrument import Gauge

BUDGET = 16 * 1024 * 1024
HALF = b"m" * (BUDGET // 32)
"""A message that fills a half of the room of a connection: the transport has a copy of its own."""


def commit(position: int, agent_id: str = "a", size_bytes: int = 10) -> Published:
    return Published(position, agent_id, position - 1, position, (), size_bytes)


class Time:
    """The time of the event loop, which advances only when a test says so; its timers run then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._loop = asyncio.get_running_loop()
        self.now = self._loop.time()
        self._timers: list[tuple[asyncio.TimerHandle, Callable[[], None]]] = []
        monkeypatch.setattr(self._loop, "time", lambda: self.now)
        real = self._loop.call_later

        def call_later(delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
            timer = real(3_600 + delay, callback)
            self._timers.append((timer, callback))
            return timer

        monkeypatch.setattr(self._loop, "call_later", call_later)

    async def advance(self, seconds: float) -> None:
        self.now += seconds
        timers, self._timers = self._timers, []
        for timer, callback in timers:
            timer.cancel()
            callback()
        await settle()


@pytest.fixture
async def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def filled(memory: WatchMemory) -> list[WatchFlow]:
    """Let clients that do not read take all the room of their connection."""
    flows = [memory.flow() for _ in range(2)]
    for flow in flows:
        flow.send(HALF)
    assert not memory.flow().has_room
    assert memory.flow("other").has_room
    return flows


async def waiting(flow: WatchFlow) -> "asyncio.Task[None]":
    task = asyncio.create_task(flow.room())
    await settle()
    return task


async def proven(memory: WatchMemory) -> WatchFlow:
    """Return the flow of a client that has read."""
    flow = memory.flow()
    for _ in range(WATCH_PROVEN_BYTES // (2 * len(HALF)) + 1):
        flow.send(HALF)
        flow.sent()
    return flow


async def test_a_watcher_waits_until_others_have_read(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    first, _ = filled(memory)
    late = memory.flow()
    task = await waiting(late)
    assert not task.done()
    first.sent()
    await settle()
    assert task.done()
    assert memory.unsent_bytes == BUDGET // 16 + WATCH_MESSAGE_BYTES_USUAL
    late.sent()
    late.sent()
    assert memory.unsent_bytes == BUDGET // 16


async def test_one_that_stops_waiting_leaves_no_trace(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    first, second = filled(memory)
    leaving, staying = await waiting(memory.flow()), await waiting(memory.flow())
    leaving.cancel()
    await settle()
    first.sent()
    await settle()
    assert staying.done()
    second.sent()
    assert memory.unsent_bytes == WATCH_MESSAGE_BYTES_USUAL


async def test_one_that_was_let_in_and_leaves_gives_its_room_back(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    first, second = filled(memory)
    task = await waiting(memory.flow())
    first.sent()
    task.cancel()
    await settle()
    second.sent()
    assert memory.unsent_bytes == 0


async def test_who_has_read_most_goes_first(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    reader = await proven(memory)
    first, _ = filled(memory)
    other = await waiting(memory.flow())
    task = await waiting(reader)
    first.send(HALF[: len(HALF) - 1024])
    first.sent()
    await settle()
    assert task.done()
    assert not other.done()
    other.cancel()
    await settle()


async def test_those_who_read_go_on_while_others_have_stopped(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    readers = [await proven(memory) for _ in range(3)]
    filled(memory)
    for _ in range(20):
        tasks = [await waiting(reader) for reader in readers]
        await time.advance(WATCH_STALL_S)
        # One spare message serves all of them, one after the other.
        for _ in readers:
            (done,) = [index for index, task in enumerate(tasks) if task.done() and readers[index]._held_bytes]
            readers[done].send(HALF)
            readers[done].sent()
            await settle()
        assert all(task.done() for task in tasks)
    assert memory.unsent_bytes == BUDGET // 8


async def test_clients_that_never_read_get_no_more_than_the_budget(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    filled(memory)
    flows = [memory.flow() for _ in range(100)]
    tasks = [await waiting(flow) for flow in flows]
    for _ in range(100):
        await time.advance(WATCH_STALL_S)
        for flow, task in zip(flows, tasks, strict=True):
            if task.done() and flow._held_bytes == WATCH_MESSAGE_BYTES_USUAL:
                flow.send(HALF)
    assert BUDGET // 8 < memory.unsent_bytes <= BUDGET // 2
    for task in tasks:
        task.cancel()
    await settle()


async def test_a_stall_ends_the_proof(time: Time) -> None:
    memory = WatchMemory(BUDGET)
    flow = await proven(memory)
    assert flow.proven_bytes >= WATCH_PROVEN_BYTES
    flow.send(HALF)
    await time.advance(WATCH_STALL_S)
    flow.sent()
    assert flow.proven_bytes == 0


async def test_all_go_on_once_the_daemon_ends(time: Time) -> None:
    hub = Hub(memory := WatchMemory(BUDGET))
    filled(memory)
    task = await waiting(memory.flow())
    hub.close()
    await settle()
    assert task.done()
    assert memory.flow().has_room


def test_a_queued_commit_counts_once_however_many_queues_have_it() -> None:
    gauge = Gauge("watch", "")
    hub = Hub(memory := WatchMemory(BUDGET, gauge))
    subscriptions = [hub.subscribe(ALL_AGENTS) for _ in range(3)]
    for each in subscriptions:
        each.attach()
    hub.publish(commit(1, size_bytes=100))
    hub.publish(commit(2, size_bytes=10))
    assert memory.queued_bytes == gauge.value == 110
    subscriptions[0].take(1_000)
    subscriptions[1].take(100)
    hub.unsubscribe(subscriptions[2], ALL_AGENTS)
    assert memory.queued_bytes == gauge.value == 10
    subscriptions[1].attach()
    assert memory.queued_bytes == gauge.value == 0


def test_the_watchers_that_hold_most_park_when_the_queues_are_full() -> None:
    hub = Hub(memory := WatchMemory(BUDGET))
    share = memory.queued_bytes_max // 8
    watchers = {}
    for name in ("much", "some", "little"):
        watchers[name] = hub.subscribe(AgentPatterns.of({name}))
        watchers[name].attach()
    for position, name in enumerate(("little", "some", "some", "much", "much", "much", "much", "much"), start=1):
        hub.publish(commit(position, name, share))
    assert memory.queued_bytes == memory.queued_bytes_max
    assert not any(each.parked for each in watchers.values())
    hub.publish(commit(9, "little", 10))
    assert {name for name, each in watchers.items() if each.parked} == {"much"}
    assert memory.queued_bytes == 3 * share + 10


def test_kept_encodings_are_bounded_and_keep_no_commit_alive() -> None:
    memory = WatchMemory(BUDGET)
    commits = [commit(position) for position in range(4)]
    half = b"e" * (memory.kept_bytes_max // 2)
    for each in commits:
        memory.keep(each, "name", half)
    assert ["name" in each.encoded for each in commits] == [False, False, True, True]
    assert memory.kept_bytes == 2 * len(half)
    commits.clear()
    del each
    gc.collect()
    last = commit(5)
    memory.keep(last, "name", half)
    assert last.encoded == {"name": half}
