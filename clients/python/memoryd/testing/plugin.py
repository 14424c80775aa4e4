"""The plugin of pytest, which a ``conftest.py`` names in ``pytest_plugins``. It imports the client when a test uses it.

It is no entry point of the package: pytest would then rewrite the assertions of the whole client, in every run.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import memoryd
    from memoryd.testing.daemon import Daemon


def pytest_configure(config: pytest.Config) -> None:
    """Add the fixtures for asyncio where a plugin runs asynchronous fixtures."""
    if not sys.modules.keys().isdisjoint({"pytest_asyncio", "anyio.pytest_plugin"}):
        config.pluginmanager.import_plugin("memoryd.testing.aio_plugin")


@pytest.fixture(scope="session")
def memoryd_daemon() -> "Iterator[Daemon]":
    """A running daemon for all tests: see ``memoryd.testing.running_daemon``."""
    from memoryd.testing.daemon import running_daemon

    with running_daemon() as daemon:
        yield daemon


@pytest.fixture
def memoryd_client(memoryd_daemon: "Daemon") -> "Iterator[memoryd.Client]":
    """A client of the daemon."""
    with memoryd_daemon.connect() as client:
        yield client


@pytest.fixture
def memoryd_agent(memoryd_daemon: "Daemon", memoryd_client: "memoryd.Client") -> "Iterator[memoryd.Agent]":
    """An agent that no other test uses."""
    agent = memoryd_client.agent(memoryd_daemon.new_agent_id())
    yield agent
    if memoryd_daemon.is_shared:
        from memoryd import MemorydError

        with suppress(MemorydError):
            agent.end(erase=True)
