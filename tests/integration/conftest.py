"""Fixtures of the tests through the wire."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.integration.wire import Memory, Wire


@pytest.fixture(scope="session")
def wire(shared_daemon: Daemon) -> Iterator[Wire]:
    """The stubs of the daemon that most tests share."""
    with insecure_channel(shared_daemon.address) as channel:
        yield Wire(channel)


@pytest.fixture
def agent(wire: Wire) -> Memory:
    """An agent of the test's own on the shared daemon."""
    return wire.agent()


@pytest.fixture
def connect() -> Iterator[Callable[[Daemon], Wire]]:
    """Connects to daemons; the connections end with the test."""
    channels = []

    def connected(daemon: Daemon) -> Wire:
        channels.append(insecure_channel(daemon.address))
        return Wire(channels[-1])

    yield connected
    for channel in channels:
        channel.close()


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Starts daemons with flags of the test's own; they end with the test."""
    daemons: list[Daemon] = []

    def launched(*flags: str) -> Daemon:
        directory = tmp_path / f"daemon-{len(daemons)}"
        directory.mkdir()
        daemons.append(Daemon(directory, *flags))
        daemons[-1].start()
        return daemons[-1]

    yield launched
    for daemon in daemons:
        daemon.close()


@pytest.fixture(scope="session")
def small_wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The stubs of a daemon whose limits are small: see its flags."""
    flags = ["--durability", "memory", "--limit-entries-per-agent", "5", "--limit-scopes-per-agent", "3"]
    flags += ["--limit-entry-bytes", "64", "--limit-storage-bytes-per-agent", "200"]
    flags += ["--limit-memories-per-agent", "2", "--limit-memory-bytes", "16", "--embedder", "none"]
    daemon = Daemon(tmp_path_factory.mktemp("small"), *flags)
    daemon.start()
    with insecure_channel(daemon.address) as channel:
        yield Wire(channel)
    daemon.close()
