"""The fixtures for asyncio, for pytest-asyncio or for the plugin of anyio."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest

if TYPE_CHECKING:
    import memoryd
    from memoryd.testing.daemon import Daemon

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _fixture(function: _Function) -> _Function:
    """Return a fixture of pytest-asyncio where that is used: in its strict mode, it runs no others."""
    plugin: Any = sys.modules.get("pytest_asyncio", pytest)
    return cast("_Function", plugin.fixture(function))


@_fixture
async def memoryd_aio_client(memoryd_daemon: "Daemon") -> "AsyncIterator[memoryd.aio.Client]":
    """A client of the daemon, for the event loop of the test."""
    async with memoryd_daemon.connect_aio() as client:
        yield client


@_fixture
async def memoryd_aio_agent(
    memoryd_daemon: "Daemon", memoryd_aio_client: "memoryd.aio.Client"
) -> "AsyncIterator[memoryd.aio.Agent]":
    """An agent that no other test uses, for the event loop of the test."""
    agent = memoryd_aio_client.agent(memoryd_daemon.new_agent_id())
    yield agent
    if memoryd_daemon.is_shared:
        from memoryd import MemorydError

        with suppress(MemorydError):
            await agent.end(erase=True)
