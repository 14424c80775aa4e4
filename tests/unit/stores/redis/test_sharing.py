import asyncio
from pathlib import Path

import pytest
from tests.unit.stores.redis.writing import Writer, fresh_store, impatient, keys_of, prefix_of
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import HistoryLost, StoreUnavailable
from memoryd_server.ports.store import NEVER, CommitPoint, Sharing
from memoryd_server.stores.redis import sharing
from memoryd_server.stores.redis.store import RedisStore


@pytest.fixture(autouse=True)
def without_cached_duties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "DUTY_S", 0.0)


def sharing_of(store: RedisStore) -> Sharing:
    assert store.sharing is not None
    return store.sharing


async def duties(*stores: RedisStore) -> list[set[int]]:
    """Return the shards that each store maintains, after all of them have registered."""
    for store in stores:
        await sharing_of(store).duties()
    return [set(await sharing_of(store).duties()) for store in stores]


async def test_a_daemon_alone_maintains_all_shards(store: RedisStore) -> None:
    assert await duties(store) == [{0, 1}]


async def test_daemons_share_the_shards_and_take_over_those_of_a_closed_one(
    store: RedisStore, valkey: ValkeyServer
) -> None:
    others = [fresh_store(valkey.url, prefix_of(store)) for _ in range(2)]
    for other in others:
        await other.open()
    taken = await duties(store, *others)
    assert sorted(shard for each in taken for shard in each) == [0, 1]
    for other in others:
        await other.close()
    assert await duties(store) == [{0, 1}]


async def test_the_shards_of_a_silent_daemon_are_taken_over(
    store: RedisStore, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = fresh_store(valkey.url, prefix_of(store))
    await silent.open()
    await duties(silent)
    monkeypatch.setattr(sharing, "GONE_MS", 1)
    async with asyncio.timeout(WAIT_S_MAX):
        while await duties(store) != [{0, 1}]:
            continue
    await silent.close()


@pytest.mark.whole
async def test_duties_stay_the_same_while_the_server_is_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        other, late = (fresh_store(server.url, prefix_of(store)) for _ in range(2))
        for each in (store, other, late):
            await each.open()
        known = await duties(store, other)
        server.kill()
        with impatient(store, other, late):
            assert await duties(store, other) == known
            assert await duties(late) == [{0, 1}]
            monkeypatch.setattr(sharing, "DUTY_ANSWER_S", 0.0)
            assert await duties(store, other) == known
            for each in (store, other, late):
                await each.close()


async def test_duties_are_assigned_by_a_full_server(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        writer = Writer(store)
        for _ in range(3):
            await writer.write("k")
        server.command("CONFIG", "SET", "maxmemory", "100kb")
        other = fresh_store(server.url, prefix_of(store), may_create=False)
        await other.open()
        taken = await duties(store, other)
        assert sorted(shard for each in taken for shard in each) == [0, 1]
        assert await store.prune_journal(store.shard_count, 0, [store.shard_of("a")]) == 2
        await other.close()
        await store.close()


async def test_settling_waits_for_the_durability_of_the_store(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "primary") as server, ValkeyServer(tmp_path / "replica") as replica:
        store = fresh_store(server.url, replicas=1)
        await store.open()
        commit = Writer(store).next("k")
        with impatient(store), pytest.raises(StoreUnavailable):
            await store.commit(commit)
        point = CommitPoint(1, commit.nonce)
        assert not await sharing_of(store).changed("a", point)
        with impatient(store), pytest.raises(StoreUnavailable):
            await sharing_of(store).changed("a", point, settle=True)
        await store.close()
        replica.replicate(server)
        store = fresh_store(server.url, prefix_of(store), replicas=1)
        await store.open()
        known = (NEVER, point, CommitPoint(1, commit.nonce + 1))
        answers = [await sharing_of(store).changed("a", each, settle=True) for each in known]
        assert answers == [True, False, True]
        assert not await sharing_of(store).changed("b", NEVER, settle=True)
        await store.close()


@pytest.mark.whole
@pytest.mark.parametrize("replicas", [0, 1])
async def test_an_already_settled_point_is_confirmed_by_a_full_server(tmp_path: Path, replicas: int) -> None:
    with ValkeyServer(tmp_path / "primary") as server, ValkeyServer(tmp_path / "replica") as replica:
        replica.replicate(server)
        store = fresh_store(server.url, replicas=replicas)
        await store.open()
        point = await Writer(store).write("k")
        server.command("CONFIG", "SET", "maxmemory", "100kb")
        assert not await sharing_of(store).changed("a", point, settle=True)
        server.command("CONFIG", "SET", "maxmemory", "0")
        server.command("HSET", keys_of(store, "b").shard, "store", "another")
        with pytest.raises(HistoryLost):
            await sharing_of(store).changed("b", NEVER, settle=True)
        await store.close()
