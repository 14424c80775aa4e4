"""A daemon that web pages and curl call over HTTP/1.1."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import httpx
import pytest
from tests.browser import needs_browser, opened_browser  # noqa: F401 - a fixture
from tests.daemon import Daemon, HttpDaemon
from tests.wait import WAIT_S_MAX

needs_front = pytest.mark.skipif(
    importlib.util.find_spec("memoryd_front") is None, reason="memoryd-front is not installed"
)
_NO_CASE = SimpleNamespace(params={})
APP = "https://app.example"
"""The origin of pages that may call."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip those of the front end where there is none, and those with a page where there is no browser."""
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            if "python" not in getattr(item, "callspec", _NO_CASE).params.values():
                item.add_marker(needs_front)
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(needs_browser)


@pytest.fixture(scope="session", params=["front", "python"])
def door(request: pytest.FixtureRequest) -> str:
    """The name of the server of HTTP: the front end's, or that in Python beside grpcio's."""
    return str(request.param)


def daemon_of(door: str, directory: Path, *flags: str) -> Daemon:
    """Return a daemon whose address is that of HTTP."""
    if door == "python":
        return HttpDaemon(directory, *flags)
    return Daemon(directory, "--transport", "front", *flags)


@pytest.fixture(scope="session")
def served(door: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon of these tests."""
    daemon = daemon_of(door, tmp_path_factory.mktemp("http"), "--http-origin", APP, "--embedder", "none")
    daemon.start()
    yield daemon
    daemon.close()
    assert "Traceback" not in daemon.log
    assert "the front end failed" not in daemon.log


@pytest.fixture
def web(served: Daemon) -> Iterator[httpx.Client]:
    """A client of HTTP, whose addresses are those of services."""
    with httpx.Client(base_url=f"http://{served.address}", timeout=WAIT_S_MAX, trust_env=False) as client:
        yield client


@pytest.fixture
def agent_id() -> str:
    """The id of a new agent."""
    return f"agent-{uuid4().hex[:12]}"
