"""Watches resume without gaps: under concurrent writes, over restarts, within a revision, and after compaction."""

import random
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.mirror import Mirror
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter


def churn(agent: Memory, seed: int, rounds: int = 60) -> None:
    """Write, remove, batch, clear, nest and dispose at random."""
    chance = random.Random(seed)
    scope_ids = [""]
    for index in range(rounds):
        scope_id = chance.choice(scope_ids)
        key = f"key-{chance.randrange(8)}"
        match chance.randrange(8):
            case 0 | 1 | 2:
                agent.set(key, [seed, index], scope_id)
            case 3:
                agent.remove(key, scope_id)
            case 4:
                agent.write({f"key-{number}": [seed, index] for number in range(chance.randrange(1, 5))}, scope_id)
            case 5:
                agent.clear(scope_id)
            case 6:
                scope_ids.append(agent.scope(f"scope-{seed}", scope_id))
            case 7 if len(scope_ids) > 1:
                gone = agent.dispose(scope_ids[-1]).disposed_scope_ids
                scope_ids = [each for each in scope_ids if each not in gone]


@pytest.mark.parametrize("start", ["include_initial_state", "after_revision"])
def test_a_watch_that_begins_during_writes_has_no_gap_and_no_duplicate(agent: Memory, start: str) -> None:
    """Rule 1."""
    agent.write({"a": 1, "b": 2})
    fields: dict[str, Any] = {start: True if start == "include_initial_state" else 0}
    with ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(churn, agent, seed) for seed in range(4)]
        watchers = [Watcher(agent.wire, agent.id, **fields) for _ in range(5)]
        for each in writing:
            each.result()
    last = agent.set("last").revision
    for watcher in watchers:
        watcher.wait(lambda watcher=watcher: watcher.messages[-1].revision == last)  # type: ignore[misc]
        watcher.cancel()
        mirror = Mirror().apply(watcher.events)
        assert mirror.revision == last
        mirror.expect(agent)


def test_every_token_of_a_watch_resumes_with_the_next_event(agent: Memory) -> None:
    """Rule 2."""
    with Watcher(agent.wire, agent.id).opened() as watcher:
        churn(agent, 1, 40)
        last = agent.set("last").revision
        watcher.wait(lambda: watcher.messages[-1].revision == last)
        messages = list(watcher.messages)
    whole = [event for message in messages for event in message.events]
    for index in range(0, len(messages), 5):
        received = [event for message in messages[: index + 1] for event in message.events]
        rest = len(whole) - len(received)
        with Watcher(agent.wire, agent.id, resume_token=messages[index].resume_token).opened() as resumed:
            assert received + (resumed.until_events(rest) if rest else []) == whole


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_watch_resumes_after_a_restart(
    daemon: Daemon, connect: Callable[[AnyDaemon], Wire], how: signal.Signals
) -> None:
    """Rule 2 of WatchEvents."""
    agent = connect(daemon).agent()
    watcher = Watcher(agent.wire, agent.id, include_initial_state=True).opened()
    churn(agent, 1, 30)
    revision = agent.set("seen").revision
    watcher.wait(lambda: watcher.messages[-1].revision == revision)
    seen, token = watcher.events, watcher.token
    watcher.cancel()
    churn(agent, 2, 30)
    (daemon.kill if how is signal.SIGKILL else daemon.stop)()
    daemon.start()
    agent = connect(daemon).agent(agent.id)
    with Watcher(agent.wire, agent.id, resume_token=token).opened() as resumed:
        last = agent.set("after").revision
        resumed.wait(lambda: resumed.messages[-1].revision == last)
        Mirror().apply(seen + resumed.events).expect(agent)


def test_a_resumed_watch_may_have_other_filters(agent: Memory) -> None:
    other = agent.wire.agent()
    with Watcher(agent.wire, agent.id).opened() as watcher:
        token = watcher.token
    agent.set("mine")
    other.set("other's")
    with Watcher(agent.wire, other.id, resume_token=token) as resumed:
        assert [event.entry.key for event in resumed.until_events(1)] == ["other's"]


def test_a_large_revision_is_split_with_revision_continues_and_resumes_within(agent: Memory) -> None:
    """Rule 2: a revision's events are never split without ``revision_continues``."""
    with Watcher(agent.wire, agent.id).opened() as watcher:
        agent.write({f"key-{index:03}": "x" * 12_000 for index in range(600)})
        watcher.until_events(600)
        parts = [message for message in watcher.messages if message.events]
    assert len(parts) > 2
    assert [part.revision_continues for part in parts] == [True] * (len(parts) - 1) + [False]
    assert [part.revision for part in parts] == [0] * (len(parts) - 1) + [1]
    assert max(part.ByteSize() for part in parts) < 4 << 20
    assert [event.index for event in watcher.events] == list(range(600))
    for index, part in enumerate(parts[:-1]):
        with Watcher(agent.wire, agent.id, resume_token=part.resume_token) as resumed:
            rest = [event for later in parts[index + 1 :] for event in later.events]
            assert resumed.until_events(len(rest)) == rest


def test_a_watch_from_a_listings_resume_token_continues_the_listing(agent: Memory) -> None:
    agent.write({"a": 1, "b": 2})
    agent.set("c")
    filters = [EventFilter(agent_ids=[agent.id])]
    page = agent.wire.events.ListEvents(pb.ListEventsRequest(filters=filters, page_size=1))
    with Watcher(agent.wire, agent.id, resume_token=page.resume_token) as watcher:
        events = [(event.revision, event.index) for event in [*page.events, *watcher.until_events(2)]]
    assert events == [(1, 0), (1, 1), (2, 0)]


def test_a_revision_that_was_compacted_is_out_of_range_with_the_oldest_available(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    """Rule 4. The journal is compacted every ten seconds, so that one daemon serves all cases."""
    agent = connect(launch("--journal-rows-max", "5", "--durability", "journaled")).agent()
    filters = [EventFilter(agent_ids=[agent.id])]
    with Watcher(agent.wire, agent.id).opened() as watcher:
        old_token = watcher.token
    for index in range(20):
        agent.set(f"key-{index}")
    page_token = agent.wire.events.ListEvents(pb.ListEventsRequest(filters=filters, page_size=1)).next_page_token

    def after(revision: int) -> Callable[[], object]:
        request = pb.ListEventsRequest(filters=filters, after_revision=revision)
        return lambda: agent.wire.events.ListEvents(request)

    old_page = pb.ListEventsRequest(filters=filters, page_size=1, page_token=page_token)
    with Watcher(agent.wire, agent.id, after_revision=20).opened() as live:
        live.wait(lambda: _is_refused(after(1)))
        for refusal in (
            refused(after(1)),
            refused(lambda: agent.wire.events.ListEvents(old_page)),
            Watcher(agent.wire, agent.id, after_revision=1).refused(),
            Watcher(agent.wire, agent.id, resume_token=old_token).refused(),
        ):
            assert (refusal.code, refusal.reason) == (grpc.StatusCode.OUT_OF_RANGE, "REVISION_COMPACTED")
            assert refusal.own_metadata == {"oldest_revision": "16"}
        every = Watcher(agent.wire, resume_token=old_token).refused()
        assert (every.reason, every.own_metadata) == ("REVISION_COMPACTED", {})
        oldest = agent.wire.events.ListEvents(pb.ListEventsRequest(filters=filters)).events
        assert [event.revision for event in oldest] == [16, 17, 18, 19, 20]
        agent.set("key-20")
        assert live.until_events(1)[0].revision == 21
    assert len(after(15)().events) == 6  # type: ignore[attr-defined]
    with Watcher(agent.wire, agent.id, include_initial_state=True) as watcher:
        watcher.until_phase(pb.WATCH_PHASE_INITIAL_STATE_COMPLETE)
        assert len(watcher.events) == 21


def _is_refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except grpc.RpcError:
        return True
    return False
