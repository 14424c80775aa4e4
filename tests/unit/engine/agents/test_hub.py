import asyncio
import itertools

import pytest
from tests.unit.engine.world import settle

from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.engine.agents.hub import Hub, Subscription
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.limit import (
    WATCH_QUEUE_BYTES_MAX,
    WATCH_QUEUE_COMMITS_MAX,
    WATCH_REST_PER_WATCHER_S,
    WATCH_REST_S_MIN,
    WATCH_REST_S_ROUNDING,
    WATCHERS_WOKEN_PER_TURN,
)
from memoryd_server.ports.store import CommitPoint


def agents(patterns: set[str]) -> AgentPatterns:
    return AgentPatterns.of(patterns)


def commit(position: int, agent_id: str = "a", size_bytes: int = 10) -> Published:
    return Published(position, agent_id, position - 1, position, (), size_bytes)


def positions(taken: list[Published]) -> list[int]:
    return [each.position for each in taken]


def test_a_subscription_receives_the_commits_of_its_agents_after_it_is_attached() -> None:
    hub = Hub()
    some, every = hub.subscribe(agents({"a", "b"})), hub.subscribe(ALL_AGENTS)
    hub.publish(commit(1))
    assert some.attach() == every.attach() == (CommitPoint(1, 0),)
    for position, agent_id in ((2, "a"), (3, "c"), (4, "b")):
        hub.publish(commit(position, agent_id))
    assert positions(some.take(1_000)) == [2, 4]
    assert positions(every.take(1_000)) == [2, 3, 4]
    assert [point.position for point in hub.points] == [4]


def test_a_removed_subscription_receives_nothing_and_leaves_no_reference() -> None:
    hub = Hub()
    some, every = hub.subscribe(agents({"a", "b"})), hub.subscribe(ALL_AGENTS)
    other = hub.subscribe(agents({"a"}))
    other.attach()
    hub.unsubscribe(some, agents({"a", "b"}))
    hub.unsubscribe(every, ALL_AGENTS)
    assert (list(hub._by_agent), hub._by_prefix) == (["a"], {})
    hub.publish(commit(1))
    assert positions(other.take(1_000)) == [1]
    hub.unsubscribe(other, agents({"a"}))
    assert hub._by_agent == {}


def test_a_subscription_by_prefix_receives_the_commits_of_its_agents_once() -> None:
    hub = Hub()
    team, mixed = hub.subscribe(agents({"team-*"})), hub.subscribe(agents({"team-a*", "team-*", "team-b", "x", "te*"}))
    team.attach()
    mixed.attach()
    assert (hub.is_heard("team-new"), hub.is_heard("x"), hub.is_heard("t")) == (True, True, False)
    for position, agent_id in enumerate(("team-a1", "team", "tea", "x", "xy", "team-b"), start=1):
        hub.publish(commit(position, agent_id))
    assert positions(team.take(1_000)) == [1, 6]
    assert positions(mixed.take(1_000)) == [1, 2, 3, 4, 6]
    hub.unsubscribe(team, agents({"team-*"}))
    hub.unsubscribe(mixed, agents({"team-*", "te*", "x"}))
    assert (hub._by_agent, hub._by_prefix) == ({}, {})


def test_taken_commits_fit_the_limit_or_are_one() -> None:
    hub = Hub()
    subscription = hub.subscribe(ALL_AGENTS)
    subscription.attach()
    for position, size_bytes in enumerate((10, 10, 50, 10), start=1):
        hub.publish(commit(position, size_bytes=size_bytes))
    assert [positions(subscription.take(25)) for _ in range(4)] == [[1, 2], [3], [4], []]


def test_a_queue_with_too_many_commits_is_emptied_and_parked() -> None:
    hub = Hub()
    subscription = hub.subscribe(ALL_AGENTS)
    subscription.attach()
    for position in range(1, WATCH_QUEUE_COMMITS_MAX + 1):
        hub.publish(commit(position))
    assert not subscription.parked
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 1))
    assert subscription.parked
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 2))
    assert subscription.take(1_000) == []
    assert subscription.attach() == (CommitPoint(WATCH_QUEUE_COMMITS_MAX + 2, 0),)
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 3))
    assert positions(subscription.take(1_000)) == [WATCH_QUEUE_COMMITS_MAX + 3]


def test_a_queue_with_too_many_bytes_is_parked_without_counting_taken_commits() -> None:
    hub = Hub()
    subscription = hub.subscribe(ALL_AGENTS)
    subscription.attach()
    for position in range(1, 5):
        hub.publish(commit(position, size_bytes=WATCH_QUEUE_BYTES_MAX))
        assert not subscription.parked
        subscription.take(1)
    hub.publish(commit(5, size_bytes=WATCH_QUEUE_BYTES_MAX))
    hub.publish(commit(6, size_bytes=1))
    assert subscription.parked


async def test_a_wait_ends_with_a_commit_a_close_or_its_timeout() -> None:
    hub = Hub()
    subscription = hub.subscribe(agents({"a"}))
    await subscription.wait(1e9)
    subscription.attach()
    await subscription.wait(0)
    for wake in (lambda: hub.publish(commit(1)), hub.close):
        waits = asyncio.create_task(subscription.wait(1e9))
        await settle()
        assert not waits.done()
        wake()
        await waits
        subscription.take(1_000)
    await subscription.wait(1e9)


async def test_a_commit_does_not_wake_watchers_of_other_agents() -> None:
    hub = Hub()
    waits = [asyncio.create_task(attached(hub, f"agent-{number}").wait(1e9)) for number in range(5_000)]
    await settle()
    hub.publish(commit(1, "agent-7"))
    await settle()
    assert [number for number, wait in enumerate(waits) if wait.done()] == [7]
    hub.close()
    await asyncio.gather(*waits)


async def test_watchers_are_woken_once_and_a_few_per_turn() -> None:
    hub = Hub()
    subscriptions = [attached(hub, "a") for _ in range(3 * WATCHERS_WOKEN_PER_TURN)]
    waits = [asyncio.create_task(subscription.wait(1e9)) for subscription in subscriptions]
    await settle()
    hub.publish(commit(1))
    hub.publish(commit(2))
    done = []
    while not all(wait.done() for wait in waits):
        await asyncio.sleep(0)
        done.append(sum(wait.done() for wait in waits))
    turns = [after - before for before, after in itertools.pairwise([0, *done])]
    assert max(turns) == WATCHERS_WOKEN_PER_TURN
    assert all(positions(subscription.take(1_000)) == [1, 2] for subscription in subscriptions)


async def test_a_watcher_among_many_rests_until_the_hub_closes() -> None:
    hub = Hub()
    many = [attached(hub, "a") for _ in range(5_000)]
    hub.publish(commit(1))
    take_and_rest(many[0])
    waits = asyncio.create_task(many[0].wait(1e9))
    await settle()
    hub.publish(commit(2))
    await settle()
    assert not waits.done()
    hub.close()
    await waits
    assert positions(many[0].take(1_000)) == [2]


@pytest.mark.parametrize("waits_first", [True, False])
async def test_commits_during_a_rest_are_received_after_it(waits_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # A rest takes milliseconds; on a machine that stalls it would end too early.
    loop = asyncio.get_running_loop()
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began)
    hub = Hub()
    subscriptions = [attached(hub, "a") for _ in range(int(WATCH_REST_S_MIN / WATCH_REST_PER_WATCHER_S) + 1)]
    hub.publish(commit(1))
    for each in subscriptions:
        take_and_rest(each)
    if not waits_first:
        hub.publish(commit(2))
    waits = [asyncio.create_task(each.wait(1e9)) for each in subscriptions]
    await asyncio.sleep(0)
    if waits_first:
        hub.publish(commit(2))
    assert not any(each.done() for each in waits)
    monkeypatch.undo()
    await asyncio.gather(*waits)
    assert all(positions(each.take(1_000)) == [2] for each in subscriptions)


async def test_a_rest_ends_with_the_timer_that_comes_closest_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # Uvloop rounds timers to milliseconds: a timer for the rest of one would end in each turn of the loop.
    loop = asyncio.get_running_loop()
    began = loop.time()
    monkeypatch.setattr(loop, "time", lambda: began)
    hub = Hub()
    subscription = attached(hub, "a")
    hub.publish(commit(1))
    take_and_rest(subscription)
    subscription.rest(WATCH_REST_S_MIN)
    hub.publish(commit(2))
    waits = asyncio.create_task(subscription.wait(1e9))
    await settle()
    assert not waits.done()
    early = subscription.rest_end - WATCH_REST_S_ROUNDING
    monkeypatch.setattr(loop, "time", lambda: early)
    hub._end_rests()
    await settle()
    assert waits.done()


async def test_a_watcher_among_few_does_not_rest_however_many_watch_other_agents() -> None:
    hub = Hub()
    few = [attached(hub, "a") for _ in range(int(WATCH_REST_S_MIN / WATCH_REST_PER_WATCHER_S) - 1)]
    others = [attached(hub, f"agent-{number}") for number in range(5_000)]
    hub.publish(commit(1))
    take_and_rest(few[0])
    hub.publish(commit(2))
    waits = asyncio.create_task(few[0].wait(1e9))
    await asyncio.sleep(0)
    assert waits.done()
    assert not any(each.take(1_000) for each in others)


async def test_one_timer_serves_several_waits_and_is_replaced_for_a_shorter_one() -> None:
    hub = Hub()
    subscription = attached(hub, "a")
    timers = []
    for position, timeout_s in enumerate((1_000, 2_000, 500), start=1):
        waits = asyncio.create_task(subscription.wait(timeout_s))
        await asyncio.sleep(0)
        timers.append(subscription._timer)
        assert subscription._timer_time <= subscription._wait_end
        hub.publish(commit(position))
        await waits
        subscription.take(1_000)
    assert timers[0] is timers[1] is not timers[2]
    assert timers[0] is not None
    assert timers[0].cancelled()
    hub.unsubscribe(subscription, agents({"a"}))
    assert timers[2] is not None
    assert timers[2].cancelled()


async def test_a_timer_of_an_earlier_wait_does_not_end_a_later_one() -> None:
    hub = Hub()
    subscription = attached(hub, "a")
    loop = asyncio.get_running_loop()
    first = asyncio.create_task(subscription.wait(0.01))  # time: a commit ends the wait
    await asyncio.sleep(0)
    hub.publish(commit(1))
    await first
    subscription.take(1_000)
    wait_end = loop.time() + 0.05
    await subscription.wait(0.05)  # time: it must expire
    assert loop.time() >= wait_end


def take_and_rest(subscription: Subscription) -> None:
    """Take the waiting commits and rest, as a watch does."""
    assert subscription.take(1_000)
    subscription.rest()


def attached(hub: Hub, agent_id: str) -> Subscription:
    subscription = hub.subscribe(agents({agent_id}))
    subscription.attach()
    return subscription
