import logging

import msgspec
import pytest
from tests.unit.engine.world import QUIET, World, until

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.engine.upkeep.maintenance import Schedule
from memoryd_server.ports.store import AgentHead, AgentQuery, Commit, Record


async def test_expired_records_are_deleted_from_agents_that_are_not_loaded() -> None:
    async with World(cache=CacheSize(agents_max=1)) as world:
        for agent_id in ("a", "b", "c"):
            await world.set("k", agent_id=agent_id, ttl_ns=SECOND_NS)
        await world.engine.maintenance.expire()
        assert await world.store.journal_end() == 3
        world.clock.now += SECOND_NS
        async with world.watch() as watch:
            await world.engine.maintenance.expire()
            assert await watch.keys(3) == ["k", "k", "k"]
        assert await world.store.due_agents(world.clock.now, 9) == []
        heads = await world.store.list_agents(AgentQuery(9))
        assert [(head.record_count, head.next_deadline) for head, _ in heads] == [(0, None)] * 3


async def test_an_agent_that_cannot_be_loaded_does_not_block_the_expiry_of_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with World() as world:
        damaged = AgentHead("damaged", 1, 1, 1, 1, next_deadline=1)
        await world.held.commit(Commit(damaged, 0, puts=(Record("entry", "/k", b""),), journal=b"\x03\x92\x90\x90"))
        await world.set("k", ttl_ns=SECOND_NS)
        world.clock.now += SECOND_NS
        with caplog.at_level(logging.WARNING):
            await world.engine.maintenance.expire()
        assert (await world.cache.writer("a")).state.part(WORKING_MEMORY).entry_count == 0
        assert [record.agent_id for record in caplog.records] == ["damaged"]  # type: ignore[attr-defined]


async def test_a_removed_deadline_is_due_only_once() -> None:
    async with World() as world:
        await world.set("k", ttl_ns=SECOND_NS)
        await world.set("k")
        world.clock.now += SECOND_NS
        assert await world.store.due_agents(world.clock.now, 9) == ["a"]
        await world.engine.maintenance.expire()
        assert await world.store.due_agents(world.clock.now, 9) == []
        assert (await world.cache.writer("a")).state.revision == 2


async def test_expired_reservations_are_swept() -> None:
    async with World() as world:
        await world.do(ReserveEntry(ROOT, "k", "t", SECOND_NS))
        world.clock.now += SECOND_NS
        await world.engine.maintenance.expire()
        assert not (await world.cache.writer("a")).state.part(WORKING_MEMORY).reservations
        assert await world.store.due_agents(world.clock.now, 9) == []


async def test_the_journal_is_limited_in_rows_and_age() -> None:
    schedule = msgspec.structs.replace(QUIET, journal_rows_max=2, journal_age_max_s=10.0)
    async with World(schedule=schedule) as world:
        for key in ("a", "b", "c"):
            await world.set(key)
        await world.engine.maintenance.prune_journal()
        assert await world.store.journal_start() == 2
        world.clock.now += 11 * SECOND_NS
        await world.set("d")
        await world.engine.maintenance.prune_journal()
        assert await world.store.journal_start() == 4
        assert await world.value("a") == "1"


async def test_the_number_of_automatic_snapshots_is_limited() -> None:
    async with World(schedule=msgspec.structs.replace(QUIET, snapshots_kept_max=2)) as world:
        await world.engine.snapshots.create("", "asked-for", "request")
        for _ in range(4):
            await world.engine.maintenance.snapshot()
            world.clock.now += 1
        assert len(world.repository.snapshots) == 3
        assert "asked-for" in world.repository.snapshots


async def test_scheduled_maintenance_continues_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    schedule = Schedule(0.001, 0.001, 0.001, snapshot_interval_s=0.001)
    caplog.set_level(logging.WARNING)
    world = World(schedule=schedule)
    world.repository.failure = StoreUnavailable()
    async with world:
        await world.set("k", ttl_ns=SECOND_NS)
        await until(lambda: any(vars(each).get("task") == "snapshot" for each in caplog.records))
        world.repository.failure = ValueError("a defect")
        await until(lambda: "a defect" in caplog.text)
        world.repository.failure = None
        world.clock.now += SECOND_NS
        writer = await world.cache.writer("a")
        await until(lambda: world.repository.snapshots and not writer.state.part(WORKING_MEMORY).entry_count)
        tasks = world.engine.maintenance._tasks
    assert len(tasks) == 5
    assert all(task.done() for task in tasks)


async def test_an_unavailable_store_is_tried_again() -> None:
    async with World() as world:
        await world.set("k", ttl_ns=SECOND_NS)
        await world.do(EndAgent(), "a")
        await world.set("k", agent_id="b", ttl_ns=SECOND_NS)
        world.clock.now += SECOND_NS
        world.cache.forget_ended()
        writer = await world.cache.writer("b")
        writer._on_failure(writer)
        world.held.load_failure = StoreUnavailable()
        await world.engine.maintenance.expire()
        world.held.load_failure = None
        await world.engine.maintenance.expire()
        assert (await world.cache.writer("b")).state.part(WORKING_MEMORY).entry_count == 0
