from collections.abc import Awaitable, Callable, Collection

import pytest
from tests.unit.engine.world import World, draft

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import SetEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import RevisionCompacted, StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.images.migration import EnsureUnused, Migrated, Migration, WouldOverwrite
from memoryd_server.ports.store import AgentHead, AgentQuery, JournalCompacted, RevisionConflict, Store, StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore


@pytest.fixture(params=[False, True], ids=["own", "shared"])
def target(request: pytest.FixtureRequest) -> InMemoryStore:
    return InMemoryStore(4 if request.param else 1, is_shared=request.param)


def ignore(_: str, __: int, ___: int) -> None:
    """Ignore the progress."""


async def unused() -> None:
    """Pass the check that the target is unused."""


async def migrate(
    source: World, target: Store, *, overwrites: bool = False, ensure_unused: EnsureUnused = unused
) -> Migrated:
    await target.open()
    return await Migration(source.store, target, ignore, ensure_unused, overwrites=overwrites).run()


async def prune_all(store: Store) -> None:
    """Prune the whole journal, as retention does in a store without recent commits."""
    await store.prune_journal(0, 0)


async def rows(store: Store) -> int:
    """Return the number of rows in all journals."""
    return sum(
        [await store.journal_end(shard) + 1 - await store.journal_start(shard) for shard in range(store.shard_count)]
    )


async def held(store: Store, agent_id: str) -> tuple[AgentHead, set[tuple[str, str, bytes]]] | None:
    stored = await store.load(agent_id)
    if stored is None:
        return None
    return stored.head, {(each.kind, each.key, each.data) for each in stored.records}


async def test_all_agents_are_copied_unchanged(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.do(CreateScope("s", ROOT, "scope-1"), "ann")
        await world.set("inner", "2", "ann", "scope-1", ttl_ns=10**12)
        await world.set("k", "3", "bob")
        moved = await migrate(world, target)
        for agent_id in ("ann", "bob"):
            assert await held(target, agent_id) == await held(world.store, agent_id) is not None
    assert (moved.agents, moved.records, moved.copied, moved.differing, moved.foreign) == (2, 4, 2, (), ())


async def test_another_run_copies_only_changed_agents_and_returns_the_same_checksum(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "1", "bob")
        first = await migrate(world, target)
        again = await migrate(world, target)
        await world.set("k", "2", "bob")
        third = await migrate(world, target)
        assert await held(target, "bob") == await held(world.store, "bob")
    assert (first.copied, again.copied, third.copied) == (2, 0, 1)
    assert first.checksum == again.checksum != third.checksum


async def test_an_agent_that_ended_in_the_source_is_ended(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "1", "bob")
        await migrate(world, target)
        await world.do(EndAgent(), "ann")
        moved = await migrate(world, target)
    assert (moved.ended, moved.agents) == (1, 1)
    assert [each.head.agent_id for each in await target.list_agents(AgentQuery(9))] == ["bob"]


async def test_agents_that_the_source_never_had_are_reported_and_kept(target: InMemoryStore) -> None:
    names = tuple(f"zoe-{number:02}" for number in range(12))
    async with World(target) as other, World() as world:
        for name in names:
            await other.set("k", "1", name)
        await prune_all(target)
        await world.set("k", "1", "ann")
        moved = await migrate(world, target)
    assert moved.foreign == names
    assert await held(target, names[0]) is not None


async def test_agents_that_change_during_the_comparison_are_reported(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "1", "bob")
        prune = target.prune_journal

        async def prune_late(rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
            await world.set("k", "2", "ann")
            await world.do(EndAgent(), "bob")
            return await prune(rows_max, since_time, shards)

        target.prune_journal = prune_late  # type: ignore[method-assign]
        moved = await migrate(world, target)
        assert (moved.agents, moved.differing) == (0, ("ann", "bob"))
        target.prune_journal = prune  # type: ignore[method-assign]
        again = await migrate(world, target)
    assert (again.copied, again.ended, again.differing) == (1, 1, ())


async def test_access_counts_since_the_last_run_are_copied(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await migrate(world, target)
        await world.value("k", "ann")
        await world.cache.record_accesses()
        moved = await migrate(world, target)
        assert await held(target, "ann") == await held(world.store, "ann")
    assert (moved.copied, moved.differing) == (1, ())


async def test_an_agent_that_ended_and_was_created_again_is_copied(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await migrate(world, target)
        world.clock.now += SECOND_NS
        await world.do(EndAgent(), "ann")
        world.clock.now += SECOND_NS
        await world.set("k", "2", "ann")
        moved = await migrate(world, target)
        assert await held(target, "ann") == await held(world.store, "ann")
    assert (moved.copied, moved.ended) == (1, 0)


async def test_a_target_that_was_served_is_not_changed(target: InMemoryStore) -> None:
    async with World(target) as other, World() as world:
        await other.set("k", "1", "zoe")
        await world.set("k", "1", "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
    assert (refused.value.agent_ids, refused.value.was_served) == ((), True)
    assert await held(target, "ann") is None
    assert await rows(target) == 1


async def write_later(world: World, other: World) -> None:
    """Let the agent in the target have one more revision than in the source."""
    await world.set("k", "1", "ann")
    await migrate(world, other.store)
    await other.set("k", "2", "ann")


async def write_otherwise(world: World, other: World) -> None:
    """Let both agents have the same number of revisions, with different values."""
    await world.set("k", "1", "ann")
    await other.set("k", "2", "ann")


async def write_elsewhere(world: World, other: World) -> None:
    """Let the agent in the target have fewer revisions, and not be a copy of that in the source."""
    await other.set("k", "2", "ann")
    world.clock.now -= SECOND_NS
    await world.set("k", "1", "ann")
    await world.set("k", "1", "ann")


async def write_after_the_end(world: World, other: World) -> None:
    """Let the agent have ended in the source and not in the target."""
    await world.set("k", "1", "ann")
    await migrate(world, other.store)
    await other.set("k", "2", "ann")
    await world.do(EndAgent(), "ann")


@pytest.mark.parametrize("write", [write_later, write_otherwise, write_elsewhere, write_after_the_end])
async def test_a_diverging_agent_of_the_target_is_replaced_only_on_request(
    target: InMemoryStore, write: Callable[[World, World], Awaitable[None]]
) -> None:
    # The two engines have caches of their own, which do not follow the migration.
    async with World(target) as other, World() as world:
        await write(world, other)
        await world.set("k", "1", "bob")
        await prune_all(target)
        before = await held(target, "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
        assert (refused.value.agent_ids, refused.value.was_served) == (("ann",), False)
        assert (await held(target, "ann"), await held(target, "bob")) == (before, None)
        moved = await migrate(world, target, overwrites=True)
        assert [each.head.agent_id for each in await target.list_agents(AgentQuery(9))] == [
            each.head.agent_id for each in await world.store.list_agents(AgentQuery(9))
        ]
    assert moved.differing == ()


async def test_an_agent_that_ended_only_in_the_target_is_restored_only_on_request(target: InMemoryStore) -> None:
    async with World(target) as other, World() as world:
        await world.set("k", "1", "ann")
        await migrate(world, target)
        await other.do(EndAgent(), "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
        assert (refused.value.agent_ids, refused.value.was_served) == (("ann",), True)
        await migrate(world, target, overwrites=True)
        assert await held(target, "ann") == await held(world.store, "ann")


async def test_overwriting_keeps_agents_of_other_names_and_prunes_the_journal(
    target: InMemoryStore,
) -> None:
    async with World(target) as other, World() as world:
        await other.set("k", "2", "ann")
        await other.set("k", "2", "zoe")
        shard = target.shard_of("ann")
        read_to = await target.journal_end(shard)
        zoe = await held(target, "zoe")
        await world.set("k", "1", "ann")
        moved = await migrate(world, target, overwrites=True)
        assert await held(target, "ann") == await held(world.store, "ann")
    assert (moved.foreign, await held(target, "zoe")) == (("zoe",), zoe)
    assert await rows(target) == 0
    with pytest.raises(JournalCompacted):
        await target.read_journal(read_to, 9, shard=shard)


async def test_rows_of_an_interrupted_run_are_pruned_by_the_next() -> None:
    target = InMemoryStore(4, is_shared=True)
    prune = target.prune_journal

    async def fail(rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        raise StoreUnavailable

    async with World() as world:
        await world.set("k", "1", "ann")
        target.prune_journal = fail  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailable):
            await migrate(world, target)
        assert await rows(target) == 1
        target.prune_journal = prune  # type: ignore[method-assign]
        moved = await migrate(world, target)
    assert (moved.copied, await rows(target)) == (0, 0)


@pytest.mark.parametrize("is_late", [False, True], ids=["before it is looked at", "before it is replaced"])
async def test_a_concurrent_write_to_the_target_is_detected(target: InMemoryStore, *, is_late: bool) -> None:
    load = target.load
    loads = 0

    async with World(target) as other, World() as world:

        async def load_meanwhile(agent_id: str) -> StoredAgent | None:
            nonlocal loads
            loads += 1
            # The first load is for comparing, the second for copying; later ones are the engine's.
            if loads != 2:
                return await load(agent_id)
            there = await load(agent_id)
            await other.set("k", "9", "ann")
            return there if is_late else await load(agent_id)

        await world.set("k", "1", "ann")
        await migrate(world, target)
        await world.set("k", "2", "ann")
        target.load = load_meanwhile  # type: ignore[method-assign]
        with pytest.raises(RevisionConflict):
            await migrate(world, target)
        assert await other.value("k", "ann") == "9"


async def test_nothing_is_written_to_a_target_in_use(target: InMemoryStore) -> None:
    async def in_use() -> None:
        raise StoreUnavailable

    async with World() as world:
        await world.set("k", "1", "ann")
        with pytest.raises(StoreUnavailable):
            await migrate(world, target, ensure_unused=in_use)
    assert await held(target, "ann") is None


async def test_the_journal_is_kept_if_a_daemon_has_opened_the_target_meanwhile() -> None:
    target = InMemoryStore(4, is_shared=True)
    asked = 0

    async def later_in_use() -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise StoreUnavailable

    async with World() as world:
        await world.set("k", "1", "ann")
        with pytest.raises(StoreUnavailable):
            await migrate(world, target, ensure_unused=later_in_use)
    assert await rows(target) == 1


async def test_a_daemon_of_the_target_continues_where_the_source_was(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "2", "ann")
        await migrate(world, target)
    async with World(target) as moved:
        assert await moved.value("k", "ann") == "2"
        assert (await moved.set("k", "3", "ann")).revision == 3
        with pytest.raises(RevisionCompacted):
            await moved.watch("ann", after_revision=1).next()


async def test_a_daemon_that_has_loaded_the_agent_sees_the_migration() -> None:
    target = InMemoryStore(4, is_shared=True)
    async with World(target) as running, World() as world:
        assert await running.value("k", "ann") is None
        await world.set("k", "1", "ann")
        await migrate(world, target)
        assert await running.value("k", "ann") == "1"


async def test_progress_is_reported_for_each_agent(target: InMemoryStore) -> None:
    progress: list[tuple[str, int, int]] = []
    await target.open()
    async with World() as world:
        await world.fill(["a", "b"], agent_id="ann")
        await world.do(SetEntry(ROOT, draft("k"), "id"), "bob")
        await Migration(world.store, target, lambda *words: progress.append(words), unused).run()
    assert progress == [(what, done, 2) for what in ("comparing", "copying", "verifying") for done in (1, 2)]
