import asyncio

from tests.unit.engine.world import settle

from memoryd_server.domain.limit import WATCH_QUEUE_BYTES_MAX, WATCH_QUEUE_COMMITS_MAX
from memoryd_server.engine.hub import Hub
from memoryd_server.engine.journal import Published


def commit(position: int, agent_id: str = "a", size_bytes: int = 10) -> Published:
    return Published(position, agent_id, position - 1, position, (), size_bytes)


def positions(taken: list[Published]) -> list[int]:
    return [each.position for each in taken]


def test_a_subscription_gets_the_commits_of_its_agents_after_it_was_attached() -> None:
    hub = Hub()
    some, every = hub.subscribe({"a", "b"}), hub.subscribe(None)
    hub.publish(commit(1))
    assert (some.attach(), every.attach()) == (1, 1)
    for position, agent_id in ((2, "a"), (3, "c"), (4, "b")):
        hub.publish(commit(position, agent_id))
    assert positions(some.take(1_000)) == [2, 4]
    assert positions(every.take(1_000)) == [2, 3, 4]
    assert hub.position == 4


def test_what_is_unsubscribed_gets_nothing_and_leaves_nothing_behind() -> None:
    hub = Hub()
    some, every = hub.subscribe({"a", "b"}), hub.subscribe(None)
    other = hub.subscribe({"a"})
    other.attach()
    hub.unsubscribe(some, {"a", "b"})
    hub.unsubscribe(every, None)
    assert (list(hub._by_agent), hub._all) == (["a"], {})
    hub.publish(commit(1))
    assert positions(other.take(1_000)) == [1]
    hub.unsubscribe(other, {"a"})
    assert hub._by_agent == {}


def test_what_is_taken_fits_or_is_one() -> None:
    hub = Hub()
    subscription = hub.subscribe(None)
    subscription.attach()
    for position, size_bytes in enumerate((10, 10, 50, 10), start=1):
        hub.publish(commit(position, size_bytes=size_bytes))
    assert [positions(subscription.take(25)) for _ in range(4)] == [[1, 2], [3], [4], []]


def test_a_queue_with_too_many_commits_is_emptied_and_parked() -> None:
    hub = Hub()
    subscription = hub.subscribe(None)
    subscription.attach()
    for position in range(1, WATCH_QUEUE_COMMITS_MAX + 1):
        hub.publish(commit(position))
    assert not subscription.parked
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 1))
    assert subscription.parked
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 2))
    assert subscription.take(1_000) == []
    assert subscription.attach() == WATCH_QUEUE_COMMITS_MAX + 2
    hub.publish(commit(WATCH_QUEUE_COMMITS_MAX + 3))
    assert positions(subscription.take(1_000)) == [WATCH_QUEUE_COMMITS_MAX + 3]


def test_a_queue_with_too_many_bytes_is_parked_and_what_was_taken_does_not_count() -> None:
    hub = Hub()
    subscription = hub.subscribe(None)
    subscription.attach()
    for position in range(1, 5):
        hub.publish(commit(position, size_bytes=WATCH_QUEUE_BYTES_MAX))
        assert not subscription.parked
        subscription.take(1)
    hub.publish(commit(5, size_bytes=WATCH_QUEUE_BYTES_MAX))
    hub.publish(commit(6, size_bytes=1))
    assert subscription.parked


async def test_a_wait_ends_with_a_commit_a_close_or_its_time() -> None:
    hub = Hub()
    subscription = hub.subscribe({"a"})
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


async def test_watchers_of_thousands_of_other_agents_are_not_woken() -> None:
    hub = Hub()
    woken = []
    for number in range(5_000):
        subscription = hub.subscribe({f"agent-{number}"})
        subscription.attach()
        subscription.wake = lambda number=number: woken.append(number)  # type: ignore[method-assign]
    hub.publish(commit(1, "agent-7"))
    assert woken == [7]
