from collections.abc import Callable

import pytest
from tests.unit.engine.world import World, draft

from memoryd_server.domain import command
from memoryd_server.domain.entry import ROOT
from memoryd_server.domain.error import RevisionCompacted
from memoryd_server.engine.migration import Migrated, Migration
from memoryd_server.ports.store import AgentHead, StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore

Make = Callable[[], InMemoryStore]


@pytest.fixture(params=[False, True], ids=["own", "shared"])
def target(request: pytest.FixtureRequest) -> InMemoryStore:
    return InMemoryStore(4 if request.param else 1, is_shared=request.param)


def ignore(_: str, __: int, ___: int) -> None:
    """Nobody looks."""


async def migrate(source: World, target: InMemoryStore) -> Migrated:
    await target.open()
    return await Migration(source.store, target, ignore).run()


async def held(store: InMemoryStore | object, agent_id: str) -> tuple[AgentHead, set[tuple[str, str, bytes]]] | None:
    stored: StoredAgent | None = await store.load(agent_id)  # type: ignore[attr-defined]
    if stored is None:
        return None
    return stored.head, {(each.kind, each.key, each.data) for each in stored.records}


async def test_all_agents_come_over_as_they_are(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await world.do(command.CreateScope("s", ROOT, "scope-1"), "ann")
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
        await world.do(command.EndAgent(), "ann")
        moved = await migrate(world, target)
    assert (moved.ended, moved.agents) == (1, 1)
    assert [head.agent_id for head in await target.list_agents("", "", 9)] == ["bob"]


async def test_agents_that_the_source_never_had_are_told_and_left_alone(target: InMemoryStore) -> None:
    async with World(target) as other, World() as world:
        await other.set("k", "1", "zoe")
        await world.set("k", "1", "ann")
        moved = await migrate(world, target)
    assert moved.foreign == ("zoe",)
    assert await held(target, "zoe") is not None


async def test_what_changes_while_it_is_compared_is_told(target: InMemoryStore) -> None:
    async with World() as world:
        await world.set("k", "1", "ann")
        await target.open()
        loads = 0
        load = target.load

        async def load_late(agent_id: str) -> StoredAgent | None:
            nonlocal loads
            loads += 1
            if loads == 1:
                return await load(agent_id)
            await world.set("k", "2", "ann")
            return await load(agent_id)

        target.load = load_late  # type: ignore[method-assign]
        moved = await Migration(world.store, target, ignore).run()
        assert moved.agents + len(moved.differing) == 1
        again = await Migration(world.store, target, ignore).run()
    assert again.copied == 1


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
        await world.do(command.SetEntry(ROOT, draft("k"), "id"), "bob")
        await Migration(world.store, target, lambda *words: told.append(words)).run()
    assert told == [("copying", 1, 2), ("copying", 2, 2), ("verifying", 1, 2), ("verifying", 2, 2)]
