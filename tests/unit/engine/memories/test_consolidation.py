import asyncio
import logging
import random
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import fragment_draft
from tests.unit.engine.embedder import FakeEmbedder
from tests.unit.engine.remembering import change, found, remember, state
from tests.unit.engine.shared_store import SharedStore
from tests.unit.engine.world import World, settle, until

from memoryd_server.domain.agents.agent_change import AgentPatch, UpdateAgent
from memoryd_server.domain.agents.tier import ALL_FEATURES, Feature, Tier
from memoryd_server.domain.error import FeatureNotInTier, StoreUnavailable
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment_change import CreateFragment, DeleteFragment, FlushFragments
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import LeaseFragments
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.memories import consolidation

LONG_NS = 1_000 * SECOND_NS
LEASE_NS = 60 * SECOND_NS


async def store(world: World, content: str, *, threshold: int = 0, **fields: Any) -> str:
    drafted = msgspec.structs.replace(fragment_draft(content, world.clock.now + LONG_NS), **fields)
    stored = await change(world, CreateFragment(drafted, random.getrandbits(32), threshold, True))
    return str(stored.fragment_id)


async def flush(world: World) -> None:
    await change(world, FlushFragments(True))


def made(world: World) -> list[Memory]:
    """Return the memories of the agent, in the order of their creation."""
    return sorted(state(world).part(MEMORIES).memories.values(), key=lambda each: each.sequence)


def contents(world: World) -> list[str]:
    return [memory.content for memory in made(world)]


async def test_flushed_fragments_become_memories_and_leave_the_buffer_in_one_commit() -> None:
    async with World(consolidates=True) as world:
        ids = [await store(world, content) for content in ("Ann lives in Oslo", "first run make, then deploy")]
        await settle()
        assert state(world).part(MEMORIES).memories == LongTermMemory().memories
        await flush(world)
        await until(lambda: world.telemetry.fragments_consolidated_total.value == 2)
        assert [memory.memory_id for memory in made(world)] == ids
        assert [memory.type for memory in made(world)] == [MemoryType.SEMANTIC, MemoryType.PROCEDURAL]
        assert len(state(world).part(FRAGMENTS)) == len(state(world).part(FRAGMENTS).leases) == 0
        assert {memory.revision for memory in made(world)} == {state(world).revision}
        assert await found(world, "Oslo") == ["Ann lives in Oslo"]


async def test_the_threshold_alone_starts_a_consolidation() -> None:
    async with World(consolidates=True) as world:
        for content in ("one fox", "two dogs", "three cows"):
            await store(world, content, threshold=3)
        await until(lambda: len(made(world)) == 3)


FREE = Tier.of("free", ALL_FEATURES - {Feature.LONG_TERM}, {}, Limits())
PRO = Tier.of("pro", ALL_FEATURES, {}, Limits())


async def flush_in_tier(world: World, tier: str) -> None:
    world.engine.tiers.enforce([FREE, PRO])
    await change(world, UpdateAgent(AgentPatch(tier=tier)))
    await store(world, "one")
    await flush(world)


@pytest.mark.parametrize(("tier", "count"), [("free", 0), ("pro", 1)])
async def test_only_a_tier_with_memories_has_fragments_consolidated(tier: str, count: int) -> None:
    async with World() as world:
        await flush_in_tier(world, tier)
        working = consolidation.Consolidation(world.cache, world.engine.memories, world.telemetry)
        assert await working.consolidate("a") == count
        assert (len(made(world)), len(state(world).part(FRAGMENTS))) == (count, 1 - count)


async def test_a_tier_that_is_lowered_during_a_consolidation_gets_no_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        await flush_in_tier(world, "pro")
        completed = world.engine.memories.completed

        async def lowering(*arguments: Any) -> Any:
            await change(world, UpdateAgent(AgentPatch(tier="free")))
            return await completed(*arguments)

        monkeypatch.setattr(world.engine.memories, "completed", lowering)
        working = consolidation.Consolidation(world.cache, world.engine.memories, world.telemetry)
        with pytest.raises(FeatureNotInTier):
            await working.consolidate("a")
        assert (len(made(world)), len(state(world).part(FRAGMENTS))) == (0, 1)


async def test_fragments_are_consolidated_once_the_agent_has_a_tier_with_memories() -> None:
    async with World(consolidates=True) as world:
        await flush_in_tier(world, "free")
        await settle()
        await change(world, UpdateAgent(AgentPatch(tier="pro")))
        await until(lambda: contents(world) == ["one"])


async def test_events_of_a_consolidation_have_its_cause() -> None:
    async with World(consolidates=True) as world, world.watch("a") as watch:
        await store(world, "one")
        await flush(world)
        causes: dict[EventType, EventCause] = {}
        while EventType.MEMORY_CREATED not in causes:
            step = await watch.next()
            causes.update({event.type: event.cause for each in step.slices for event in each.events})
        assert causes[EventType.MEMORY_CREATED] is EventCause.CONSOLIDATION
        assert causes[EventType.FRAGMENT_DELETED] is EventCause.CONSOLIDATION


async def test_fragments_stay_in_the_buffer_without_consolidation() -> None:
    async with World() as world:
        await store(world, "one")
        await flush(world)
        await settle()
        assert (len(made(world)), len(state(world).part(FRAGMENTS).ready)) == (0, 1)


async def test_more_fragments_than_one_lease_holds_are_all_consolidated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consolidation, "CONSOLIDATED_FRAGMENTS_MAX", 3)
    async with World(consolidates=True) as world:
        for number in range(10):
            await store(world, f"number {number}")
        await flush(world)
        await until(lambda: len(made(world)) == 10)
        assert contents(world) == [f"number {number}" for number in range(10)]


async def test_a_duplicate_reinforces_a_memory_and_leaves_the_buffer() -> None:
    async with World(consolidates=True) as world:
        known = await remember(world, "Ann lives in Oslo")
        for _ in range(2):
            await store(world, "Ann lives in Oslo", participants=("ann",))
        await flush(world)
        await until(lambda: not len(state(world).part(FRAGMENTS)))
        (memory,) = made(world)
        assert (memory.memory_id, memory.reinforce_count) == (known, 2)


async def test_contradictions_and_relatives_are_linked() -> None:
    async with World(consolidates=True) as world:
        lives = await remember(world, "Ann lives in Oslo")
        hunts = await remember(world, "red foxes hunt small mice at night")
        moved = await store(world, "Ann lives in Bergen", participants=("ann",))
        noon = await store(world, "red foxes hunt small mice at noon", participants=("ann",))
        await flush(world)
        await until(lambda: len(made(world)) == 4)
        (link,) = state(world).part(MEMORIES).links_of(moved)
        assert (link.type, link.to_id) == (LinkType.CONTRADICTS, lives)
        (link,) = state(world).part(MEMORIES).links_of(noon)
        assert (link.type, link.to_id) == (LinkType.RELATED, hunts)


async def test_fragments_of_one_flush_contradict_each_other() -> None:
    async with World(consolidates=True) as world:
        lives = await store(world, "Ann lives in Oslo", participants=("ann",))
        moved = await store(world, "Ann moved to Bergen", participants=("ann",))
        await flush(world)
        await until(lambda: len(made(world)) == 2)
        (link,) = state(world).part(MEMORIES).links_of(lives)
        assert (link.type, link.from_id) == (LinkType.CONTRADICTS, moved)


async def test_a_causal_chain_becomes_links_to_existing_memories() -> None:
    async with World(consolidates=True) as world:
        cause = await store(world, "the disk was full", participants=("ann",))
        await flush(world)
        await until(lambda: len(made(world)) == 1)
        chain = (cause, "mem_ffffffff", "no id at all / really")
        effect = await store(world, "so the build broke", participants=("ann",), causal_chain=chain)
        await flush(world)
        await until(lambda: len(made(world)) == 2)
        (link,) = state(world).part(MEMORIES).links_of(effect)
        assert (link.from_id, link.to_id, link.type) == (effect, cause, LinkType.DERIVED_FROM)


async def test_a_consolidation_creates_no_link_between_owners() -> None:
    async with World(consolidates=True) as world:
        cause = await store(world, "the disk was full", participants=("ann",))
        await store(world, "so the build broke", participants=("bob",), causal_chain=(cause,))
        await flush(world)
        await until(lambda: len(made(world)) == 2)
        assert state(world).part(MEMORIES).link_count == 0


async def test_a_fragment_that_is_deleted_meanwhile_becomes_no_memory() -> None:
    embedder = FakeEmbedder(is_immediate=True)
    async with World(consolidates=True, embedder=embedder) as world:
        embedder.gate.clear()
        gone, stays = await store(world, "one fox"), await store(world, "two dogs")
        await flush(world)
        await until(lambda: embedder.asked)
        await change(world, DeleteFragment(gone))
        embedder.gate.set()
        await settle()
        assert made(world) == []
        world.clock.now += LEASE_NS
        await world.engine.maintenance.expire()
        await until(lambda: made(world))
        assert [memory.memory_id for memory in made(world)] == [stays]


async def test_a_refusal_leaves_the_fragments_until_their_lease_expires(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with World(consolidates=True, limits=Limits(memories_per_agent=1)) as world:
            known = await remember(world, "one")
            await store(world, "SECRET two")
            await flush(world)
            await until(lambda: caplog.records)
            assert (len(made(world)), len(state(world).part(FRAGMENTS))) == (1, 1)
            await change(world, PurgeMemory(known))
            world.clock.now += LEASE_NS
            await world.engine.maintenance.expire()
            await until(lambda: contents(world) == ["SECRET two"])
    assert "SECRET" not in caplog.text


async def test_consolidation_continues_after_the_store_was_unavailable() -> None:
    shared = SharedStore()
    async with World(shared, consolidates=True) as world:
        await store(world, "one")
        shared.failure, shared.failing = StoreUnavailable(), {"load"}
        await flush(world)
        await until(lambda: contents(world) == ["one"])


async def test_after_a_restart_the_sweeper_consolidates_only_the_waiting_fragments() -> None:
    async with World() as world:
        await store(world, "one")
        await flush(world)
        await world.set("k", agent_id="b")
    async with World(world.store, consolidates=True) as again:
        await settle()
        assert again.cache.peek("a") is None
        await again.engine.maintenance.expire()
        await until(lambda: contents(again) == ["one"])
        assert again.cache.peek("b") is None
        assert await world.store.due_agents(again.clock.now, 9) == []


async def test_fragments_that_a_killed_daemon_had_leased_are_consolidated_by_the_next() -> None:
    async with World() as world:
        await store(world, "one")
        await flush(world)
        await change(world, LeaseFragments("killed", 10, LEASE_NS))
    async with World(world.store, consolidates=True) as again:
        again.clock.now += LEASE_NS - 1
        await again.engine.maintenance.expire()
        await settle()
        again.clock.now += 1
        await again.engine.maintenance.expire()
        await until(lambda: contents(again) == ["one"])


async def test_a_client_and_the_daemon_share_the_fragments() -> None:
    async with World(consolidates=True) as world:
        for number in range(5):
            await store(world, f"number {number}")
        flushing = asyncio.create_task(flush(world))
        leasing = asyncio.create_task(change(world, LeaseFragments("outside", 2, LEASE_NS)))
        await flushing
        leased = await leasing
        assert leased.lease is not None
        await until(lambda: len(made(world)) == 3)
        assert len(state(world).part(FRAGMENTS)) == 2
