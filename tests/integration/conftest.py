"""Fixtures of the tests that use the daemon through its contract.

Most tests use a daemon inside their own process, by ``wire``, ``agent`` or ``launch``. Tests of sockets, signals, kills
or the command use a daemon process, by ``daemon``, ``shared_daemon``, ``shared_wire`` or ``launch_process``.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.in_process import KIND, AnyDaemon, InProcess, ServeDaemon
from tests.integration.wire import Memory, Wire
from tests.web.beyond import BEYOND_HTTP, is_over_http


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With MEMORYD_TEST_DAEMON=process, deselect the tests that use a process in any case."""
    if KIND is not Daemon:
        return
    if is_over_http():
        beyond = [
            item
            for item in items
            if item.name.partition("[")[0] in BEYOND_HTTP
            or "UploadDocument" in item.name
            or "ImportSnapshot" in item.name
        ]
        config.hook.pytest_deselected(items=beyond)
        items[:] = [item for item in items if item not in beyond]
    in_process = {"serve_daemon", "launch"}
    left_out = [item for item in items if in_process.isdisjoint(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def serve_daemon() -> ServeDaemon:
    """A context manager that runs a daemon on a directory with flags."""

    @contextmanager
    def served(directory: Path, *flags: str) -> Iterator[Wire]:
        daemon = KIND(directory, *flags)
        daemon.start()
        try:
            with daemon.channel() as channel:
                yield Wire(channel)
        finally:
            daemon.close()

    return served


@pytest.fixture(scope="session")
def wire(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The stubs of the daemon that most tests share."""
    with serve_daemon(tmp_path_factory.mktemp("wire")) as wire:
        yield wire


@pytest.fixture(scope="session")
def small_wire(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The stubs of a daemon with small limits, which its flags set."""
    flags = ["--durability", "memory", "--limit-entries-per-agent", "5", "--limit-scopes-per-agent", "3"]
    flags += ["--limit-entry-bytes", "64", "--limit-storage-bytes-per-agent", "200"]
    flags += ["--limit-memories-per-agent", "2", "--limit-memory-bytes", "16", "--embedder", "none"]
    with serve_daemon(tmp_path_factory.mktemp("small"), *flags) as wire:
        yield wire


@pytest.fixture(scope="session")
def shared_wire(shared_daemon: Daemon) -> Iterator[Wire]:
    """The stubs of the daemon process that tests share."""
    with shared_daemon.channel() as channel:
        yield Wire(channel)


@pytest.fixture
def agent(wire: Wire) -> Memory:
    """A new agent on the shared daemon."""
    return wire.agent()


@pytest.fixture
def connect() -> Iterator[Callable[[AnyDaemon], Wire]]:
    """A function that connects to daemons; the connections end with the test."""
    with ExitStack() as stack:
        yield lambda daemon: Wire(stack.enter_context(daemon.channel()))


@pytest.fixture(params=["front", "grpc"])
def transport(request: pytest.FixtureRequest) -> str:
    """The transport of a daemon, of all that are installed."""
    if request.param == "front":
        pytest.importorskip("memoryd_front", reason="the front end is not installed")
    return str(request.param)


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., AnyDaemon]]:
    """A function that starts daemons with flags; they end with the test."""
    with ExitStack() as stack:
        yield lambda *flags: _launched(KIND, stack, tmp_path, flags)


@pytest.fixture
def launch_process(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """A function that starts daemon processes with flags; they end with the test."""
    with ExitStack() as stack:
        yield lambda *flags: _launched(Daemon, stack, tmp_path, flags)


def _launched(
    kind: type[Daemon] | type[InProcess], stack: ExitStack, tmp_path: Path, flags: tuple[str, ...]
) -> AnyDaemon:
    directory = tmp_path / f"daemon-{len(list(tmp_path.glob('daemon-*')))}"
    directory.mkdir()
    daemon = kind(directory, *flags)
    daemon.start()
    stack.callback(daemon.close)
    return daemon
