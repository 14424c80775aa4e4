import asyncio

import pytest
from tests.unit.stores.redis.writing import fresh_store, prefix_of
from tests.valkey.server import ValkeyServer

from memoryd_server.ports.store import Sharing
from memoryd_server.stores.redis import sharing
from memoryd_server.stores.redis.store import RedisStore


@pytest.fixture(autouse=True)
def always_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "DUTY_S", 0.0)


def sharing_of(store: RedisStore) -> Sharing:
    assert store.sharing is not None
    return store.sharing


async def duties(*stores: RedisStore) -> list[set[int]]:
    """Which shards each maintains, once all have said that they are there."""
    for store in stores:
        await sharing_of(store).duties()
    return [set(await sharing_of(store).duties()) for store in stores]


async def test_a_daemon_alone_maintains_all_shards(store: RedisStore) -> None:
    assert await duties(store) == [{0, 1}]


async def test_daemons_share_the_shards_and_take_over_from_who_leaves(store: RedisStore, valkey: ValkeyServer) -> None:
    others = [fresh_store(valkey.url, prefix_of(store)) for _ in range(2)]
    for other in others:
        await other.open()
    taken = await duties(store, *others)
    assert sorted(shard for each in taken for shard in each) == [0, 1]
    for other in others:
        await other.close()
    assert await duties(store) == [{0, 1}]


async def test_who_has_said_nothing_for_a_while_is_gone(
    store: RedisStore, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = fresh_store(valkey.url, prefix_of(store))
    await silent.open()
    await duties(silent)
    monkeypatch.setattr(sharing, "GONE_MS", 1)
    async with asyncio.timeout(10):
        while await duties(store) != [{0, 1}]:
            continue
    await silent.close()
