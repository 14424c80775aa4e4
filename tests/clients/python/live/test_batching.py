"""Batched calls have the results that they have by themselves."""

import asyncio
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import errors

TOO_LONG = "k" * 2_000


async def outcomes(agent: memoryd.aio.Agent) -> list[Any]:
    """Make calls of all kinds in one turn, and return their results and errors."""
    await agent.set("here", {"a": 1}, tags=["t"])
    revision = (await agent.set("c", 0)).revision
    scope = await agent.create_scope("task")
    await agent.set("gone", 1)
    results = await asyncio.gather(
        agent.set("k", 1, ttl=3600),
        agent.set("here", 2),
        agent.get("gone"),
        agent.get("none", 7),
        agent.get_entry("gone"),
        scope.get("gone"),
        scope.get("gone", local_only=True),
        scope.set("own", [1]),
        agent.remove("nothing"),
        agent.set(TOO_LONG, 1),
        agent.get(TOO_LONG),
        agent.set("c", 1, expected_revision=revision),
        agent.attach("none").get("k"),
        agent.attach("none").set("k", 1),
        return_exceptions=True,
    )
    results += await asyncio.gather(
        scope.get("own"), agent.get_entry("here"), agent.remove("gone"), agent.contains("k"),
        agent.set("c", 2, expected_revision=revision), return_exceptions=True,
    )  # fmt: skip
    await scope.dispose()
    return [comparable(each) for each in results]


def comparable(result: Any) -> Any:
    """Return what does not depend on when and beside what a call was made."""
    if isinstance(result, Exception):
        return type(result)
    if isinstance(result, memoryd.Stored):
        return (result.created, result.entry.expire_time is not None, result.entry.key)
    if isinstance(result, memoryd.Entry):
        return (result.key, result.value, result.tags)
    return result


async def test_each_call_has_its_own_result_and_error(shared_daemon: Daemon, agent_id: str) -> None:
    async with (
        memoryd.aio.connect(shared_daemon.address, **PATIENT) as plain,
        memoryd.aio.connect(shared_daemon.address, batching=True, **PATIENT) as batching,
        memoryd.aio.connect(shared_daemon.address, batching=0.002, **PATIENT) as window,
    ):
        expected = await outcomes(plain.agent(f"{agent_id}-plain"))
        assert errors.InvalidArgument in expected
        assert errors.RevisionMismatch in expected
        for name, client in {"turn": batching, "window": window}.items():
            assert await outcomes(client.agent(f"{agent_id}-{name}")) == expected


async def test_many_callers_share_commits(shared_daemon: Daemon, agent_id: str) -> None:
    async with memoryd.aio.connect(shared_daemon.address, batching=True, **PATIENT) as client:
        agent = client.agent(agent_id).user("ada")

        async def call(number: int) -> None:
            for turn in range(5):
                await agent.set(f"k{number}", turn)
                assert await agent.get(f"k{number}") == turn

        await asyncio.gather(*(call(number) for number in range(64)))
        assert (await agent.info()).revision < 64 * 5
        assert len([entry async for entry in agent.entries()]) == 64


async def test_a_restart_of_the_daemon_loses_and_repeats_nothing(daemon: Daemon) -> None:
    async with memoryd.aio.connect(daemon.address, batching=True, **PATIENT) as client:
        agent = client.agent("a")
        await agent.set("first", 1)
        daemon.kill()
        writes = [asyncio.create_task(agent.set(f"k{number}", number)) for number in range(20)]
        await asyncio.to_thread(daemon.start)
        stored = await asyncio.gather(*writes)
        assert all(each.created for each in stored)
        assert await agent.get_many([f"k{number}" for number in range(20)]) == {f"k{n}": n for n in range(20)}


async def test_a_closed_client_refuses_what_waits(shared_daemon: Daemon, agent_id: str) -> None:
    client = memoryd.aio.connect(shared_daemon.address, batching=True, **PATIENT)
    calls = [asyncio.create_task(client.agent(agent_id).set(f"k{number}", 1)) for number in range(3)]
    await asyncio.sleep(0)
    await client.close()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(each, errors.Cancelled | memoryd.Stored) for each in results)
    with pytest.raises(errors.Cancelled):
        await client.agent(agent_id).get("k")


def test_batching_is_for_asyncio_and_its_window_is_bounded() -> None:
    with pytest.raises(ValueError, match=r"memoryd\.aio"):
        memoryd.connect("127.0.0.1:1", batching=True)
    for window in (-1.0, 11.0):
        with pytest.raises(ValueError, match="batching must be"):
            memoryd.connect("127.0.0.1:1", batching=window)
