"""Maintenance and expiry by several engines over one store."""

import asyncio
from collections.abc import Collection

import pytest
from tests.unit.engine.shared_store import SharedStore, agents_of_all_shards, sharing
from tests.unit.engine.world import World

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.journal import published
from memoryd_server.engine.upkeep.maintenance import Schedule
from memoryd_server.engine.watching.follower import Follower

FOREVER_NS = 10**18
KEEPS_NOTHING = Schedule(expiry_interval_s=1e9, access_interval_s=1e9, journal_interval_s=1e9, journal_rows_max=0)


async def due(store: SharedStore, world: World) -> list[str]:
    return await store.due_agents(world.clock.now, 100)


async def test_each_engine_expires_records_in_the_shards_that_it_maintains() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        agent_ids = agents_of_all_shards(store)
        for agent_id in agent_ids:
            await a.set("k", agent_id=agent_id, ttl_ns=SECOND_NS)
        a.clock.now += SECOND_NS
        for world, duty in ((a, (0, 2)), (b, (1, 3))):
            store.duty = duty
            await world.engine.maintenance.expire()
            assert all(store.shard_of(agent_id) not in duty for agent_id in await due(store, a))
        assert await due(store, a) == []
        for world in (a, b):
            assert {
                (await world.cache.current(agent_id)).state.part(WORKING_MEMORY).entry_count for agent_id in agent_ids
            } == {0}


async def test_each_engine_prunes_the_shards_that_it_maintains() -> None:
    store = SharedStore()
    async with World(store, schedule=KEEPS_NOTHING) as world:
        agent_ids = agents_of_all_shards(store)
        for agent_id in agent_ids:
            await world.set("k", agent_id=agent_id)
        store.duty = (1, 2)
        await world.engine.maintenance.prune_journal()
        assert [await store.journal_start(shard) for shard in range(4)] == [1, 2, 2, 1]


class ShardAway(SharedStore):
    """A store of which one shard is unavailable."""

    away = 1

    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        self._refuse(shards)
        return await super().due_agents(now, limit, shards)

    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        self._refuse(shards)
        return await super().prune_journal(rows_max, since_time, shards)

    def _refuse(self, shards: Collection[int] | None) -> None:
        if shards is None or self.away in shards:
            raise StoreUnavailable


async def test_the_other_shards_are_maintained_while_one_is_unavailable() -> None:
    store = ShardAway()
    async with World(store, schedule=KEEPS_NOTHING) as world:
        agent_ids = agents_of_all_shards(store)
        for agent_id in agent_ids:
            await world.set("k", agent_id=agent_id, ttl_ns=SECOND_NS)
        await world.do(EndAgent(), agent_ids[0])
        world.clock.now += SECOND_NS
        with pytest.raises(StoreUnavailable):
            await world.engine.maintenance.expire()
        counts = [
            (await world.cache.current(agent_id)).state.part(WORKING_MEMORY).entry_count for agent_id in agent_ids
        ]
        assert counts == [0, 1, 0, 0]
        with pytest.raises(StoreUnavailable):
            await world.engine.maintenance.prune_journal()
        assert [await store.journal_start(shard) for shard in range(4)] == [3, 1, 3, 3]
        assert world.cache.peek(agent_ids[0]) is None


async def test_a_defect_is_not_hidden_by_an_unavailable_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ShardAway()
    prune = store.prune_journal

    async def fail(rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        if shards is not None and 2 in shards:
            raise ValueError("a defect")
        return await prune(rows_max, since_time, shards)

    monkeypatch.setattr(store, "prune_journal", fail)
    async with World(store, schedule=KEEPS_NOTHING) as world:
        with pytest.raises(ValueError, match="a defect"):
            await world.engine.maintenance.prune_journal()


async def test_no_engine_serves_an_expired_entry_before_it_is_removed() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.set("k", ttl_ns=SECOND_NS)
        assert await b.value("k") == "1"
        a.clock.now += SECOND_NS
        assert (await a.value("k"), await b.value("k")) == (None, None)
        assert await b.value("k", max_staleness_ns=FOREVER_NS) is None


async def test_a_lease_expires_for_all_engines_at_the_same_time() -> None:
    async with sharing(SharedStore()) as (a, b):
        reserving = ReserveEntry(ROOT, "k", "t", SECOND_NS)
        assert (await a.do(reserving)).held_by_caller  # type: ignore[union-attr]
        again = ReserveEntry(ROOT, "k", "of B", SECOND_NS)
        assert (await b.do(again)).held_by_other  # type: ignore[union-attr]
        a.clock.now += SECOND_NS
        assert (await b.do(again)).held_by_caller  # type: ignore[union-attr]


@pytest.mark.parametrize("removes", [True, False], ids=["removed", "expired"])
async def test_a_swept_agent_is_no_longer_due_after_a_write_by_another_engine(removes: bool) -> None:
    """An engine that has not swept the agent must not write its outdated deadline back."""
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k", ttl_ns=SECOND_NS)
        assert await b.value("k") == "1"
        if removes:
            await a.do(RemoveEntry(ROOT, "k"))
        a.clock.now += SECOND_NS
        await a.engine.maintenance.expire()
        assert await due(store, a) == []
        await b.set("l")
        assert await due(store, a) == []


async def test_an_agent_that_is_loaded_with_an_outdated_deadline_is_due_once() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (a,):
        await a.set("k", ttl_ns=SECOND_NS)
        await a.do(RemoveEntry(ROOT, "k"))
    async with sharing(store, 1) as (a,):
        a.clock.now += SECOND_NS
        assert await due(store, a) == ["a"]
        await a.engine.maintenance.expire()
        assert await due(store, a) == []


async def test_own_commits_are_kept_only_until_their_rows_are_read() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b), a.watch("a") as watch:
        feed = a.engine._feed
        assert isinstance(feed, Follower)
        store.gates["await_rows"].clear()
        await asyncio.gather(*((a, b)[number % 2].set(f"k{number}") for number in range(20)))
        assert feed._own
        store.gates["await_rows"].set()
        assert len(await watch.keys(20)) == 20
        assert feed._own == {}
        row = (await store.read_journal(0, 1, None, store.shard_of("a"))).rows[0]
        feed.note_own(published(row))
        assert feed._own == {}
