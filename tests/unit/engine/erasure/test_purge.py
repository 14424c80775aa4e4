import asyncio

import pytest
from tests.unit.domain.sample import IDENTITY, fragment_draft, memory_draft
from tests.unit.engine.embedder import FakeEmbedder
from tests.unit.engine.journal_data import events, journal_data
from tests.unit.engine.remembering import (
    change,
    create,
    forget,
    found,
    link,
    memories,
    purge,
    remember,
    restore,
    rewrite,
    state,
)
from tests.unit.engine.shared_store import SharedStore, sharing
from tests.unit.engine.world import World, request, until

from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.fragments.fragment_change import CreateFragment, FlushFragments
from memoryd_server.domain.fragments.lease_change import ConsolidateFragments, LeaseFragments
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, ReinforceMemory, UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, MemoryPurged, PurgeMemory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.engine.agents.write import UNCONDITIONAL

SECRET = "the secret fox"
VECTOR = b"sEcReTvE"


async def test_after_a_purge_the_journal_has_the_events_of_a_memory_without_its_content() -> None:
    async with World() as world:
        memory_id = await remember(
            world, SECRET, tags=("secret tag",), identity=IDENTITY, vector=VECTOR, is_vector_given=True
        )
        await remember(world, "the other fox")
        await rewrite(world, memory_id, "more of the secret")
        await forget(world, memory_id)
        await restore(world, memory_id)
        before = await events(world.store)
        assert b"secret" in await journal_data(world.store)
        await purge(world, memory_id)
        after = await journal_data(world.store)
        assert (b"secret" in after, b"ann" in after, b"the other fox" in after) == (False, True, True)
        left = await events(world.store)
        assert [(each.type, each.revision, each.subject.memory_id) for each in left[: len(before)]] == [
            (each.type, each.revision, each.subject.memory_id) for each in before
        ]
        assert left[-1].subject.memory_id == memory_id
        assert len(state(world).part(MEMORIES).purges) == 0
        assert await world.store.due_agents(world.clock.now, 9) == []


async def test_a_blocked_content_is_refused_and_only_its_digest_is_stored() -> None:
    async with World() as world:
        memory_id = await remember(world, SECRET)
        await purge(world, memory_id, blocks_reimport=True)
        (again,) = await create(world, memory_draft(SECRET))
        assert (again.outcome, again.memory_id) == (CreateMemoryOutcome.BLOCKED, "")
        assert b"secret" not in await journal_data(world.store)
        stored = await world.store.load("a")
        assert stored is not None
        assert [record.kind for record in stored.records] == ["purge"]
        assert b"secret" not in stored.records[0].data


async def test_after_a_purge_the_journal_has_the_results_of_requests_without_its_content() -> None:
    async with World() as world:
        use = memories(world)
        drafts = (memory_draft(SECRET, memory_id="m", tags=("secret tag",)),)
        creating = await use.create_command("a", drafts, returns_content=True)
        await use.change("a", creating, request("create"))
        patch = MemoryPatch(content="more of the secret")
        await use.change("a", UpdateMemory("m", patch, use.policy), request("update"))
        await use.change("a", ReinforceMemory("m", use.policy), request("reinforce"))
        await use.change("a", ForgetMemory("m", use.policy), request("forget"))
        await use.change("a", ForgetMemory("unknown", use.policy), request("forget none"))
        creating = await use.create_command("a", (memory_draft("the other fox"),), returns_content=True)
        await use.change("a", creating, request("other"))
        await use.change("a", PurgeMemory("m"), request("purge"))
        await use.erase("a")
        after = await journal_data(world.store)
        assert (b"secret" in after, b"the other fox" in after) == (False, True)
        assert await use.change("a", PurgeMemory("m"), request("purge")) == MemoryPurged(True, 6)


async def test_a_watch_from_the_beginning_yields_no_purged_content() -> None:
    async with World() as world:
        await purge(world, await remember(world, SECRET))
        await remember(world, "last")
        contents: list[str] = []
        async with world.watch("a", after_revision=0) as watch:
            while "last" not in contents:
                step = await watch.next()
                contents += [
                    event.subject.memory.content
                    for each in step.slices
                    for event in each.events
                    if event.subject.memory
                ]
        assert contents == ["", "last"]


async def test_a_purge_whose_erasure_fails_raises_and_is_completed_later() -> None:
    store = SharedStore()
    async with World(store) as world:
        memory_id = await remember(world, SECRET)
        failing, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await purge(world, memory_id)
        assert await found(world, "fox") == []
        assert b"secret" in await journal_data(store)
        await world.engine.maintenance.expire()
        assert b"secret" in await journal_data(store)
        store.rewrite_journal = failing  # type: ignore[method-assign]
    async with World(store) as again:
        await again.engine.maintenance.expire()
        assert b"secret" not in await journal_data(store)
        assert len(state(again).part(MEMORIES).purges) == 0
        assert await store.due_agents(again.clock.now, 9) == []


async def test_a_new_memory_with_the_id_of_a_purged_one_keeps_its_content_in_all_daemons() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await remember(a, SECRET, memory_id="m")
        assert await found(b, "fox") == [SECRET]
        failing, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await purge(a, "m")
        store.rewrite_journal = failing  # type: ignore[method-assign]
        await remember(a, "another fox", memory_id="m", identity=IDENTITY, vector=VECTOR, is_vector_given=True)
        await rewrite(a, "m", "a red fox")
        await a.engine.maintenance.expire()
        assert await found(b, "fox") == await found(a, "fox") == ["a red fox"]
        assert state(b).part(MEMORIES).versions == state(a).part(MEMORIES).versions
        data = await journal_data(store)
        assert (b"secret" in data, b"another fox" in data) == (False, True)
        assert len(state(a).part(MEMORIES).unerased) == 0


async def test_concurrent_purges_by_two_daemons_of_memories_in_one_row_are_both_complete() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await create(a, memory_draft(f"{SECRET} 1", memory_id="m1"), memory_draft(f"{SECRET} 2", memory_id="m2"))
        rewriting, is_held, may_go_on = store.rewrite_journal, asyncio.Event(), asyncio.Event()

        async def rewrite_late(agent_id: str, rows: dict[int, bytes]) -> int:
            if not is_held.is_set():
                is_held.set()
                await may_go_on.wait()
            return await rewriting(agent_id, rows)

        store.rewrite_journal = rewrite_late  # type: ignore[method-assign]
        late = asyncio.create_task(purge(a, "m1"))
        await is_held.wait()
        await purge(b, "m2")
        may_go_on.set()
        await late
        assert b"secret" not in await journal_data(store)
        await b.engine.maintenance.expire()
        assert len(state(a).part(MEMORIES).purges) == len(state(b).part(MEMORIES).purges) == 0


async def test_a_purge_is_completed_while_an_earlier_one_of_its_id_is_completed() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (world,):
        await remember(world, "the first fox", memory_id="m")
        rewriting, again = store.rewrite_journal, asyncio.Event()

        async def rewrite_late(agent_id: str, rows: dict[int, bytes]) -> int:
            rewritten = await rewriting(agent_id, rows)
            if not rows and not again.is_set():
                again.set()
                await remember(world, SECRET, memory_id="m")
                await change(world, PurgeMemory("m"))
            return rewritten

        store.rewrite_journal = rewrite_late  # type: ignore[method-assign]
        await purge(world, "m")
        assert set(state(world).part(MEMORIES).unerased) == {"m"}
        await world.engine.maintenance.expire()
        assert b"secret" not in await journal_data(store)
        assert len(state(world).part(MEMORIES).purges) == 0


async def _refuses(*_: object) -> int:
    raise StoreUnavailable


async def test_expired_records_are_deleted_although_a_purge_cannot_be_completed() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (world,):
        await purge_without_erasure(world, await remember(world, SECRET))
        await world.set("k", ttl_ns=SECOND_NS)
        world.clock.now += SECOND_NS
        store.rewrite_journal = _refuses  # type: ignore[method-assign]
        await world.engine.maintenance.expire()
        assert (state(world).part(WORKING_MEMORY).entry_count, len(state(world).part(MEMORIES).unerased)) == (0, 1)


async def test_an_agent_ends_after_its_purges_are_complete() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (world,):
        await purge_without_erasure(world, await remember(world, SECRET))
        failing, store.rewrite_journal = store.rewrite_journal, _refuses  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await end(world)
        assert state(world).exists
        store.rewrite_journal = failing  # type: ignore[method-assign]
        assert (await end(world)).revision == 3
        assert (state(world).exists, b"secret" in await journal_data(store)) == (False, False)


async def test_a_restore_completes_the_purges_of_an_agent_before_it_ends_it() -> None:
    store = SharedStore()
    async with sharing(store, 1) as (world,):
        await remember(world, "kept", agent="b")
        await world.engine.snapshots.create("", "s", "manual")
        await purge_without_erasure(world, await remember(world, SECRET))
        assert (await world.engine.snapshots.restore("s")).ended_agent_count == 1
        assert b"secret" not in await journal_data(store)


async def test_a_purge_concurrent_with_the_end_of_its_agent_leaves_nothing() -> None:
    async with World() as world:
        memory_id = await remember(world, SECRET)
        await asyncio.gather(purge(world, memory_id), end(world))
        assert (state(world).exists, b"secret" in await journal_data(world.store)) == (False, False)


async def purge_without_erasure(world: World, memory_id: str) -> None:
    """Purge a memory from the records alone."""
    await change(world, PurgeMemory(memory_id))


async def end(world: World) -> AgentCleared:
    """End the agent."""
    ended, _ = await world.engine.agents.end("a", EndAgent(), UNCONDITIONAL, create_snapshot=False)
    return ended


async def test_concurrent_purges_are_all_complete() -> None:
    async with World() as world:
        ids = [await remember(world, f"secret {number}") for number in range(10)]
        await asyncio.gather(*(purge(world, memory_id) for memory_id in ids))
        assert b"secret" not in await journal_data(world.store)
        assert (len(state(world).part(MEMORIES)), len(state(world).part(MEMORIES).purges)) == (0, 0)


async def test_the_links_of_a_purged_memory_are_deleted() -> None:
    async with World() as world:
        first, second = await remember(world, "one"), await remember(world, SECRET)
        await link(world, first, second)
        await found(world, "one")
        await purge(world, second)
        await found(world, "one")
        assert world.indexes[0].held[first].links == ()
        assert state(world).part(MEMORIES).link_count == 0


async def test_deleting_a_long_forgotten_memory_is_no_purge_by_request() -> None:
    async with World(memories=MemoryPolicy(forgotten_ns=SECOND_NS)) as world:
        await forget(world, await remember(world, "one"))
        world.clock.now += SECOND_NS
        await world.engine.maintenance.expire()
        assert (len(state(world).part(MEMORIES)), len(state(world).part(MEMORIES).purges)) == (0, 0)


async def test_the_fragment_of_a_purged_memory_is_erased() -> None:
    async with sharing(SharedStore(), 1) as (world,):
        fragment_id = await consolidated(world, SECRET)
        await purge(world, fragment_id)
        assert b"secret" not in await journal_data(world.store)


async def test_a_fragment_with_the_same_id_as_a_purged_memory_by_chance_is_kept() -> None:
    async with sharing(SharedStore(), 2) as (a, b):
        drafted = fragment_draft("another fox", a.clock.now + SECOND_NS)
        stored = await change(a, CreateFragment(drafted, 7))
        await remember(a, SECRET, memory_id=stored.fragment_id)
        await purge(a, stored.fragment_id)
        assert [each.content for each in (await b.engine.fragments.search("a", "fox", 9))[0]] == ["another fox"]
        assert b"another fox" in await journal_data(a.store)
        assert b"secret" not in await journal_data(a.store)


async def consolidated(world: World, content: str) -> str:
    """Create a memory from a fragment. Return the id of both."""
    drafted = fragment_draft(content, world.clock.now + SECOND_NS)
    stored = await change(world, CreateFragment(drafted, 7))
    await change(world, FlushFragments())
    await change(world, LeaseFragments("token", 9, SECOND_NS))
    creates = CreateMemories((memory_draft(content, memory_id=stored.fragment_id),), "x", MemoryPolicy())
    await change(world, ConsolidateFragments("token", frozenset({stored.fragment_id}), creates))
    return str(stored.fragment_id)


async def test_a_daemon_that_lags_behind_a_purge_reaches_the_same_state() -> None:
    store = SharedStore()
    async with sharing(store) as (a, b):
        await remember(b, "seen by both")
        fragment_id = await consolidated(a, "secret of a fragment")
        memory_id = await remember(a, SECRET, identity=IDENTITY, vector=VECTOR, is_vector_given=True)
        await rewrite(a, memory_id, "more of the secret")
        await forget(a, memory_id)
        await purge(a, memory_id, blocks_reimport=True)
        await purge(a, fragment_id)
        await remember(a, "last of all")
        assert await found(b, "seen") == ["seen by both"]
        for name in ("memories", "embeddings", "links", "versions", "purges", "blocked", "unerased", "deadlines"):
            assert getattr(state(b).part(MEMORIES), name) == getattr(state(a).part(MEMORIES), name)
        assert state(b).size_bytes == state(a).size_bytes
        assert store.asked["load"] <= 2
        (again,) = await create(b, memory_draft(SECRET))
        assert again.outcome is CreateMemoryOutcome.CREATED
        (again,) = await create(b, memory_draft("more of the secret"))
        assert again.outcome is CreateMemoryOutcome.BLOCKED
        stored = await store.load("a")
        assert stored is not None
        assert VECTOR not in b"".join((await journal_data(store), *(record.data for record in stored.records)))


async def test_a_vector_that_is_computed_after_a_purge_is_not_kept() -> None:
    store, embedder = SharedStore(), FakeEmbedder()
    embedder.gate.clear()
    async with sharing(store, 1, [embedder]) as (world,):
        memory_id = await remember(world, SECRET)
        await until(lambda: embedder.asked)
        await purge(world, memory_id)
        embedder.gate.set()
        await remember(world, "two")
        await until(lambda: len(state(world).part(MEMORIES).embeddings) == 1)
        assert b"secret" not in await journal_data(store)
