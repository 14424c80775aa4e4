import asyncio
import gc
import weakref

import pytest
from tests.unit.domain.sample import records_of
from tests.unit.engine.remembering import change, remember
from tests.unit.engine.world import World, draft, request, settle, until

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import SchemaTooNew, StorageFull, StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import REQUESTS_REMEMBERED_NS_MAX, SECOND_NS, Limits
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.ports.store import AgentHead, Commit, Record


def loaded(world: World) -> list[str]:
    return [writer.state.agent_id for writer in world.cache.loaded()]


async def test_concurrent_first_uses_load_an_agent_once() -> None:
    async with World() as world:
        world.held.load_gate.clear()
        reads = [asyncio.create_task(world.value("k")) for _ in range(50)]
        await settle()
        world.held.load_gate.set()
        assert set(await asyncio.gather(*reads)) == {None}
        assert world.held.loads == ["a"]


async def test_a_cancelled_first_use_does_not_cancel_the_others() -> None:
    async with World() as world:
        world.held.load_gate.clear()
        first, second = (asyncio.create_task(world.value("k")) for _ in range(2))
        await settle()
        first.cancel()
        await settle()
        world.held.load_gate.set()
        assert await second is None
        assert first.cancelled()
        assert world.held.loads == ["a"]


async def test_a_failed_load_leaves_no_agent_in_the_cache() -> None:
    async with World() as world:
        world.held.load_failure = StoreUnavailable()
        answers = await asyncio.gather(world.value("k"), world.set("k"), return_exceptions=True)
        assert [type(answer) for answer in answers] == [StoreUnavailable, StoreUnavailable]
        assert loaded(world) == []
        world.held.load_failure = None
        await world.set("k")
        assert await world.value("k") == "1"


async def test_commits_are_kept_when_the_agent_is_evicted_and_loaded_again() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        scope_id = (await world.do(CreateScope("s", ROOT, "scope"))).scope.scope_id
        await world.set("k", "2", scope_id=scope_id, ttl_ns=SECOND_NS)
        await world.do(ReserveEntry(ROOT, "r", "t", SECOND_NS))
        before = (await world.cache.writer("a")).state
        await world.set("k", agent_id="b")
        assert loaded(world) == ["b"]
        after = (await world.cache.writer("a")).state
        assert records_of(after) == records_of(before)
        assert (after.revision, after.next_deadline) == (3, before.next_deadline)
        assert loaded(world) == ["a"]


async def test_the_least_recently_used_agents_are_evicted_when_there_are_too_many() -> None:
    async with World(cache=CacheSize(agents_max=2)) as world:
        await world.set("k", agent_id="a")
        await world.set("k", agent_id="b")
        await world.memory.contains_entry("a", ROOT, "k", local_only=False)
        await world.set("k", agent_id="c")
        assert loaded(world) == ["a", "c"]


async def test_agents_are_evicted_when_they_take_too_many_bytes() -> None:
    async with World(cache=CacheSize(bytes_max=100_000)) as world:
        for agent_id in ("a", "b", "c"):
            await world.set("k", f'"{"x" * 40_000}"', agent_id)
        assert loaded(world) == ["b", "c"]


async def test_digests_of_kept_out_contents_count_as_bytes() -> None:
    async with World(cache=CacheSize(bytes_max=100_000)) as world:
        for agent_id in ("a", "b"):
            for number in range(100):
                memory_id = await remember(world, f"fox {number}", agent=agent_id)
                await change(world, PurgeMemory(memory_id, blocks_reimport=True), agent_id)
        assert loaded(world) == ["b"]


async def test_the_only_agent_is_not_evicted_however_large() -> None:
    async with World(cache=CacheSize(bytes_max=1)) as world:
        await world.set("k", f'"{"x" * 10_000}"')
        assert loaded(world) == ["a"]


async def test_busy_agents_are_not_evicted_above_the_bounds() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        world.held.holds = True
        setting = asyncio.create_task(world.set("k", agent_id="a"))
        await until(lambda: world.held.waiting)
        reading = asyncio.create_task((await world.cache.writer("b")).wait_for(WORKING_MEMORY.name, 1e9, "k"))
        await settle()
        await world.value("k", agent_id="c")
        assert {"a", "b"} <= set(loaded(world))
        world.held.release()
        assert (await setting).revision == 1
        reading.cancel()


async def test_a_read_sees_all_acknowledged_writes_while_agents_are_loaded_and_evicted() -> None:
    """Agents that are loaded together evict each other before their first command arrives."""
    async with World(cache=CacheSize(agents_max=1)) as world:
        names = [f"agent-{number}" for number in range(20)]
        for value in ("1", "2", "3"):
            await asyncio.gather(*(world.set("k", value, name) for name in names))
            assert await asyncio.gather(*(world.value("k", name) for name in names)) == [value] * len(names)


async def test_access_counts_are_stored_before_an_agent_is_evicted() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        await world.set("k")
        for _ in range(3):
            await world.value("k")
        await world.set("k", agent_id="b")
        await settle()
        await world.set("k", agent_id="c")
        assert "a" not in loaded(world)
        found, _ = await world.memory.get_entry("a", ROOT, "k", local_only=False)
        assert (found.access_count, found.last_access_time) == (3, world.clock.now)
        assert found.entry.revision == 1


async def test_access_counts_are_not_stored_while_the_queue_is_full() -> None:
    async with World(cache=CacheSize(agents_max=1), limits=Limits(queued_commands_per_agent=1)) as world:
        await world.set("k")
        await world.value("k")
        world.held.holds = True
        in_flight = asyncio.create_task(world.set("l"))
        await until(lambda: world.held.waiting)
        queued = asyncio.create_task(world.set("m"))
        other = asyncio.create_task(world.set("k", agent_id="b"))
        await until(lambda: len(world.held.waiting) == 2)
        world.held.holds = False
        world.held.waiting.reverse()
        world.held.release()
        assert (await other).revision == 1
        await world.cache.record_accesses()
        world.held.release()
        assert [(await each).revision for each in (in_flight, queued)] == [2, 3]


async def test_recording_access_counts_keeps_revisions_and_later_counts() -> None:
    async with World() as world:
        await world.set("k")
        await world.value("k")
        await world.cache.record_accesses()
        assert (await world.cache.writer("a")).state.revision == 1
        assert world.held.commits[-1].journal is None
        await world.value("k")
        listed = await world.memory.get_entry("a", ROOT, "k", local_only=True)
        assert listed[0].access_count == 2
        await world.cache.record_accesses()
        await world.cache.record_accesses()
        assert len(world.held.commits) == 3


async def test_an_expired_entrys_reads_do_not_count_for_its_successor() -> None:
    async with World() as world:
        await world.set("k", ttl_ns=SECOND_NS)
        await world.value("k")
        world.clock.now += SECOND_NS
        await world.set("k")
        found, _ = await world.memory.get_entry("a", ROOT, "k", local_only=False)
        assert (found.access_count, found.last_access_time) == (0, None)


async def test_requests_are_kept_by_an_agent_that_is_loaded_again() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        setting = SetEntry(ROOT, draft("k"), "id")
        first = await world.do(setting, "a", request("r"))
        await world.do(EndAgent(), "a", request("end"))
        await world.set("k", agent_id="b")
        assert loaded(world) == ["b"]
        assert await world.do(setting, "a", request("r")) == first.remembered
        assert (await world.do(EndAgent(), "a", request("end"))).revision == 2
        world.clock.now += REQUESTS_REMEMBERED_NS_MAX + 1
        await world.set("k", agent_id="b")
        assert (await world.do(setting, "a", request("r"))).revision == 3


async def test_the_agent_is_loaded_again_after_a_failed_commit() -> None:
    async with World() as world:
        await world.set("k")
        world.held.holds = True
        failing = asyncio.create_task(world.set("k", "2"))
        await until(lambda: world.held.waiting)
        world.held.fail(StoreUnavailable())
        with pytest.raises(StoreUnavailable):
            await failing
        world.held.holds = False
        assert await world.value("k") == "1"
        assert world.held.loads == ["a", "a"]
        assert loaded(world) == ["a"]


async def test_the_agent_is_not_loaded_again_when_the_store_is_full() -> None:
    async with World() as world:
        await world.set("k")
        world.held.holds = True
        failing = asyncio.create_task(world.set("k", "2"))
        await until(lambda: world.held.waiting)
        world.held.fail(StorageFull())
        with pytest.raises(StorageFull):
            await failing
        world.held.holds = False
        assert await world.value("k") == "1"
        assert world.held.loads == ["a"]


async def test_the_agent_is_loaded_again_after_a_commit_of_another_writer() -> None:
    async with World() as world:
        await world.set("k")
        stored = await world.held.load("a")
        assert stored is not None
        head = AgentHead("a", 2, 1, 1, 1)
        await world.held.commit(Commit(head, 1, journal=b"\x03\x92\x90\x90"))
        with pytest.raises(StoreUnavailable):
            await world.set("l")
        assert (await world.set("l")).revision == 3


async def test_a_record_of_a_newer_version_blocks_only_its_agent() -> None:
    async with World() as world:
        head = AgentHead("new", 1, 1, 1, 1)
        await world.held.commit(Commit(head, 0, puts=(Record("entry", "/k", b"\x04"),), journal=b"\x03\x92\x90\x90"))
        for _ in range(2):
            with pytest.raises(SchemaTooNew):
                await world.value("k", "new")
        await world.set("k")


async def test_an_ended_agent_continues_its_revisions_while_its_head_is_kept() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        await world.set("k")
        await world.do(EndAgent())
        await world.value("k", "b")
        assert loaded(world) == ["b"]
        assert (await world.set("k")).revision == 3


async def test_an_agent_whose_head_was_pruned_is_created_again_without_a_failed_write() -> None:
    async with World() as world:
        await world.set("k")
        await world.do(EndAgent())
        world.clock.now += 30 * 86_400 * SECOND_NS
        await world.engine.maintenance.prune_journal()
        assert (await world.set("k")).revision == 1


async def test_an_evicted_agent_is_freed_without_a_garbage_collection() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        await world.set("k", agent_id="a")
        gone = weakref.ref(await world.cache.writer("a"))
        gc.disable()
        try:
            await world.set("k", agent_id="b")
            await settle()
            assert world.cache.peek("a") is None
            assert gone() is None
        finally:
            gc.enable()
