"""A daemon that is connected and does not answer, one that never says a word, and a process that forks."""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX

import memoryd
from memoryd import errors

TIMEOUTS = {"timeout": 0.3, "connect_timeout": 0.3, "snapshot_timeout": 0.3}  # time: nobody answers
NO_ANSWER = (errors.DeadlineExceeded, errors.Unavailable)

Act = Callable[[memoryd.aio.Client, memoryd.aio.Agent, Path], Coroutine[Any, Any, object]]


async def all_of(items: Any) -> list[Any]:
    return [each async for each in items]


async def in_scope(agent: memoryd.aio.Agent) -> None:
    async with agent.scope("s"):
        raise AssertionError("nobody created it")


async def in_transaction(agent: memoryd.aio.Agent) -> None:
    async with agent.transaction() as transaction:
        transaction.set("k", 1)


async def imported(client: memoryd.aio.Client, path: Path) -> None:
    file = path / "snapshot"
    file.write_bytes(b"a" * 10_000)
    await client.import_snapshot(file)


ACTS: dict[str, Act] = {
    "info": lambda client, *_: client.server_info(),
    "get": lambda _, agent, __: agent.get("k"),
    "set": lambda _, agent, __: agent.set("k", 1),
    "remove": lambda _, agent, __: agent.remove("k"),
    "update": lambda _, agent, __: agent.update("k", lambda value: value),
    "get or set": lambda _, agent, __: agent.get_or_set("k", lambda: 1),
    "list": lambda _, agent, __: all_of(agent.entries()),
    "events": lambda client, *_: all_of(client.events()),
    "scope": lambda _, agent, __: in_scope(agent),
    "transaction": lambda _, agent, __: in_transaction(agent),
    "create": lambda _, agent, __: agent.notes.create("title", "content"),
    "lease": lambda _, agent, __: agent.fragments.take(),
    "recall": lambda _, agent, __: agent.memories.recall("rain"),
    "compose": lambda _, agent, __: agent.compose("c"),
    "snapshot": lambda client, *_: client.create_snapshot(),
    "export": lambda client, _, path: client.export_snapshot("s", path / "exported"),
    "import": lambda client, _, path: imported(client, path),
}


@pytest.fixture(params=["frozen", "silent"])
def address(request: pytest.FixtureRequest, daemon: Daemon) -> Iterator[str]:
    """An address that accepts connections and does not answer: a stopped daemon's, or one that never says a word."""
    if request.param == "frozen":
        daemon.signal(signal.SIGSTOP)
        yield daemon.address
        daemon.signal(signal.SIGCONT)
        return
    with socket.create_server(("127.0.0.1", 0)) as server:  # shared: the kernel chooses the port
        host, port = server.getsockname()
        yield f"{host}:{port}"


@pytest.mark.whole
async def test_every_kind_of_call_ends_at_its_deadline(address: str, tmp_path: Path) -> None:
    async with memoryd.aio.connect(address, **TIMEOUTS) as client:
        for name, act in ACTS.items():
            async with asyncio.timeout(WAIT_S_MAX):
                try:
                    await act(client, client.agent("a"), tmp_path)
                except NO_ANSWER:
                    continue
            raise AssertionError(f"{name} was answered")


@pytest.mark.whole
def test_calls_of_threads_end_at_their_deadlines(address: str) -> None:
    with memoryd.connect(address, **TIMEOUTS) as client:
        for act in (client.server_info, lambda: client.agent("a").set("k", 1), lambda: list(client.events())):
            with pytest.raises(NO_ANSWER):
                act()


async def test_calls_on_a_connection_whose_daemon_stops_answering_end_at_their_deadlines(daemon: Daemon) -> None:
    async with memoryd.aio.connect(daemon.address, **TIMEOUTS) as client:
        with contextlib.suppress(*NO_ANSWER):
            await client.server_info()
        daemon.signal(signal.SIGSTOP)
        with pytest.raises(NO_ANSWER):
            await client.agent("a").set("k", 1)
        daemon.signal(signal.SIGCONT)


def test_a_process_that_forks_does_not_take_its_parents_connection_along(daemon: Daemon) -> None:
    """The child connects by itself; the parent's client works before and after."""
    answer = subprocess.run(
        [sys.executable, "-c", FORKING, daemon.address], capture_output=True, text=True, timeout=WAIT_S_MAX, check=False
    )
    assert (answer.returncode, answer.stdout.split()) == (0, ["child", "parent"]), answer.stderr


FORKING = """
import os, sys
import memoryd

with memoryd.connect(sys.argv[1]) as client:
    client.agent("a").set("k", "parent")
    child = os.fork()
    if not child:
        with memoryd.connect(sys.argv[1]) as own:
            own.agent("a").set("child", own.agent("a").get("k"))
        print("child", flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert client.agent("a").get("child") == "parent"
    print("parent")
"""
