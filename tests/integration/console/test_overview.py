"""The overview: what the daemon does, as plots of its last minutes."""

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import SCHEMES, SIZES, opened
from tests.integration.console.usable import check_usable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

INTERVAL_MS = 2_000
POINTS_MAX = 60
WATCH = "/memoryd.v1.EventService/WatchEvents"
REQUEST = json.dumps({"filters": [{"agentIds": ["*"]}], "progressInterval": "1s"})


def look(page: "Page", times: int) -> None:
    """Let the page ask for the daemon's state again."""
    for _ in range(times):
        with page.expect_response("**/GetServerInfo"):
            page.clock.run_for(INTERVAL_MS)


def watched(web: httpx.Client, stack: ExitStack) -> None:
    """Open a watch, which the stack ends."""
    stream = web.stream("GET", WATCH, params={"message": REQUEST}, headers={"accept": "text/event-stream"})
    parts: Any = stack.enter_context(stream).iter_raw()
    # Without it, the stream would be closed at once.
    stack.callback(parts.close)
    next(parts)


def points(page: "Page", title: str) -> int:
    """Return the number of points of a plot."""
    drawn = page.get_by_role("img", name=title).locator("polyline").get_attribute("points")
    return len((drawn or "").split())


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
def test_the_plots_show_the_last_minutes(
    browser: "Browser", served: Daemon, web: httpx.Client, size: str, scheme: str
) -> None:
    for page in opened(browser, served, size, scheme):
        page.clock.install()
        page.goto("/console/")
        page.get_by_text("All is well. Nothing needs attention.").wait_for()
        watches = page.locator(".tile", has_text="Watches").locator(".figure")
        look(page, 12)
        before = int(watches.inner_text())
        with ExitStack() as stack:
            for number in range(1, 4):
                watched(web, stack)
                look(page, 9)
                assert int(watches.inner_text()) == before + number
            for title in ("Round trip from here", "Calls in progress", "Watches", "Bytes in transit"):
                assert points(page, title) > 12 + 27
            check_usable(page, "overview", size, scheme)
        look(page, 30)
        assert points(page, "Watches") == POINTS_MAX


def test_the_overview_names_the_embedder(page: "Page", served: Daemon) -> None:
    page.goto("/console/")
    fact = page.locator(".record > div", has_text="Embedder")
    fact.wait_for()
    assert "dimensions" in fact.inner_text()
