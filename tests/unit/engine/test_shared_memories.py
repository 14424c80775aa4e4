"""One agent's memories through several engines: a memory that one creates, the others recall at once."""

import asyncio

from tests.unit.domain.sample import IDENTITY, memory_draft
from tests.unit.engine.remembering import (
    create,
    forget,
    found,
    link,
    memories,
    purge,
    recall,
    remember,
    restore,
    rewrite,
    state,
)
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World

from memoryd_server.domain.lifecycle.agent_change import ClearAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_creation import CreateMemoryOutcome
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import CLEARED_BY_DEFAULT, RecordKind
from memoryd_server.engine.images.snapshots import RestoreOptions


async def indexed(world: World) -> dict[str, str]:
    """Use the engine's index and return its contents by memory id."""
    await recall(world, "any")
    return {memory_id: each.memory.content for memory_id, each in world.indexes[-1].held.items()}


async def test_a_change_by_one_engine_is_recalled_by_all_at_once() -> None:
    async with sharing(SharedStore()) as (a, b):
        memory_id = await remember(a, "red fox")
        assert await found(b, "fox") == ["red fox"]
        await rewrite(b, memory_id, "grey fox")
        assert await found(a, "fox") == ["grey fox"]
        await forget(a, memory_id)
        assert await found(b, "fox") == []
        await restore(b, memory_id)
        assert await found(a, "fox") == await found(b, "fox") == ["grey fox"]
        await purge(a, memory_id)
        assert await found(b, "fox") == []


async def test_commits_of_another_engine_update_the_index_without_a_rebuild() -> None:
    async with sharing(SharedStore()) as (a, b):
        first = await remember(a, "one")
        await recall(b, "one")
        second = await remember(a, "two")
        await link(a, first, second)
        await recall(b, "two")
        (index,) = b.indexes
        assert index.puts == [first, first, second]
        assert index.held[first].links == ((second, 0.5),)


async def test_the_index_is_correct_after_the_agent_was_loaded_again() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        gone, changed = await remember(a, "gone"), await remember(a, "changed")
        assert await indexed(b) == {gone: "gone", changed: "changed"}
        await purge(a, gone)
        await rewrite(a, changed, "other")
        await store.prune_journal(0, 0)
        created = await remember(a, "created")
        assert await indexed(b) == await indexed(a) == {changed: "other", created: "created"}


async def test_a_duplicate_through_one_engine_reinforces_the_memory_of_another() -> None:
    async with sharing(SharedStore()) as (a, b):
        (first,) = await create(a, memory_draft("Ann lives in Oslo"))
        (again,) = await create(b, memory_draft("Ann lives in Oslo"))
        assert (again.outcome, again.memory_id) == (CreateMemoryOutcome.REINFORCED, first.memory_id)
        (moved,) = await create(b, memory_draft("Ann lives in Bergen"))
        assert moved.contradicts == (first.memory_id,)


async def test_duplicates_through_several_engines_at_once_create_one_memory() -> None:
    async with sharing(SharedStore(), 3) as worlds:
        made = await asyncio.gather(*(create(world, memory_draft("Ann lives in Oslo")) for world in worlds))
        outcomes = sorted(created.outcome.name for (created,) in made)
        assert outcomes == ["CREATED", "REINFORCED", "REINFORCED"]


async def test_each_engine_finds_all_memories_that_several_create_at_once() -> None:
    async with sharing(SharedStore(), 3) as worlds:

        async def work(world: World, name: str) -> None:
            for number in range(10):
                await remember(world, f"{name}x{number}")
                for reader in worlds:
                    assert await found(reader, f"{name}x{number}") == [f"{name}x{number}"]

        await asyncio.gather(*(work(world, f"w{number}") for number, world in enumerate(worlds)))
        held = [await indexed(world) for world in worlds]
        assert held[0] == held[1] == held[2]
        assert len(held[0]) == 30


async def test_vectors_links_and_earlier_versions_reach_the_other_engine() -> None:
    async with sharing(SharedStore()) as (a, b):
        assert await found(b, "any") == []
        first = await remember(a, "red fox", identity=IDENTITY, vector=b"12345678", is_vector_given=True)
        then = a.clock.now
        a.clock.now += SECOND_NS
        await rewrite(a, first, "grey wolf")
        assert await found(b, "fox", read_time=then) == ["red fox"]
        second = await remember(b, "two", identity=IDENTITY, vector=b"abcdefgh", is_vector_given=True)
        assert await found(a, "", vector=(IDENTITY, b"abcdefgh")) == ["two"]
        await link(b, first, second)
        known, _ = await memories(a).get("a", first)
        assert known.link_count == 1


async def test_faded_memories_are_archived_once_and_expire_in_all_engines() -> None:
    async with sharing(SharedStore()) as (a, b):
        await remember(a, "ends", expire_time=a.clock.now + SECOND_NS)
        faded = await remember(a, "fades", importance=0.1)
        assert len(await indexed(b)) == 2
        archive_time = state(a).part(MEMORIES).memories[faded].archive_time
        assert archive_time is not None
        a.clock.now = archive_time
        await asyncio.gather(a.engine.maintenance.expire(), b.engine.maintenance.expire())
        for world in (a, b):
            writer = await world.cache.current("a")
            assert [each.status.name for each in writer.state.part(MEMORIES).memories.values()] == ["ARCHIVED"]
        assert state(a).part(MEMORIES).memories[faded].revision == state(a).revision


async def test_a_restore_reaches_all_engines_without_contents_that_are_kept_out() -> None:
    async with sharing(SharedStore()) as (a, b):
        kept, gone = await remember(a, "kept fox"), await remember(a, "gone fox")
        await link(a, kept, gone)
        snapshot = await a.engine.snapshots.create("a", "", "request")
        await purge(b, gone, blocks_reimport=True)
        await change_all(b, kept)
        await a.engine.snapshots.restore(snapshot.snapshot_id, RestoreOptions("a"))
        assert await found(a, "fox") == await found(b, "fox") == ["kept fox"]
        await a.engine.snapshots.restore(snapshot.snapshot_id, RestoreOptions("a", "clone"))
        assert sorted(await found(b, "fox", agent="clone")) == ["gone fox", "kept fox"]
        assert state(b, "clone").part(MEMORIES).link_count == 1


async def change_all(world: World, memory_id: str) -> None:
    await rewrite(world, memory_id, "other words")
    clearing = ClearAgent(kinds=CLEARED_BY_DEFAULT | {RecordKind.MEMORY})
    await world.do(clearing)


async def test_concurrent_purges_by_several_engines_are_all_complete() -> None:
    store = SharedStore()
    async with sharing(store, 3) as worlds:
        ids = [await remember(worlds[0], f"secret {number}") for number in range(9)]
        await asyncio.gather(*(purge(worlds[n % 3], memory_id) for n, memory_id in enumerate(ids)))
        shard = store.shard_of("a")
        rows = (await store.read_journal(await store.journal_start(shard) - 1, 10_000, ("a",), shard)).rows
        assert not [row for row in rows if b"secret" in row.data]
        assert await store.due_agents(worlds[0].clock.now, 9) == []
