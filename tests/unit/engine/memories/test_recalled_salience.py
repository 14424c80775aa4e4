"""Recalls that are counted, but not yet recorded in the state, raise the salience at once."""

import pytest
from tests.unit.engine.remembering import get, listed, memories, recall, remember
from tests.unit.engine.world import World
from tests.unit.record_filters import of_memories

from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.memory import MemoryStatus
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import SaliencePolicy

FADING = MemoryPolicy(SaliencePolicy(half_life_ns=SECOND_NS, archive_below=0.2))


async def test_the_salience_of_a_memory_counts_the_recalls_that_it_has() -> None:
    async with World() as world:
        memory_id = await remember(world, "the fox is red")
        first = await get(world, memory_id)
        for _ in range(19):
            await get(world, memory_id)
        commits = await world.store.journal_end()
        known = await get(world, memory_id)
        assert known.access_count == 21
        assert known.salience == pytest.approx(0.5 + 0.5 * 0.3 * 21 / 31)
        assert first.salience == pytest.approx(0.5 + 0.5 * 0.3 * 1 / 11)
        assert await world.store.journal_end() == commits
        await world.cache.record_accesses()
        assert [each.salience for each in (await listed(world)).items] == [known.salience]


async def test_recalls_count_in_a_minimum_salience_at_once() -> None:
    async with World() as world:
        old, new = [await remember(world, content) for content in ("red fox runs", "blue fox swims")]
        least = (await get(world, new)).salience
        for _ in range(20):
            await get(world, old)
        chosen = of_memories(min_salience=least + 0.01)
        assert [each.memory.memory_id for each in (await listed(world, chosen)).items] == [old]


async def test_a_recall_of_the_past_or_at_rest_is_ranked_without_later_recalls() -> None:
    async with World() as world:
        memory_id = await remember(world, "the fox is red")
        before = (await recall(world, "fox", is_at_rest=True)).found[0]
        then = world.clock.now
        for _ in range(9):
            await get(world, memory_id)
        after = (await recall(world, "fox", is_at_rest=True)).found[0]
        assert (after.match, after.known.salience) == (before.match, before.known.salience)
        past, _ = await memories(world).get("a", memory_id, read_time=then)
        assert past.salience == before.known.salience


async def test_a_memory_that_is_recalled_is_not_archived() -> None:
    async with World(memories=FADING) as world:
        kept, faded = [await remember(world, f"the {animal} is red") for animal in ("fox", "hen")]
        for _ in range(4):
            world.clock.now += SECOND_NS
            await get(world, kept)
            await world.engine.maintenance.expire()
        state = (await world.cache.writer("a")).state.part(MEMORIES)
        assert state.memories[kept].status is MemoryStatus.ACTIVE
        assert state.memories[faded].status is MemoryStatus.ARCHIVED
        assert (await get(world, kept)).access_count == 5
