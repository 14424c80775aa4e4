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
from memoryd_server.ports.store import AgentHead, JournalCompacted, RevisionConflict, Store, StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore


@pytest.fixture(params=[False, True], ids=["own", "shared"])
def target(request: pytest.FixtureRequest) -> InMemoryStore:
    return InMemoryStore(4 if request.param else 1, is_shared=request.param)


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody looks."""


async def nobody() -> None:
    """Nobody uses the target."""


async def migrate(
    source: World, target: Store, *, overwrites: bool = False, ensure_unused: EnsureUnused = nobody
) -> Migrated:
    await target.open()
    return await Migration(source.store, target, ignore, ensure_unused, overwrites=overwrites).run()


async def forget_journal(store: Store) -> None:
    """As the retention of a store does that nobody has written to for long."""
    await store.prune_journal(0, 0)


async def rows(store: Store) -> int:
    """How many rows all journals hold."""
    return sum(
        [await store.journal_end(shard) + 1 - await store.journal_start(shard) for shard in range(store.shard_count)]
    )


async def held(store: Store, agent_id: str) -> tuple[AgentHead, set[tuple[str, str, bytes]]] | None:
    stored = await store.load(agent_id)
    if stored is None:
        return None
    return stored.head, {(each.kind, each.key, each.data) for each in stored.records}


async def test_all_agents_come_over_as_they_are(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.do(CreateScope("s", ROOT, "scope-1"), "ann")
        await world.set("inner", "2", "ann", "scope-1", ttl_ns=10**12)
        await world.set("k", "3", "bob")
        moved = await migrate(world, target)
        for agent_id in ("ann", "bob"):
            assert await held(target, agent_id) == await held(world.store, agent_id) is not None
    assert (moved.agents, moved.records, moved.copied, moved.differing, moved.foreign) == (2, 4, 2, (), ())


async def test_another_run_copies_only_what_differs_and_answers_the_same_checksum(target: InMemoryStore) -> None:
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


async def test_an_agent_that_ended_meanwhile_ends(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "1", "bob")
        await migrate(world, target)
        await world.do(EndAgent(), "ann")
        moved = await migrate(world, target)
    assert (moved.ended, moved.agents) == (1, 1)
    assert [head.agent_id for head in await target.list_agents("", "", 9)] == ["bob"]


async def test_agents_that_the_source_never_had_are_told_and_left_alone(target: InMemoryStore) -> None:
    names = tuple(f"zoe-{number:02}" for number in range(12))
    async with World(target) as other, World() as world:
        for name in names:
            await other.set("k", "1", name)
        await forget_journal(target)
        await world.set("k", "1", "ann")
        moved = await migrate(world, target)
    assert moved.foreign == names
    assert await held(target, names[0]) is not None


async def test_what_changes_while_it_is_compared_is_told(target: InMemoryStore) -> None:
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


async def test_reads_that_were_counted_meanwhile_are_copied(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await migrate(world, target)
        await world.value("k", "ann")
        await world.cache.record_accesses()
        moved = await migrate(world, target)
        assert await held(target, "ann") == await held(world.store, "ann")
    assert (moved.copied, moved.differing) == (1, ())


async def test_an_agent_that_ended_and_began_anew_is_copied(target: InMemoryStore) -> None:
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


async def test_a_target_that_was_served_is_left_as_it_was(target: InMemoryStore) -> None:
    async with World(target) as other, World() as world:
        await other.set("k", "1", "zoe")
        await world.set("k", "1", "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
    assert (refused.value.agent_ids, refused.value.was_served) == ((), True)
    assert await held(target, "ann") is None
    assert await rows(target) == 1


async def write_later(world: World, other: World) -> None:
    """The target's has another revision more."""
    await world.set("k", "1", "ann")
    await migrate(world, other.store)
    await other.set("k", "2", "ann")


async def write_otherwise(world: World, other: World) -> None:
    """Both have as many revisions."""
    await world.set("k", "1", "ann")
    await other.set("k", "2", "ann")


async def write_elsewhere(world: World, other: World) -> None:
    """The target's has fewer revisions, and never was the source's."""
    await other.set("k", "2", "ann")
    world.clock.now -= SECOND_NS
    await world.set("k", "1", "ann")
    await world.set("k", "1", "ann")


async def write_after_the_end(world: World, other: World) -> None:
    """The source's has ended, the target's has not."""
    await world.set("k", "1", "ann")
    await migrate(world, other.store)
    await other.set("k", "2", "ann")
    await world.do(EndAgent(), "ann")


@pytest.mark.parametrize("write", [write_later, write_otherwise, write_elsewhere, write_after_the_end])
async def test_what_the_target_has_beyond_the_source_is_replaced_only_when_told_to(
    target: InMemoryStore, write: Callable[[World, World], Awaitable[None]]
) -> None:
    # Two engines with memories of their own, so that neither notices what is moved beneath it.
    async with World(target) as other, World() as world:
        await write(world, other)
        await world.set("k", "1", "bob")
        await forget_journal(target)
        before = await held(target, "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
        assert (refused.value.agent_ids, refused.value.was_served) == (("ann",), False)
        assert (await held(target, "ann"), await held(target, "bob")) == (before, None)
        moved = await migrate(world, target, overwrites=True)
        assert [head.agent_id for head in await target.list_agents("", "", 9)] == [
            head.agent_id for head in await world.store.list_agents("", "", 9)
        ]
    assert moved.differing == ()


async def test_an_end_that_the_source_does_not_know_is_undone_only_when_told_to(target: InMemoryStore) -> None:
    async with World(target) as other, World() as world:
        await world.set("k", "1", "ann")
        await migrate(world, target)
        await other.do(EndAgent(), "ann")
        with pytest.raises(WouldOverwrite) as refused:
            await migrate(world, target)
        assert (refused.value.agent_ids, refused.value.was_served) == (("ann",), True)
        await migrate(world, target, overwrites=True)
        assert await held(target, "ann") == await held(world.store, "ann")


async def test_overwriting_leaves_agents_of_other_names_and_tells_watchers_that_they_missed_something(
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


async def test_what_an_interrupted_run_left_in_the_journal_goes_with_the_next() -> None:
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
async def test_who_writes_to_the_target_meanwhile_is_noticed(target: InMemoryStore, *, is_late: bool) -> None:
    load = target.load
    loads = 0

    async with World(target) as other, World() as world:

        async def load_meanwhile(agent_id: str) -> StoredAgent | None:
            nonlocal loads
            loads += 1
            # The first look is that of comparing, the second that of copying; the engine looks as well.
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
    async def somebody() -> None:
        raise StoreUnavailable

    async with World() as world:
        await world.set("k", "1", "ann")
        with pytest.raises(StoreUnavailable):
            await migrate(world, target, ensure_unused=somebody)
    assert await held(target, "ann") is None


async def test_the_journal_of_who_came_meanwhile_stays() -> None:
    target = InMemoryStore(4, is_shared=True)
    asked = 0

    async def somebody_late() -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise StoreUnavailable

    async with World() as world:
        await world.set("k", "1", "ann")
        with pytest.raises(StoreUnavailable):
            await migrate(world, target, ensure_unused=somebody_late)
    assert await rows(target) == 1


async def test_a_daemon_of_the_target_goes_on_where_the_source_was(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.set("k", "2", "ann")
        await migrate(world, target)
    async with World(target) as moved:
        assert await moved.value("k", "ann") == "2"
        assert (await moved.set("k", "3", "ann")).revision == 3
        with pytest.raises(RevisionCompacted):
            await moved.watch("ann", after_revision=1).next()


async def test_a_daemon_that_has_the_agent_in_memory_learns_of_it() -> None:
    target = InMemoryStore(4, is_shared=True)
    async with World(target) as running, World() as world:
        assert await running.value("k", "ann") is None
        await world.set("k", "1", "ann")
        await migrate(world, target)
        assert await running.value("k", "ann") == "1"


async def test_progress_is_told_of_each_agent(target: InMemoryStore) -> None:
    told: list[tuple[str, int, int]] = []
    await target.open()
    async with World() as world:
        await world.fill(["a", "b"], agent_id="ann")
        await world.do(SetEntry(ROOT, draft("k"), "id"), "bob")
        await Migration(world.store, target, lambda *words: told.append(words), nobody).run()
    assert told == [(what, done, 2) for what in ("comparing", "copying", "verifying") for done in (1, 2)]
