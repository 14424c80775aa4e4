"""A daemon process that serves by the front end, and somebody else who calls it meanwhile."""

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.attack.memory import begin_peak, memory_mb
from tests.daemon import Daemon
from tests.integration.http2.peer import Peer
from tests.integration.wire import Memory, Wire

MEMORY_GROWTH_MB_MAX = 60

needs_front = pytest.mark.skipif(
    importlib.util.find_spec("memoryd_front") is None, reason="memoryd-front is not installed"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there is no front end."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(needs_front)


@pytest.fixture(scope="session")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon that all these tests attack."""
    flags = ("--transport", "front", "--durability", "memory", "--embedder", "none")
    daemon = Daemon(tmp_path_factory.mktemp("front"), *flags)
    daemon.start()
    yield daemon
    daemon.close()


@pytest.fixture(scope="session")
def other(front: Daemon) -> Iterator[Memory]:
    """An agent of another client, whose connection lasts over all attacks."""
    with front.channel() as channel:
        agent = Wire(channel).agent()
        agent.set("key", 1)
        yield agent


@pytest.fixture(autouse=True)
def harmless(front: Daemon, other: Memory) -> Iterator[None]:
    """After each test, others are served over old and new connections, and no defect is logged."""
    before = memory_mb(front.pid)
    begin_peak(front.pid)
    yield
    assert other.value("key") == 1
    with front.channel() as channel:
        assert Wire(channel).agent(other.id).value("key") == 1
    assert memory_mb(front.pid, "VmHWM") - before < MEMORY_GROWTH_MB_MAX
    assert "Traceback" not in front.log
    assert "the front end failed" not in front.log


@pytest.fixture
def connect(front: Daemon) -> Callable[..., Peer]:
    """A function that connects to the attacked daemon."""
    return lambda *preface: Peer(front.address, *preface)


@pytest.fixture
def peer(front: Daemon) -> Iterator[Peer]:
    """A connection to the attacked daemon."""
    with Peer(front.address) as peer:
        yield peer
