import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.unit.engine.world import World

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import (
    AgentNotFound,
    DataDamaged,
    InvalidField,
    RequestIdReused,
    RevisionMismatch,
    SchemaTooNew,
    SnapshotAgentMismatch,
    SnapshotExists,
    SnapshotNotFound,
)
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, EndAgent
from memoryd_server.domain.limit import REQUESTS_REMEMBERED_NS_MAX, SECOND_NS
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.images.snapshots import Restored, RestoreOptions
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.ports.store import AgentHead, AgentQuery, Record, StoredAgent


async def create(world: World, agent_id: str = "", snapshot_id: str = "s") -> SnapshotInfo:
    return await world.engine.snapshots.create(agent_id, snapshot_id, "request")


async def restore(world: World, agent_id: str = "", as_agent_id: str = "") -> Restored:
    return await world.engine.snapshots.restore("s", RestoreOptions(agent_id, as_agent_id))


def numbers(restored: Restored) -> tuple[int, int, int]:
    return restored.restored_agent_count, restored.ended_agent_count, restored.revision


def plant(world: World, *agents: StoredAgent, agent_id: str = "") -> None:
    """Add a snapshot of these agents to the repository."""
    world.repository.snapshots["s"] = (SnapshotInfo("s", agent_id, 1, "request"), agents)


async def test_restoring_all_restores_each_agent_and_ends_the_others() -> None:
    async with World() as world:
        await world.set("k", "1", "a")
        await world.set("k", "1", "b")
        await create(world)
        await world.set("k", "2", "a")
        await world.do(EndAgent(), "b")
        await world.set("k", "1", "new")
        assert numbers(await restore(world)) == (2, 1, 0)
        assert [await world.value("k", each) for each in ("a", "b", "new")] == ["1", "1", None]
        assert [each.head.agent_id for each in await world.store.list_agents(AgentQuery(9))] == ["a", "b"]


async def test_restoring_one_agent_does_not_change_the_others() -> None:
    async with World() as world:
        await world.set("k", "1", "a")
        await world.set("k", "1", "b")
        await create(world)
        await world.set("k", "2", "a")
        await world.set("k", "2", "b")
        assert numbers(await restore(world, "a")) == (1, 0, 3)
        assert [await world.value("k", each) for each in ("a", "b")] == ["1", "2"]


async def test_a_snapshot_of_one_agent_restores_only_that_agent() -> None:
    async with World() as world:
        await world.set("k", "1", "a")
        info = await create(world, "a")
        assert (info.agent_id, info.revision, info.create_time) == ("a", 1, world.clock.now)
        await world.set("k", "2", "a")
        assert numbers(await restore(world)) == (1, 0, 3)
        with pytest.raises(SnapshotAgentMismatch) as refused:
            await restore(world, "b")
        assert refused.value.metadata == {"snapshot_id": "s", "agent_id": "b"}


async def test_a_snapshot_is_cloned_only_on_request() -> None:
    async with World() as world:
        await world.do(CreateScope("scope", ROOT, "scope"))
        await world.set("k", "1", "a", "scope")
        await create(world, "a")
        assert numbers(await restore(world, "", "clone")) == (1, 0, 1)
        assert await world.value("k", "clone", "scope") == "1"
        await world.set("k", "2", "clone", "scope")
        assert await world.value("k", "a", "scope") == "1"
        await create(world, "", "all")
        with pytest.raises(InvalidField, match="as_agent_id"):
            await world.engine.snapshots.restore("all", RestoreOptions("", "clone"))
        assert (await world.engine.snapshots.restore("all", RestoreOptions("a", "clone"))).restored_agent_count == 1
        assert await world.value("k", "clone", "scope") == "1"


async def test_restoring_an_agent_that_the_snapshot_lacks_is_refused() -> None:
    async with World() as world:
        await world.set("k")
        await create(world)
        with pytest.raises(SnapshotAgentMismatch):
            await restore(world, "b")


@pytest.mark.parametrize(
    ("records", "refusal"),
    [
        ((Record("entry", "/k", b"\x04"),), SchemaTooNew),
        ((Record("wish", "p", b"\x03"),), SchemaTooNew),
        ((Record("entry", "/k", b"\x03damaged"),), DataDamaged),
    ],
)
async def test_an_unreadable_snapshot_changes_nothing(records: tuple[Record, ...], refusal: type[Exception]) -> None:
    async with World() as world:
        await world.set("k")
        await world.set("k", agent_id="b")
        good = StoredAgent(AgentHead("a", 1, 1, 1), ())
        plant(world, good, StoredAgent(AgentHead("z", 1, 1, 1, 1), records))
        with pytest.raises(refusal):
            await restore(world)
        with pytest.raises(refusal):
            await restore(world, "a")
        assert [(await world.cache.writer(each)).state.revision for each in ("a", "b")] == [1, 1]


async def test_a_snapshot_with_an_invalid_agent_id_changes_nothing() -> None:
    async with World() as world:
        await world.set("k")
        plant(world, StoredAgent(AgentHead("a\n", 1, 1, 1), ()))
        with pytest.raises(InvalidField):
            await restore(world)
        assert await world.value("k") == "1"


async def test_the_image_has_access_counts_and_no_reservation() -> None:
    async with World() as world:
        await world.set("k")
        await world.value("k")
        await world.do(ReserveEntry(ROOT, "r", "t", SECOND_NS))
        await create(world, "a")
        await world.do(ClearAgent())
        await restore(world)
        found, _ = await world.memory.get_entry("a", ROOT, "k", local_only=False)
        assert found is not None
        assert found.access_count == 1
        assert not (await world.cache.writer("a")).state.part(WORKING_MEMORY).reservations


async def test_an_ended_or_unknown_agent_has_no_snapshot() -> None:
    async with World() as world:
        with pytest.raises(AgentNotFound):
            await create(world, "a")
        await world.set("k")
        await world.do(EndAgent())
        with pytest.raises(AgentNotFound):
            await create(world, "a")
        await create(world)
        assert world.repository.snapshots["s"][1] == ()


async def test_an_ended_agent_can_be_restored_and_continues_its_revisions() -> None:
    async with World() as world:
        await world.set("k")
        await create(world, "a")
        await world.do(EndAgent())
        assert numbers(await restore(world)) == (1, 0, 3)
        assert await world.value("k") == "1"


async def test_restores_run_one_at_a_time() -> None:
    async with World() as world:
        await world.set("k")
        await create(world)
        revisions = [await asyncio.gather(*(restore(world, "a") for _ in range(3)))]
        assert sorted(each.revision for each in revisions[0]) == [2, 3, 4]


async def test_snapshots_are_listed_exported_imported_and_deleted() -> None:
    async with World() as world:
        await world.set("k")
        await create(world, "a", "of-a")
        await create(world, "", "of-all")
        snapshots = world.engine.snapshots
        assert [each.snapshot_id for each in await snapshots.list()] == ["of-all", "of-a"]
        assert (await snapshots.import_("copy", snapshots.export("of-a"))).agent_id == "a"
        assert (await snapshots.get("latest")).snapshot_id == "of-all"
        assert (await snapshots.restore("latest")).snapshot.snapshot_id == "of-all"
        await snapshots.delete("of-all")
        with pytest.raises(SnapshotNotFound):
            await snapshots.get("latest")
        with pytest.raises(SnapshotExists):
            await create(world, "a", "copy")
        assert (await snapshots.get("copy")).snapshot_id == "copy"


async def test_a_snapshot_is_taken_once_per_request_id() -> None:
    async with World() as world:
        await world.set("k")
        write = Write(request=RequestKey("r", b""))
        snapshots = world.engine.snapshots
        first = await snapshots.create("a", "", "request", "words", write)
        await world.set("k")
        again = [snapshots.create("a", "", "request", "words", write) for _ in range(3)]
        assert await asyncio.gather(*again) == [first] * 3
        for snapshot_id, label in (("", "other"), ("another", "words")):
            with pytest.raises(RequestIdReused):
                await snapshots.create("a", snapshot_id, "request", label, write)
        assert len(await snapshots.list()) == 1
        of_all = await snapshots.create("", "", "request", "words", write)
        assert (of_all.agent_id, len(await snapshots.list())) == ("", 2)


async def test_a_snapshot_waits_for_no_other_request() -> None:
    async with World() as world:
        await world.set("k")
        snapshots, may_create = world.engine.snapshots, asyncio.Event()
        create = world.repository.create

        async def held(info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
            if not info.agent_id:
                await may_create.wait()
            return await create(info, agents)

        world.repository.create = held  # type: ignore[method-assign]
        large = [
            asyncio.create_task(snapshots.create("", "", "request", write=Write(request=RequestKey("large", b""))))
            for _ in range(2)
        ]
        small = await snapshots.create("a", "", "request", write=Write(request=RequestKey("small", b"")))
        assert small.agent_id == "a"
        may_create.set()
        first, again = await asyncio.gather(*large)
        assert first == again


async def test_a_repeated_restore_of_all_agents_returns_its_first_result_for_a_while() -> None:
    async with World() as world:
        await world.set("k", "1")
        await create(world)
        write = Write(request=RequestKey("r", b""))
        first = await world.engine.snapshots.restore("s", write=write)
        await world.set("k", "2")
        assert await world.engine.snapshots.restore("s", write=write) == first
        assert await world.value("k") == "2"
        with pytest.raises(RequestIdReused):
            await world.engine.snapshots.restore("s", write=Write(request=RequestKey("r", b"other")))
        world.clock.now += REQUESTS_REMEMBERED_NS_MAX + 1
        await world.engine.snapshots.restore("s", write=write)
        assert await world.value("k") == "1"


async def test_a_dry_run_counts_and_changes_nothing() -> None:
    async with World() as world:
        await world.set("k", "1")
        await create(world)
        await world.set("k", "2")
        await world.set("k", "1", "new")
        dry = RestoreOptions(dry_run=True)
        assert numbers(await world.engine.snapshots.restore("s", dry)) == (1, 1, 0)
        assert numbers(await world.engine.snapshots.restore("s", RestoreOptions("a", dry_run=True))) == (1, 0, 2)
        at_one = Write(precondition=Precondition(expected_revision=1))
        with pytest.raises(RevisionMismatch):
            await world.engine.snapshots.restore("s", RestoreOptions("a", dry_run=True), at_one)
        with pytest.raises(InvalidField):
            await world.engine.snapshots.restore("s", dry, at_one)
        assert (await world.value("k"), await world.value("k", "new")) == ("2", "1")
