"""A daemon with its console, and a web browser."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import httpx
import pytest
from tests.browser import needs_browser, opened_browser  # noqa: F401 - a fixture
from tests.daemon import Daemon
from tests.integration.console.sample import Call, caller, fill
from tests.wait import WAIT_S_MAX, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parent
SIZES = {"wide": (1280, 800), "narrow": (390, 844)}
SCHEMES = ("light", "dark")

needs_front = pytest.mark.skipif(
    importlib.util.find_spec("memoryd_front") is None, reason="memoryd-front is not installed"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip these tests where there is no front end, and those with a page where there is no browser."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(needs_front)
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(needs_browser)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon of these tests, where the agent ``support`` remembers something of every kind."""
    daemon = Daemon(tmp_path_factory.mktemp("console"), "--console")
    daemon.start()
    with client_of(daemon) as client:
        call = caller(client)
        fill(call, "support")
        until(lambda: not unembedded(call, "support"), "each memory has its vector")
    yield daemon
    daemon.close()
    assert "Traceback" not in daemon.log
    assert "the front end failed" not in daemon.log


def unembedded(call: Call, agent_id: str) -> int:
    """Return the number of an agent's memories that will get a vector."""
    return int(call("AgentService/GetAgentStats", agentId=agent_id)["stats"].get("unembeddedMemoryCount", 0))


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that a test may kill."""
    daemon = Daemon(tmp_path, "--console", "--embedder", "none")
    daemon.start()
    yield daemon
    daemon.close()


def client_of(daemon: Daemon) -> httpx.Client:
    """Return a client of HTTP, whose addresses are those of a daemon."""
    return httpx.Client(base_url=f"http://{daemon.address}", timeout=WAIT_S_MAX, trust_env=False)


@pytest.fixture
def web(served: Daemon) -> Iterator[httpx.Client]:
    """A client of HTTP, whose addresses are those of the daemon."""
    with client_of(served) as client:
        yield client


@pytest.fixture
def call(web: httpx.Client) -> Call:
    """Return a function that calls the daemon."""
    return caller(web)


@pytest.fixture
def agent_id() -> str:
    """The id of a new agent."""
    return f"agent-{uuid4().hex[:12]}"


@pytest.fixture
def page(browser: "Browser", served: Daemon) -> Iterator["Page"]:
    """A page of 1280 pixels' width, whose addresses are those of the daemon."""
    yield from opened(browser, served)


@pytest.fixture
def refused_page(browser: "Browser", served: Daemon) -> Iterator["Page"]:
    """Such a page, where calls may be refused: the browser itself prints an error for each."""
    yield from opened(browser, served, is_strict=False)


def opened(
    browser: "Browser", daemon: Daemon, size: str = "wide", scheme: str = "light", *, is_strict: bool = True
) -> Iterator["Page"]:
    """Yield a page. Afterwards, its console of JavaScript must have no error, if ``is_strict``."""
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=f"http://{daemon.address}",
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(WAIT_S_MAX * 1000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    if is_strict:
        assert errors == []
