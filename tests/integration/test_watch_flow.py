"""Watches under load: many events in a message, clients that stop reading, and many watches of one agent."""

from collections.abc import Callable, Iterator

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.daemon import Daemon
from tests.faults.slow_readers import Peak, private_bytes, slow_watchers
from tests.in_process import AnyDaemon
from tests.integration.mirror import Mirror
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire

from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.event_pb2 import Event, EventFilter
from memoryd.v1.server_service_pb2 import GetServerInfoRequest

MEBIBYTE = 1 << 20


def read(call: Iterator[pb.WatchEventsResponse], revision: int) -> list[Event]:
    """Read a watch up to a revision, and return its events."""
    events: list[Event] = []
    while not events or events[-1].revision < revision:
        events += next(call).events
    return events


@pytest.mark.whole
def test_clients_that_stop_reading_cost_bounded_memory_and_slow_no_other(
    launch_process: Callable[..., Daemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    """Rule 4."""
    daemon = launch_process("--durability", "journaled")
    wire = connect(daemon)
    agent = wire.agent()
    text = "x" * (MEBIBYTE // 2)
    for index in range(20):
        agent.set("key", f"{index:04}{text}")
    filters = [EventFilter(agent_ids=[agent.id])]
    stopped = [wire.events.WatchEvents(pb.WatchEventsRequest(filters=filters)) for _ in range(5)]
    assert [next(call).phase for call in stopped] == [pb.WATCH_PHASE_OPENED] * 5
    before = private_bytes(daemon.pid)
    with Watcher(wire, agent.id).opened() as reading:
        for index in range(120):
            agent.set("key", f"{index:04}{text}")
        reading.until_events(120)
        growth = private_bytes(daemon.pid) - before
    # 60 MiB were written. Each client may occupy some MiB in the connection's buffers, none all of it.
    assert growth < 48 * MEBIBYTE, f"{growth / MEBIBYTE:.0f} MiB"
    for call in stopped[:2]:
        assert [event.revision for event in read(call, 140)] == list(range(21, 141))
    for call in stopped:
        call.cancel()
    assert agent.set("key").revision == 141


@pytest.mark.whole
def test_a_hundred_clients_that_stop_reading_share_one_budget(
    launch_process: Callable[..., Daemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    """Rule 4. One that reads has all events in order; one that reads again has missed none."""
    budget = 32 * MEBIBYTE
    daemon = launch_process("--durability", "journaled", "--limit-watch-bytes", str(budget))
    wire = connect(daemon)
    assert wire.server.GetServerInfo(GetServerInfoRequest()).limits["watch_bytes"] == budget
    agent = wire.agent()
    text = "x" * (MEBIBYTE // 2)
    for index in range(20):
        agent.set("key", f"{index:04}{text}")
    filters = [EventFilter(agent_ids=[agent.id])]
    before = private_bytes(daemon.pid)
    with slow_watchers(daemon.address, 100, 3600.0), Peak(daemon.pid) as peak:
        stopped = wire.events.WatchEvents(pb.WatchEventsRequest(filters=filters))
        assert next(stopped).phase == pb.WATCH_PHASE_OPENED
        with Watcher(wire, agent.id).opened() as reading:
            for index in range(120):
                agent.set("key", f"{index:04}{text}")
            assert [event.revision for event in reading.until_events(120)] == list(range(21, 141))
        assert [event.revision for event in read(stopped, 140)] == list(range(21, 141))
        stopped.cancel()
    growth = peak.bytes - before
    # Without a bound it is some MiB of each of the hundred, and a page of the journal for each.
    assert growth < budget + 150 * MEBIBYTE, f"{growth / MEBIBYTE:.0f} MiB"


def test_many_events_travel_in_one_message_under_load(agent: Memory) -> None:
    """Rule 2: a slower client gets more events in each message."""
    filters = [EventFilter(agent_ids=[agent.id])]
    agent.set("first")
    for _ in range(10):
        agent.write({f"key-{index}": index for index in range(200)})
    call = agent.wire.events.WatchEvents(pb.WatchEventsRequest(filters=filters, after_revision=1))
    messages, events = 0, 0
    while events < 2000:
        message = next(call)
        messages, events = messages + 1, events + len(message.events)
    call.cancel()
    assert events == 2000
    assert messages <= 5


def test_a_hundred_watches_each_have_every_event_once(agent: Memory) -> None:
    filters = [EventFilter(agent_ids=[agent.id])]
    calls = [agent.wire.events.WatchEvents(pb.WatchEventsRequest(filters=filters)) for _ in range(100)]
    for call in calls:
        assert next(call).phase == pb.WATCH_PHASE_OPENED
    for index in range(50):
        agent.set(f"key-{index % 5}", index)
    for call in calls:
        events = read(call, 50)
        call.cancel()
        assert [event.revision for event in events] == list(range(1, 51))
    Mirror().apply(events).expect(agent)


def test_a_cancelled_watch_no_longer_counts_as_concurrent(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    wire = connect(launch("--durability", "memory", "--limit-concurrent-watches", "3"))
    request = pb.WatchEventsRequest(progress_interval=Duration(nanos=100_000_000))
    calls = [wire.events.WatchEvents(request) for _ in range(3)]
    for call in calls:
        next(call)
    with Watcher(wire) as refused_watcher:
        refusal = refused_watcher.refused()
    assert (refusal.reason, refusal.own_metadata) == ("OVERLOADED", {"limit": "concurrent_watches", "value": "3"})
    for call in calls:
        call.cancel()
    while True:
        with Watcher(wire) as watcher:
            watcher.wait(lambda watcher=watcher: bool(watcher.messages) or watcher._ended)  # type: ignore[misc]
            if watcher.messages:
                break
    assert wire.agent().set("key").revision == 1


def test_the_calls_of_watches_do_not_count_as_concurrent_calls(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    wire = connect(launch("--durability", "memory", "--limit-concurrent-calls", "2"))
    calls = [wire.events.WatchEvents(pb.WatchEventsRequest()) for _ in range(10)]
    for call in calls:
        next(call)
    assert wire.agent().set("key").revision == 1
    for call in calls:
        call.cancel()
