import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.unit.stores.redis.relay import LosingRelay
from tests.unit.stores.redis.writing import Writer, fresh_store, impatient, journal_texts, keys_of, prefix_of
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.error import DataDamaged, StorageFull, StoreUnavailable
from memoryd_server.ports.store import NEVER, AgentHead, AgentQuery, RevisionConflict
from memoryd_server.stores.redis import store as redis_store
from memoryd_server.stores.redis.agent_listing import Span
from memoryd_server.stores.redis.store import RedisStore


@pytest.fixture
async def relay(valkey: ValkeyServer) -> AsyncIterator[LosingRelay]:
    async with LosingRelay(valkey.port) as running:
        yield running


@pytest.fixture
async def far(store: RedisStore, relay: LosingRelay) -> AsyncIterator[RedisStore]:
    """Yield the same store, connected through the relay."""
    opened = fresh_store(relay.url, prefix_of(store))
    await opened.open()
    yield opened
    await opened.close()


async def test_a_commit_whose_reply_was_lost_is_applied_once_and_returns(
    store: RedisStore, far: RedisStore, relay: LosingRelay
) -> None:
    writer = Writer(far)
    for losses in range(3):
        relay.losses = losses
        await writer.write(f"key-{losses}")
        assert relay.losses == 0
    agent = await store.load("a")
    assert agent is not None
    assert (agent.point, agent.head.record_count) == (writer.point, 3)
    assert await journal_texts(store, store.shard_of("a")) == ["a:1", "a:2", "a:3"]


async def test_a_conflict_after_a_lost_reply_is_not_certain(
    store: RedisStore, far: RedisStore, relay: LosingRelay
) -> None:
    """The commit was applied, and another one followed it."""
    first = Writer(far)
    commit = first.next("k")

    async def another() -> None:
        stored = await store.load("a")
        assert stored is not None
        other = Writer(store, point=stored.point)
        other.revision = 1
        await other.write("l")

    relay.losses, relay.on_loss = 1, another
    with pytest.raises(RevisionConflict) as refused:
        await far.commit(commit)
    assert not refused.value.is_certain
    assert await journal_texts(store, store.shard_of("a")) == ["a:1", "a:2"]


async def test_a_conflict_without_a_lost_reply_is_certain(store: RedisStore, far: RedisStore) -> None:
    await Writer(store).write("k")
    with pytest.raises(RevisionConflict) as refused:
        await far.commit(Writer(far).next("k"))
    assert refused.value.is_certain


async def test_exactly_one_of_many_conflicting_commits_succeeds(store: RedisStore) -> None:
    commits = [Writer(store).next(f"key-{number}") for number in range(20)]
    outcomes = await asyncio.gather(*map(store.commit, commits), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(RevisionConflict) == 19
    assert outcomes.count(1) == 1


async def test_changes_of_known_and_unknown_agents_are_detected(store: RedisStore) -> None:
    assert store.sharing is not None
    assert not await store.sharing.changed("a", NEVER)
    writer = Writer(store)
    first = await writer.write("k")
    assert [await store.sharing.changed("a", point) for point in (NEVER, first)] == [True, False]
    await writer.write("k")
    assert await store.sharing.changed("a", first)


async def test_missing_records_are_damage(store: RedisStore, valkey: ValkeyServer) -> None:
    await Writer(store).write("k", "l")
    valkey.command("HDEL", keys_of(store, "a").agent("a"), "entry/l")
    with pytest.raises(DataDamaged, match="has 1 records instead of 2"):
        await store.load("a")


async def test_an_agent_that_ends_during_a_listing_is_replaced_by_the_next(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    writers = {name: Writer(store, name) for name in "abc"}
    for writer in writers.values():
        await writer.write("k")
    names = store._names

    async def and_then_one_ends(shard: int, span: Span, limit: int) -> list[str]:
        found = await names(shard, span, limit)
        if "a" in found and writers["a"].revision == 1:
            await writers["a"].write(ended=True)
        return found

    monkeypatch.setattr(store, "_names", and_then_one_ends)
    assert [each.head.agent_id for each in await store.list_agents(AgentQuery(2))] == ["b", "c"]


async def test_a_full_server_refuses_commits_and_serves_reads(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        writer = Writer(store)
        await writer.write("k")
        server.command("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StorageFull):
            await store.commit(writer.next("l"))
        assert await journal_texts(store, store.shard_of("a")) == ["a:1"]
        agent = await store.load("a")
        assert agent is not None
        assert agent.point == writer.point
        server.command("CONFIG", "SET", "maxmemory", "0")
        await writer.write("l")
        await store.close()


async def test_a_full_server_is_freed_by_removals_and_recovers_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryd_server.stores.redis.store.ROOM_LOOK_S", 0.01)
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        assert store.room is not None
        changes: asyncio.Queue[bool] = asyncio.Queue()
        store.room.observe(changes.put_nowait)
        assert await changes.get()
        writer = Writer(store)
        await writer.write("k")
        await writer.write("l")
        server.command("CONFIG", "SET", "maxmemory", "1mb")
        with pytest.raises(StorageFull):
            await store.commit(writer.next("m"))
        assert not await changes.get()
        await store.commit(writer.next(deletes=("k",)))
        server.command("CONFIG", "SET", "maxmemory", "0")
        assert await changes.get()
        await store.close()


async def test_submitted_commits_finish_before_the_store_is_closed(store: RedisStore, valkey: ValkeyServer) -> None:
    # At this level each commit waits for the disk, which no request does that closing sends.
    other = fresh_store(valkey.url, prefix_of(store), level="synced")
    await other.open()
    submitted = [other.commit(Writer(other, f"agent-{number}").next("k")) for number in range(50)]
    await other.close()
    assert all(each.done() and not each.exception() for each in submitted)
    assert len(await store.list_agents(AgentQuery(99))) == 50


async def test_a_silent_server_does_not_block_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_store, "CLOSE_S", 0.05)
    with ValkeyServer(tmp_path) as server:
        store = fresh_store(server.url)
        await store.open()
        await Writer(store).write("k")
        server.pause()
        submitted = store.commit(Writer(store, "b").next("k"))
        await store.close()
        with pytest.raises(StoreUnavailable):
            await submitted


@pytest.mark.parametrize(("rows_max", "retained"), [(1, 1), (2, 1), (3, 2)])
async def test_each_shard_retains_an_equal_share_of_rows_rounded_up(
    store: RedisStore, rows_max: int, retained: int
) -> None:
    writer, shard = Writer(store), store.shard_of("a")
    for _ in range(3):
        await writer.write("k")
    assert await store.prune_journal(rows_max, 0) == 3 - retained
    assert len(await journal_texts(store, shard, 3 - retained)) == retained


@pytest.mark.whole
async def test_unavailable_shards_are_reported(tmp_path: Path, store: RedisStore, valkey: ValkeyServer) -> None:
    assert store.sharing is not None
    assert await store.sharing.unavailable_shards(WAIT_S_MAX) == []
    valkey.command("DEL", keys_of(store, "a").shard)
    assert await store.sharing.unavailable_shards(WAIT_S_MAX) == [store.shard_of("a")]
    with ValkeyServer(tmp_path) as server:
        away = fresh_store(server.url)
        await away.open()
        assert away.sharing is not None
        server.pause()
        assert await away.sharing.unavailable_shards(0.05) == [0, 1]
        server.kill()
        with impatient(away):
            assert await away.sharing.unavailable_shards(WAIT_S_MAX) == [0, 1]
            with pytest.raises(StoreUnavailable):
                await away.load("a")
        await away.close()


async def test_a_revision_is_located_before_concurrent_commits(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(store)
    await writer.write("k")
    load_head, journal_end = store.load_head, store.journal_end

    async def head_then_commit(agent_id: str) -> AgentHead | None:
        head = await load_head(agent_id)
        await writer.write("l")
        return head

    async def end_then_commit(shard: int = 0) -> int:
        end = await journal_end(shard)
        await writer.write("m")
        return end

    monkeypatch.setattr(store, "load_head", head_then_commit)
    monkeypatch.setattr(store, "journal_end", end_then_commit)
    assert await store.locate("a", 1) == 1
