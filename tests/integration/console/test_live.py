"""The stream of events in a browser: filters, pauses, and the end of the daemon."""

from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.sample import Call, caller

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole


def put(call: Call, agent_id: str, *keys: str) -> None:
    """Set entries, one after the other."""
    for key in keys:
        call("WorkingMemoryService/SetEntry", agentId=agent_id, key=key, valueJson="1")


def keys(page: "Page") -> list[str]:
    """Return the names of the records that changed, the newest first."""
    names: list[str] = page.locator(".rows .title > .line").all_inner_texts()
    return names


def watching(page: "Page") -> "Page":
    """Open the screen, and wait until it receives what is committed from now on."""
    page.goto("/console/#/live")
    page.get_by_text("live", exact=True).wait_for()
    return page


def test_nothing_is_missed_when_the_daemon_is_killed(browser: "Browser", mortal: Daemon) -> None:
    # The browser itself prints an error for each request that finds no daemon.
    for page in opened(browser, mortal, is_strict=False):
        watching(page)
        with client_of(mortal) as web:
            put(caller(web), "a", "before")
        page.get_by_text("before", exact=True).wait_for()
        mortal.kill()
        page.get_by_text("away: ").wait_for()
        mortal.start()
        with client_of(mortal) as web:
            # Before the page may have connected again.
            put(caller(web), "a", "between", "after")
        page.get_by_text("after", exact=True).wait_for()
        page.get_by_text("live", exact=True).wait_for()
        assert keys(page) == ["after", "between", "before"]


def test_a_pause_misses_nothing(page: "Page", call: Call, agent_id: str) -> None:
    watching(page)
    page.get_by_label("Agents").fill(agent_id)
    page.get_by_label("Agents").press("Enter")
    page.get_by_text("live", exact=True).wait_for()
    put(call, agent_id, "first")
    page.get_by_text("first", exact=True).wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("paused", exact=True).wait_for()
    put(call, agent_id, "second", "third")
    assert keys(page) == ["first"]
    page.get_by_role("button", name="Resume").click()
    page.get_by_text("third", exact=True).wait_for()
    assert keys(page) == ["third", "second", "first"]


def test_what_is_typed_stays_while_events_arrive(page: "Page", call: Call, agent_id: str) -> None:
    watching(page)
    page.get_by_label("Agents").fill("support-")
    put(call, agent_id, "arrived")
    page.get_by_text("arrived", exact=True).wait_for()
    assert page.get_by_label("Agents").input_value() == "support-"


def test_filters_select_agents_and_kinds(page: "Page", call: Call, agent_id: str) -> None:
    watching(page)
    page.get_by_label("Agents").fill(f"{agent_id}*")
    page.get_by_label("Agents").press("Enter")
    page.get_by_label("Kind").select_option("note")
    page.get_by_text("live", exact=True).wait_for()
    put(call, agent_id, "entry")
    for owner in (f"other-{agent_id}", f"{agent_id}-2"):
        call("NoteService/CreateNote", agentId=owner, draft={"title": owner, "content": "x"})
    page.locator(".rows").get_by_text(f"{agent_id}-2").first.wait_for()
    assert keys(page) == [f"{agent_id}-2"]


def test_a_filter_that_the_daemon_refuses_is_said(browser: "Browser", served: Daemon) -> None:
    # The browser itself prints an error for each refused request.
    for page in opened(browser, served, is_strict=False):
        watching(page)
        page.get_by_label("Agents").fill("x" * 300)
        page.get_by_label("Agents").press("Enter")
        page.get_by_text("failed: ").wait_for()
