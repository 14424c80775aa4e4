import asyncio
import logging
from collections.abc import AsyncIterator

import pytest
from tests.unit.engine.repository import DictionaryRepository
from tests.unit.engine.store import HeldStore
from tests.unit.engine.world import World, settle

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope_change import CreateScope
from memoryd_server.domain.error import SnapshotNotFound, StorageFull, StoreUnavailable
from memoryd_server.domain.lifecycle.agent_change import EndAgent
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint
from memoryd_server.engine.images.initial_restore import RestoreMark
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.ports.store import StoredAgent
from memoryd_server.stores.in_memory import InMemoryStore


class DurableStore(InMemoryStore):
    """A store that keeps its id, so that one engine can open it after another."""

    async def open(self) -> None:
        self.store_id = "durable"


class EndlessRepository(DictionaryRepository):
    """A repository that never completes a snapshot."""

    async def create(self, info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
        await asyncio.get_running_loop().create_future()
        return info


async def test_an_engine_continues_where_another_ended() -> None:
    store = DurableStore()
    async with World(store) as world, world.watch() as watch:
        await world.set("k")
        await world.value("k")
        assert await watch.keys(1) == ["k"]
        point = watch.last.point
    async with World(store) as world:
        assert [point.position for point in world.engine.hub.points] == [1]
        found, revision = await world.memory.get_entry("a", ROOT, "k", local_only=False)
        assert found is not None
        assert (found.access_count, revision) == (1, 1)
        assert (await world.set("l")).revision == 2
        assert point is not None
        assert point == ResumePoint((ShardPoint(0, 2),))


@pytest.mark.parametrize("restore", ["named", "latest"])
async def test_an_engine_starts_an_empty_store_with_a_restore(restore: str) -> None:
    repository = DictionaryRepository()
    async with World(repository=repository) as world:
        await world.set("k", "7")
        await world.engine.snapshots.create("", "named", "request")
    async with World(repository=repository, restore=restore) as world:
        assert await world.value("k") == "7"


@pytest.mark.parametrize("restore", ["named", "latest", "no-such"])
async def test_a_store_that_is_not_empty_is_never_restored_at_the_start(restore: str) -> None:
    repository, store = DictionaryRepository(), InMemoryStore()
    async with World(store, repository=repository) as world:
        await world.set("k", "7")
        await world.engine.snapshots.create("", "named", "request")
        await world.set("k", "acknowledged")
        await world.set("later", "1")
    async with World(store, repository=repository, restore=restore) as world:
        assert (await world.value("k"), await world.value("later")) == ("acknowledged", "1")


async def test_a_store_whose_last_agent_has_ended_is_not_empty() -> None:
    repository, store = DictionaryRepository(), InMemoryStore()
    async with World(store, repository=repository) as world:
        await world.set("k", "7")
        await world.engine.snapshots.create("", "named", "request")
        await world.do(EndAgent())
    async with World(store, repository=repository, restore="named") as world:
        assert await world.value("k") is None


async def test_the_first_start_with_latest_finds_no_snapshot_and_starts_empty(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "memoryd.snapshots"):
        async with World(restore="latest") as world:
            await world.set("k", "7")
    assert "no snapshot to restore: starting with an empty store" in caplog.text


class MemoryMark(RestoreMark):
    """A mark that survives the engine, and can fail."""

    def __init__(self) -> None:
        self.snapshot_id = ""

    def read(self) -> str:
        return self.snapshot_id

    def write(self, snapshot_id: str) -> None:
        self.snapshot_id = snapshot_id

    def clear(self) -> None:
        self.snapshot_id = ""


async def test_a_restore_that_was_interrupted_is_carried_out_at_the_next_start() -> None:
    repository, store, mark = DictionaryRepository(), HeldStore(), MemoryMark()
    async with World(repository=repository) as world:
        await world.set("k", "7")
        await world.engine.snapshots.create("", "named", "request")
    store.load_failure = StoreUnavailable()
    with pytest.raises(StoreUnavailable):
        await World(store, repository=repository, restore="latest", restore_mark=mark).engine.open()
    assert mark.snapshot_id == "named"
    store.load_failure = None
    async with World(store, repository=repository, restore_mark=mark) as world:
        assert await world.value("k") == "7"
        assert mark.snapshot_id == ""


async def test_an_engine_does_not_start_without_the_requested_snapshot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(restore="no-such")
    closed = []

    async def close() -> None:
        closed.append(True)

    monkeypatch.setattr(world.store, "close", close)
    with pytest.raises(SnapshotNotFound):
        await world.engine.open()
    assert closed == [True]


async def test_the_snapshot_at_shutdown_has_all_agents_and_is_taken_if_requested() -> None:
    for wanted in (True, False):
        world = World(snapshot_on_shutdown=True)
        await world.engine.open()
        await world.set("k")
        await world.engine.close(take_snapshot=wanted)
        triggers = [info.trigger for info, _ in world.repository.snapshots.values()]
        assert triggers == (["shutdown"] if wanted else [])


async def test_no_snapshot_is_taken_when_none_is_configured() -> None:
    world = World()
    await world.engine.open()
    await world.engine.close(take_snapshot=True)
    world.engine.skip_snapshot()
    assert world.repository.snapshots == {}


async def test_a_last_snapshot_that_fails_is_logged_and_the_store_is_closed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(snapshot_on_shutdown=True)
    closed = []

    async def close() -> None:
        closed.append(True)

    monkeypatch.setattr(world.store, "close", close)
    world.repository.failure = StorageFull()
    await world.engine.open()
    await world.engine.close(take_snapshot=True)
    assert "snapshot on shutdown failed" in caplog.text
    assert closed == [True]


async def test_a_last_snapshot_may_be_skipped_while_it_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    world = World(snapshot_on_shutdown=True, repository=EndlessRepository())
    await world.engine.open()
    with caplog.at_level(logging.WARNING):
        closing = asyncio.create_task(world.engine.close(take_snapshot=True))
        await settle()
        assert not closing.done()
        world.engine.skip_snapshot()
        await closing
    assert "snapshot on shutdown skipped" in caplog.text


async def test_closing_stores_access_counts_after_waiting_commands() -> None:
    store = DurableStore()
    async with World(store) as world:
        await world.set("k")
        await world.value("k")
        waiting = asyncio.create_task(world.do(CreateScope("s", ROOT, "s")))
        await asyncio.sleep(0)
    assert waiting.done()
    async with World(store) as world:
        found, revision = await world.memory.get_entry("a", ROOT, "k", local_only=False)
        assert found is not None
        assert (found.access_count, revision) == (1, 2)
