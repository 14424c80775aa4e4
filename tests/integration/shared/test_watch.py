"""A watch at one daemon receives the events of the other's commits: in order, each once."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.integration.mirror import Mirror
from tests.integration.shared.pair import Pair
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory
from tests.wait import WAIT_S_MAX

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1.event_pb2 import EVENT_CAUSE_EXPIRY, EVENT_TYPE_ENTRY_REMOVED, Event, EventFilter

WRITES = 40


def write(memory: Memory, count: int = WRITES) -> None:
    for number in range(count):
        memory.write({"k": number, f"key-{number % 5}": number})


def write_at_both(pair: Pair, *agent_ids: str) -> None:
    """Write to all of these agents at both daemons at once."""
    memories = [memory for agent_id in agent_ids for memory in pair.agents(agent_id)]
    with ThreadPoolExecutor(len(memories)) as pool:
        list(pool.map(write, memories, timeout=WAIT_S_MAX))


@pytest.fixture
def names(pair: Pair) -> list[str]:
    begin = pair.a.agent().id
    return [f"{begin}-{number}" for number in range(4)]


def of_agent(events: list[Event], agent_id: str) -> list[Event]:
    return [event for event in events if event.agent_id == agent_id]


def test_watches_of_an_agent_at_both_daemons_have_the_same_events_in_the_same_order(pair: Pair) -> None:
    here, there = pair.agents()
    with Watcher(pair.a, here.id).opened() as first, Watcher(pair.b, here.id).opened() as second:
        write_at_both(pair, here.id)
        received = [watcher.until_events(4 * WRITES) for watcher in (first, second)]
    assert received[0] == received[1]
    for memory in (here, there):
        Mirror().apply(received[0]).expect(memory)


def test_a_watch_of_all_agents_has_no_gaps(pair: Pair, names: list[str]) -> None:
    with Watcher(pair.a).opened() as first, Watcher(pair.b).opened() as second:
        write_at_both(pair, *names)
        for watcher in (first, second):
            for name in names:
                watcher.wait(lambda watcher=watcher, name=name: len(of_agent(watcher.events, name)) == 4 * WRITES)  # type: ignore[misc]
                Mirror().apply(of_agent(watcher.events, name)).expect(pair.b.agent(name))


def test_a_watch_that_resumes_at_the_other_daemon_misses_and_repeats_nothing(pair: Pair, names: list[str]) -> None:
    writing = threading.Thread(target=write_at_both, args=(pair, *names))
    with Watcher(pair.a, *names).opened() as watcher:
        writing.start()
        watcher.until_events(1)
    token, received = watcher.token, watcher.events
    for turn in range(6):
        with Watcher(pair.wires[turn % 2], *names, resume_token=token) as watcher:
            watcher.until_events(20)
        received, token = received + watcher.events, watcher.token
    writing.join()
    rest = len(names) * 4 * WRITES - len(received)
    with Watcher(pair.b, *names, resume_token=token) as watcher:
        received += watcher.until_events(rest)
    assert len(received) == len(names) * 4 * WRITES
    for name in names:
        Mirror().apply(of_agent(received, name)).expect(pair.a.agent(name))


def test_the_token_of_a_watch_of_all_agents_is_valid_at_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    with Watcher(pair.a).opened() as watcher:
        there.set("k")
        watcher.wait(lambda: bool(of_agent(watcher.events, here.id)))
    there.set("l")
    with Watcher(pair.b, resume_token=watcher.token) as again:
        again.wait(lambda: bool(of_agent(again.events, here.id)))
        assert [event.entry.key for event in of_agent(again.events, here.id)] == ["l"]


def test_a_watch_after_a_revision_has_the_commits_of_both_daemons(pair: Pair) -> None:
    here, there = pair.agents()
    for memory in (here, there, here):
        memory.set("k")
    with Watcher(pair.b, here.id, after_revision=1) as watcher:
        assert [event.revision for event in watcher.until_events(2)] == [2, 3]


def test_the_initial_state_has_the_commits_of_the_other_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    here.set("k")
    assert there.value("k") == 1
    here.set("l")
    with Watcher(pair.b, here.id, include_initial_state=True) as watcher:
        watcher.until_phase(event_pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        assert sorted(event.entry.key for event in watcher.events) == ["k", "l"]
        here.set("m")
        assert watcher.until_events(3)[2].entry.key == "m"


def test_an_expiry_is_one_event_at_each_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    with Watcher(pair.a, here.id).opened() as first, Watcher(pair.b, here.id).opened() as second:
        here.set("gone", ttl=Duration(nanos=50_000_000))
        for watcher in (first, second):
            removed = watcher.until_events(2)[1]
            assert (removed.type, removed.cause) == (EVENT_TYPE_ENTRY_REMOVED, EVENT_CAUSE_EXPIRY)
        there.set("later")
        for watcher in (first, second):
            assert [event.entry.key for event in watcher.until_events(3)] == ["gone", "gone", "later"]


def history(memory: Memory) -> Iterator[Event]:
    token = ""
    while True:
        request = event_pb.ListEventsRequest(
            filters=[EventFilter(agent_ids=[memory.id])], page_size=50, page_token=token
        )
        page = memory.wire.events.ListEvents(request)
        yield from page.events
        token = page.next_page_token
        if not token:
            return


def test_both_daemons_list_the_same_past_events(pair: Pair) -> None:
    here, there = pair.agents()
    write_at_both(pair, here.id)
    past = list(history(here))
    assert past == list(history(there))
    Mirror().apply(past).expect(here)
