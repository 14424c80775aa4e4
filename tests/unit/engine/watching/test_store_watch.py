import asyncio

import pytest
from tests.unit.engine.world import until

from memoryd_server.engine.watching import store_watch
from memoryd_server.engine.watching.store_watch import StoreWatch
from memoryd_server.stores.in_memory import InMemoryStore


class ShardsAway(InMemoryStore):
    """A store some of whose shards do not answer."""

    def __init__(self) -> None:
        super().__init__(4, is_shared=True)
        self.away: list[int] = []

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        return self.away


async def told(store: ShardsAway, *away: list[int]) -> list[bool]:
    """What is told when these shards are away, one look after the other."""
    answers: list[bool] = []

    async def note(answered: bool) -> None:
        answers.append(answered)

    watch = StoreWatch(store, store.shard_count, note)
    for store.away in away:
        await watch.look()
    return answers


async def test_a_store_that_answers_is_not_told_of() -> None:
    assert await told(ShardsAway(), [], []) == []


async def test_it_is_told_once_that_no_shard_answers_and_once_that_one_does() -> None:
    assert await told(ShardsAway(), [], [0, 1, 2, 3], [0, 1, 2, 3], [1], []) == [False, True]


async def test_as_long_as_a_shard_answers_the_daemon_is_of_use(caplog: pytest.LogCaptureFixture) -> None:
    assert await told(ShardsAway(), [0, 1, 2], [0], []) == []
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["store unavailable"] * 2


async def test_it_goes_on_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_watch, "STORE_LOOK_S", 0.001)
    store, answers = ShardsAway(), []

    async def note(answered: bool) -> None:
        answers.append(answered)

    running = asyncio.create_task(StoreWatch(store, store.shard_count, note).run())
    store.away = [0, 1, 2, 3]
    await until(lambda: answers == [False])
    store.away = []
    await until(lambda: answers == [False, True])
    running.cancel()
