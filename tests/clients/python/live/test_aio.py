"""The async client, without what the tests of the sync client show of the shared parts."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors


async def test_values_are_set_read_listed_and_removed(aio_agent: memoryd.aio.Agent) -> None:
    await aio_agent.set("a", {"x": 1}, tags=["t"])
    async with aio_agent.batch() as batch:
        batch.set("b", 2)
    assert batch.result is not None
    assert await aio_agent.get("a", type=dict) == {"x": 1}
    assert await aio_agent.get_many(["a", "b", "c"]) == {"a": {"x": 1}, "b": 2}
    assert [entry.key async for entry in aio_agent.entries(all_tags=["t"])] == ["a"]
    assert [key async for key in aio_agent.keys(key_prefix="")] == ["a", "b"]
    assert await aio_agent.contains("a")
    assert await aio_agent.remove("a")
    assert await aio_agent.setdefault("b", 3) == 2
    assert await aio_agent.update("b", lambda value: value + 1) == 3
    assert (await aio_agent.count(), await aio_agent.clear()) == (1, 1)
    with pytest.raises(errors.InvalidArgument):
        await aio_agent.set("", 1)


async def test_a_scope_is_disposed_or_merged_at_its_end(aio_agent: memoryd.aio.Agent) -> None:
    async with aio_agent.scope("task", merge="overwrite") as scope:
        await scope.set("k", 1)
        async with scope.scope("step") as step:
            await step.set("lost", 1)
    assert await aio_agent.get_many(["k", "lost"]) == {"k": 1}
    with pytest.raises(ZeroDivisionError):
        async with aio_agent.scope("task", merge="overwrite") as scope:
            await scope.set("lost", 1 / 0)
    assert [info async for info in aio_agent.scopes()] == []
    assert not await aio_agent.contains("lost")


async def test_a_cancelled_block_disposes_its_scope(aio_agent: memoryd.aio.Agent) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with aio_agent.scope("task"):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await asyncio.wait_for(inside.wait(), WAIT_S_MAX)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [info async for info in aio_agent.scopes()] == []


@pytest.mark.parametrize("asynchronous", [True, False])
async def test_one_factory_runs_for_all_callers(aio_agent: memoryd.aio.Agent, asynchronous: bool) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        return 42

    async def make_later() -> int:
        await asyncio.sleep(0)
        return make()

    factory = make_later if asynchronous else make
    values = await asyncio.gather(*(aio_agent.get_or_set("k", factory) for _ in range(50)))
    assert (set(values), len(made)) == ({42}, 1)


@pytest.mark.whole
async def test_a_slow_factory_keeps_its_lease(aio_agent: memoryd.aio.Agent) -> None:
    started, may_end = asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        started.set()
        await may_end.wait()
        return "first"

    first = asyncio.create_task(aio_agent.get_or_set("k", slow, lease=1))
    await asyncio.wait_for(started.wait(), WAIT_S_MAX)
    with pytest.raises(errors.DeadlineExceeded):
        await aio_agent.get_or_set("k", lambda: "second", wait=3.5)
    may_end.set()
    assert await first == "first"


async def test_a_cancelled_factory_frees_the_key(aio_agent: memoryd.aio.Agent) -> None:
    started = asyncio.Event()

    async def endless() -> str:
        started.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(aio_agent.get_or_set("k", endless))
    await asyncio.wait_for(started.wait(), WAIT_S_MAX)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert await aio_agent.get_or_set("k", lambda: "next", wait=5) == "next"


async def test_a_watch_yields_events_and_ends_when_it_is_closed(aio_agent: memoryd.aio.Agent) -> None:
    await aio_agent.set("a", 1)
    async with aio_agent.watch(initial_state=True) as watch:
        keys: list[str] = []

        async def listen() -> None:
            async for event in watch:
                keys.append(event.key)
                if event.key == "b":
                    received.set()

        received = asyncio.Event()
        listening = asyncio.create_task(listen())
        await aio_agent.set("b", 2)
        await asyncio.wait_for(received.wait(), WAIT_S_MAX)
        await watch.close()
        await asyncio.wait_for(listening, WAIT_S_MAX)
    assert (keys, watch.initial_state_complete) == (["a", "b"], True)
    assert watch.resume_token


async def test_a_cancelled_listener_is_cancelled(aio_agent: memoryd.aio.Agent) -> None:
    async with aio_agent.watch() as watch:
        listening = asyncio.ensure_future(anext(aiter(watch)))
        await asyncio.sleep(0)
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening


async def test_an_agent_is_described_snapshotted_and_ended(
    client: memoryd.Client, aio_agent: memoryd.aio.Agent, tmp_path: Path
) -> None:
    await aio_agent.set("k", 1)
    assert (await aio_agent.stats()).count("entry") == 1
    assert (await aio_agent.info()).agent_id == aio_agent.agent_id
    assert [event.key async for event in aio_agent.events()] == ["k"]
    snapshot = await aio_agent.create_snapshot()
    async with memoryd.aio.connect(client.target, **PATIENT) as aio_client:
        assert (await aio_client.server_info()).version == client.server_info().version
        assert aio_agent.agent_id in [info.agent_id async for info in aio_client.agents()]
        file = tmp_path / "agent.snapshot"
        await aio_client.export_snapshot(snapshot.snapshot_id, file)
        await aio_client.delete_snapshot(snapshot.snapshot_id)
        await aio_client.import_snapshot(file, snapshot_id=snapshot.snapshot_id)
        assert [found.snapshot_id async for found in aio_client.snapshots(aio_agent.agent_id)] == [snapshot.snapshot_id]
    await aio_agent.end()
    await aio_agent.restore_snapshot(snapshot.snapshot_id)
    assert await aio_agent.get("k") == 1


async def test_closing_the_client_ends_its_watches_and_refuses_new_ones(shared_daemon: Daemon, agent_id: str) -> None:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        agent = client.agent(agent_id)
        async with agent.watch() as watch:
            events = asyncio.create_task(anext(aiter(watch), None))
            await agent.set("k", 1)
            assert (await events) is not None
            rest = asyncio.create_task(anext(aiter(watch), None))
            await asyncio.sleep(0)
            await client.close()
            assert await rest is None
        with pytest.raises(errors.Cancelled):
            async with agent.watch():
                pass
