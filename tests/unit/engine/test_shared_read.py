"""Reads through several engines over one store: of the latest commit, or from memory where a stale read is allowed."""

import asyncio
import time
from collections.abc import Mapping

import pytest
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, until
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import RemoveEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.entries.working_memory import EntryQuery, ScopeQuery
from memoryd_server.engine.watching import follower
from memoryd_server.ports.store import CommitPoint, FollowingRows, StoredAgent

PAGE = PageRequest(b"listing.", 10, "")


async def read_from_memory(world: World, store: SharedStore) -> None:
    """Read with bounded staleness until a read is served without the store."""
    async with asyncio.timeout(WAIT_S_MAX):
        while True:
            before = store.asked["changed"] + store.asked["load"]
            await world.value("k", max_staleness_ns=SECOND_NS)
            if before == store.asked["changed"] + store.asked["load"]:
                return
            await asyncio.sleep(0)


def calls_to(store: SharedStore) -> int:
    """Return the number of calls to the store, without those that follow the journal."""
    return sum(count for question, count in store.asked.items() if question not in ("await_rows", "journal_points"))


async def test_every_read_sees_earlier_commits_of_the_other_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        for number in range(1, 4):
            await a.set("k", f"{number}")
            await a.do(CreateScope("scope", ROOT, f"s{number}"))
            revision = 2 * number
            assert await b.value("k") == f"{number}"
            found, _ = await b.memory.get_entries("a", ROOT, ["k"], local_only=False)
            assert [each and each.entry.value_json for each in found] == [f"{number}"]
            entry, at = await b.memory.contains_entry("a", ROOT, "k", local_only=False)
            assert (entry and entry.value_json, at) == (f"{number}", revision)
            listed = await b.memory.list_entries("a", EntryQuery(ROOT), PAGE)
            assert ([each.entry.value_json for each in listed.items], listed.revision) == ([f"{number}"], revision)
            assert len((await b.memory.list_scopes("a", ScopeQuery(), PAGE)).items) == number
            assert (await b.memory.get_scope("a", f"s{number}"))[1] == revision
            assert (await b.engine.agents.get("a")).revision == revision
            assert (await b.engine.agents.statistics("a"))[1] == revision


async def test_a_read_sees_commits_of_another_engine_while_its_own_writes() -> None:
    async with sharing(SharedStore()) as (a, b):
        for number in range(20):
            own = asyncio.gather(*(b.set(f"own{each}") for each in range(5)))
            await a.set("k", f"{number}")
            assert await b.value("k") == f"{number}"
            await own


async def test_a_read_during_the_load_of_another_is_not_older_than_its_start() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        store.gates["load"].clear()
        early = asyncio.create_task(b.value("k"))
        await until(lambda: store.asked["load"] == 1)
        loading = asyncio.create_task(a.set("k"))
        await until(lambda: store.asked["load"] == 2)
        late = asyncio.create_task(b.value("k"))
        store.gates["load"].set()
        await loading
        await asyncio.gather(early, late)
        assert await b.value("k") == "1"


async def test_a_read_during_a_load_sees_what_was_committed_after_the_load_began() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.value("k")
        store.gates["load"].clear()
        early = asyncio.create_task(b.value("k"))
        await until(lambda: store.asked["load"] == 2)
        await a.set("k")
        late = asyncio.create_task(b.value("k"))
        await asyncio.sleep(0)
        store.gates["load"].set()
        assert await late == "1"
        assert await early in (None, "1")


async def test_a_read_that_may_be_stale_is_served_from_memory() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await read_from_memory(b, store)
        before = calls_to(store)
        for _ in range(10):
            assert await b.value("k", max_staleness_ns=SECOND_NS) == "1"
        assert calls_to(store) == before
        await a.set("k", "2")
        await until(lambda: b.cache.peek("a").state.revision == 2)
        before = calls_to(store)
        assert await b.value("k", max_staleness_ns=SECOND_NS) == "2"
        assert calls_to(store) == before
        assert await b.value("k") == "2"
        assert calls_to(store) == before + 1


async def test_an_agent_that_is_not_in_memory_is_loaded_whatever_staleness_is_allowed() -> None:
    async with sharing(SharedStore()) as (a, b):
        await a.set("k")
        assert await b.value("k", max_staleness_ns=10**18) == "1"


async def test_memory_is_not_trusted_for_a_shard_that_is_not_followed() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert await b.value("k") is None
        await a.set("k")
        assert await b.value("k", max_staleness_ns=10**18) == "1"


async def test_memory_is_not_trusted_for_commits_before_the_shard_was_followed() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        assert await b.value("k") is None
        await a.set("k")
        await b.value("of another agent", "another", max_staleness_ns=SECOND_NS)
        async with b.watch("a"):
            assert await b.value("k", max_staleness_ns=10**18) == "1"


async def test_an_agent_is_not_trusted_that_was_loaded_before_its_shard_was_followed() -> None:
    """A commit after the agent was read and before the shard was followed is never received."""
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.value("k")
        store.gates["load"].clear()
        before = store.asked["load"]
        early = asyncio.create_task(b.value("k"))
        await until(lambda: store.asked["load"] > before)
        await a.set("k")
        async with b.watch():
            await until(lambda: b.engine._feed.is_fresh(store.shard_of("a"), 60.0))
            store.gates["load"].set()
            await early
            assert await b.value("k", max_staleness_ns=10**18) == "1"


@pytest.mark.parametrize("staleness_s", [1, 10])
async def test_memory_is_not_trusted_longer_than_the_allowed_staleness(
    monkeypatch: pytest.MonkeyPatch, staleness_s: int
) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await read_from_memory(b, store)
        store.gates["await_rows"].clear()
        await a.set("k", "2")
        # Setting the wall clock back must not matter.
        b.clock.now -= 5 * SECOND_NS
        monkeypatch.setattr(follower, "monotonic", lambda: time.monotonic() + 5)
        value = await b.value("k", max_staleness_ns=staleness_s * SECOND_NS)
        assert value == ("2" if staleness_s < 5 else "1")
        store.gates["await_rows"].set()


async def test_memory_is_not_trusted_while_a_received_commit_is_not_applied() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await read_from_memory(b, store)
        store.gates["changed"].clear()
        waiting = asyncio.create_task(b.do(RemoveEntry(ROOT, "not there")))
        before = store.asked["changed"]
        await until(lambda: store.asked["changed"] > before)
        await a.set("k", "2")
        await until(lambda: b.cache.peek("a").is_behind)
        reading = [asyncio.create_task(b.value("k", max_staleness_ns=10**18)) for _ in range(3)]
        store.gates["changed"].set()
        assert await asyncio.gather(*reading) == ["2", "2", "2"]
        await waiting


async def test_concurrent_readers_all_wait_for_the_reply_of_the_store() -> None:
    """Memory is behind until the store has replied, not only until it was asked."""
    store = SharedStore()
    async with sharing(store) as (a, b):
        assert await b.value("k") is None
        await a.set("k")
        async with b.watch("a"):
            await until(lambda: b.engine._feed.is_fresh(store.shard_of("a"), 60.0))
            await a.set("l")
            b.cache.distrust([store.shard_of("a")])
            store.gates["changed"].clear()
            await a.do(RemoveEntry(ROOT, "l"))
            reading = [asyncio.create_task(b.value("k", max_staleness_ns=10**18)) for _ in range(3)]
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            store.gates["changed"].set()
            assert await asyncio.gather(*reading) == ["1", "1", "1"]


async def test_a_commit_that_is_received_while_its_agent_is_loaded_is_applied() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.value("k")
        async with b.watch("another of all", "a0", "a") as watch:
            assert watch.last.revision == 0
            store.gates["load"].clear()
            early = asyncio.create_task(b.value("k", max_staleness_ns=10**18))
            before = store.asked["load"]
            await until(lambda: store.asked["load"] > before)
            await a.set("k")
            assert await watch.keys(1) == ["k"]
            store.gates["load"].set()
            await early
            assert await b.value("k", max_staleness_ns=10**18) == "1"


async def test_an_incomplete_page_of_rows_does_not_confirm_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = SharedStore()
    await_rows = store.await_rows

    async def some(after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        return FollowingRows(await await_rows(after, wait_s), complete=False)

    monkeypatch.setattr(store, "await_rows", some)
    async with sharing(store) as (a, b), b.watch("a") as watch:
        for number in range(3):
            await a.set(f"k{number}")
            assert await watch.keys(1) == [f"k{number}"]
        assert not b.engine._feed.is_fresh(store.shard_of("a"), 1e9)


async def test_an_unused_shard_is_no_longer_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "FOLLOW_LINGER_S", 0.0)
    monkeypatch.setattr(follower, "FOLLOW_WAIT_S", 0.0)
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await b.value("k")
        assert not b.engine._feed.is_fresh(store.shard_of("a"), 1e9)
        async with b.watch("a") as watch:
            await a.set("k", "2")
            assert await watch.keys(1) == ["k"]
        (group,) = b.engine._feed._groups
        await until(lambda: not group.is_following)
        await a.set("k", "3")
        assert await b.value("k", max_staleness_ns=10**18) == "3"


async def test_an_agent_is_loaded_again_if_its_rows_were_pruned() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        assert await b.value("k") == "1"
        for number in range(3):
            await a.set("k", f"{number}")
        await store.prune_journal(0, 0)
        before = store.asked["load"]
        assert await b.value("k") == "2"
        assert store.asked["load"] == before + 1
        assert (await b.set("l")).revision == 5


async def test_a_late_load_does_not_replace_a_newer_state(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await b.value("k")
        load, gate, loads = store.load, asyncio.Event(), []

        async def load_first_one_late(agent_id: str) -> StoredAgent | None:
            stored = await load(agent_id)
            loads.append(stored)
            if len(loads) == 1:
                await gate.wait()
            return stored

        await a.set("k", "1")
        monkeypatch.setattr(store, "load", load_first_one_late)
        await store.prune_journal(0, 0)
        late = asyncio.create_task(b.value("k"))
        await until(lambda: loads)
        await a.set("k", "2")
        await store.prune_journal(0, 0)
        assert await b.value("k") == "2"
        gate.set()
        assert await late == "2"
        assert b.cache.peek("a").state.revision == 2


async def test_catching_up_reads_only_the_missing_rows() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await b.value("k")
        before = store.asked["load"]
        for number in range(5):
            await a.set("k", f"{number}")
        assert await b.value("k") == "4"
        assert (store.asked["load"], store.asked["rows_since"]) == (before, 1)


async def test_an_unavailable_store_is_never_reported_as_not_found() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await a.set("k")
        await b.value("k")
        store.failure = StoreUnavailable()
        for world in (a, b):
            with pytest.raises(StoreUnavailable):
                await world.value("k")
            with pytest.raises(StoreUnavailable):
                await world.do(RemoveEntry(ROOT, "not there"))
            with pytest.raises(StoreUnavailable):
                await world.set("k", "2")
        store.failure = None
        assert await a.value("k") == await b.value("k") == "1"
        assert (await b.set("k", "2")).revision == 2
