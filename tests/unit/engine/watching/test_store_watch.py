import asyncio

import pytest
from tests.unit.engine.world import until

from memoryd_server.engine.watching import store_watch
from memoryd_server.engine.watching.store_watch import StoreWatch
from memoryd_server.stores.in_memory import InMemoryStore


class ShardsAway(InMemoryStore):
    """A store whose unavailable shards a test sets."""

    def __init__(self) -> None:
        super().__init__(4, is_shared=True)
        self.away: list[int] = []

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        return self.away


async def notifications(store: ShardsAway, *away: list[int]) -> list[int]:
    """Return the notifications when these shards are unavailable, one check after the other."""
    answers: list[int] = []

    async def note(unavailable_count: int) -> None:
        answers.append(unavailable_count)

    watch = StoreWatch(store, store.shard_count, note)
    for store.away in away:
        await watch.look()
    return answers


async def test_an_available_store_causes_no_notification() -> None:
    assert await notifications(ShardsAway(), [], []) == []


async def test_the_loss_of_shards_and_its_end_are_notified_once() -> None:
    assert await notifications(ShardsAway(), [], [0, 1, 2, 3], [0, 1, 2, 3], [1], []) == [4, 1, 0]


async def test_the_loss_of_shards_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    await notifications(ShardsAway(), [0, 1, 2], [0], [])
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == ["store unavailable"] * 2


async def test_the_store_is_checked_repeatedly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_watch, "STORE_LOOK_S", 0.001)
    store, answers = ShardsAway(), []

    async def note(unavailable_count: int) -> None:
        answers.append(unavailable_count)

    running = asyncio.create_task(StoreWatch(store, store.shard_count, note).run())
    store.away = [0, 1, 2, 3]
    await until(lambda: answers == [4])
    store.away = []
    await until(lambda: answers == [4, 0])
    running.cancel()
