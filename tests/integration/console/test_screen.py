"""The screens, each in a browser, over an agent that remembers something of every kind."""

import re
from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import SCHEMES, SIZES, opened
from tests.integration.console.sample import Call, change
from tests.integration.console.usable import check_usable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

SCREENS = {
    "agents": ("agents", "Customer support"),
    "agent": ("agents/support", "rate.limit"),
    "memories": ("agents/support/memories", "The shop is closed on Mondays."),
    "recall": ("agents/support/memories", "Anna Berger lives in Vienna."),
    "notes": ("agents/support/notes", "House rules"),
    "fragments": ("agents/support/fragments", "The parcel was last seen in Hamburg."),
    "documents": ("agents/support/documents", "Terms of delivery"),
    "entities": ("agents/support/entities", "Order 4711"),
    "plans": ("agents/support/plans", "Settle order 4711"),
    "conversations": ("agents/support/conversations", "Where is my parcel?"),
    "context": ("agents/support/context", "Never promise a date of delivery."),
    "timeline": ("agents/support/timeline", "My parcel has not arrived."),
    "live": ("live", "weather"),
}


def go(page: "Page", name: str, call: Call) -> None:
    """Open a screen, choose something in it, and wait until it is shown."""
    path, text = SCREENS[name]
    page.goto(f"/console/#/{path}")
    if name == "live":
        page.get_by_text("live", exact=True).wait_for()
        change(call, "research")
    if name == "agents":
        # Other tests have agents, too.
        page.get_by_label("Begins with").fill("support")
    elif name == "agent":
        page.get_by_role("button", name="refund").click()
    elif name == "recall":
        recall(page, "Where does Anna live?")
    elif name == "context":
        page.get_by_label("Question").fill("Where does Anna live?")
        page.get_by_label("Question").press("Enter")
        page.get_by_role("region", name="Messages").get_by_text("Anna Berger lives in Vienna.").wait_for()
    shown = page.get_by_text(text).first
    shown.wait_for()
    if name == "agent":
        page.get_by_role("button", name="status").click()
    elif name == "timeline":
        page.get_by_role("button", name="entry set").first.click()
    elif name in ("live", "recall"):
        shown.click()


def recall(page: "Page", question: str) -> None:
    """Ask for memories, and wait until they are shown."""
    page.get_by_label("Recall", exact=True).fill(question)
    page.get_by_label("Recall", exact=True).press("Enter")
    page.get_by_role("region", name="Recalled memories").get_by_role("button").first.wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_can_be_used_by_everybody(
    browser: "Browser", served: Daemon, call: Call, name: str, size: str, scheme: str
) -> None:
    for page in opened(browser, served, size, scheme):
        go(page, name, call)
        check_usable(page, name, size, scheme)


def test_a_lookup_in_a_scope_shows_where_each_entry_is_from(page: "Page", call: Call) -> None:
    go(page, "agent", call)
    rows = page.get_by_role("region", name="Entries").get_by_role("button")
    rows.get_by_text("rate.limit").wait_for()
    badges = {row.locator(".title > .line").inner_text(): row.locator(".badge").all_inner_texts() for row in rows.all()}
    words = {key: [re.sub(r"\s+", " ", each) for each in found] for key, found in badges.items()}
    assert words == {
        "amount": [],
        "customer": ["inherited from order-4711"],
        "language": ["inherited from order-4711", "hides root"],
        "rate.limit": ["inherited from root"],
        "shop": ["inherited from root"],
        "status": ["hides order-4711"],
        "tone": ["inherited from root"],
    }
    detail = page.get_by_role("complementary", name="entry")
    assert "waiting for the carrier" in detail.inner_text()
    assert re.search(r"\d min \d+ s left", detail.inner_text())


def test_a_recall_shows_the_parts_of_each_score(page: "Page", call: Call) -> None:
    go(page, "recall", call)
    expected = call(
        "LongTermMemoryService/RecallMemories", agentId="support", query="Where does Anna live?", minScore=0
    )
    found = expected["memories"]
    rows = page.get_by_role("region", name="Recalled memories").get_by_role("button")
    rows.first.wait_for()
    assert rows.locator(".title").all_inner_texts() == [each["memory"]["content"] for each in found]
    values = [
        [float(meter.get_attribute("aria-valuenow") or "nan") for meter in row.locator("[role=meter]").all()]
        for row in rows.all()
    ]
    parts = ("score", "lexicalScore", "semanticScore")
    assert values == [[pytest.approx(each.get(part, 0.0), abs=1e-3) for part in parts] for each in found]
    assert found[0]["matchReason"] in page.get_by_role("complementary").inner_text()


def test_a_context_says_of_each_record_whether_it_is_in(page: "Page", call: Call) -> None:
    go(page, "context", call)
    page.get_by_label("Tokens", exact=True).fill("200")
    page.get_by_label("Tokens", exact=True).press("Enter")
    page.get_by_text(" of 200 tokens").first.wait_for()
    request = {
        "query": "Where does Anna live?",
        "maxTokens": 200,
        "includeManifest": True,
        "filter": {"allUsers": True},
    }
    expected = call("ContextService/ComposeContext", agentId="support", **request)["manifest"]
    rows = page.get_by_role("region", name="Considered records").locator(".row")
    words = [each["outcome"].removeprefix("CONTEXT_OUTCOME_").lower().replace("_", " ") for each in expected]
    assert len(set(words)) > 1
    assert rows.locator(".verb").all_inner_texts() == words


def test_the_timeline_has_the_value_before_a_change(page: "Page", call: Call, agent_id: str) -> None:
    for value in ('"calm"', '"storm"'):
        call("WorkingMemoryService/SetEntry", agentId=agent_id, key="sea", valueJson=value)
    page.goto(f"/console/#/agents/{agent_id}/timeline")
    page.get_by_role("button", name="entry set").first.click()
    detail = page.get_by_role("complementary", name="change")
    before, after = detail.inner_text().split("After")
    assert '"calm"' in before
    assert '"storm"' in after


def test_the_agents_are_found_by_how_their_ids_begin(page: "Page", call: Call, agent_id: str) -> None:
    call("WorkingMemoryService/SetEntry", agentId=agent_id, key="k", valueJson="1")
    page.goto("/console/#/agents")
    page.get_by_label("Begins with").fill("support")
    page.get_by_text("support", exact=True).wait_for()
    page.get_by_label("Begins with").fill(agent_id[:-1])
    page.get_by_text("support", exact=True).wait_for(state="detached")
    page.get_by_role("link", name=agent_id).press("Enter")
    page.get_by_role("heading", name=agent_id).wait_for()


def test_rows_are_reached_by_the_keyboard(page: "Page", call: Call) -> None:
    go(page, "notes", call)
    rows = page.get_by_role("region", name="Notes").get_by_role("button")
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    assert rows.nth(1).evaluate("row => row === document.activeElement")
    page.keyboard.press("Enter")
    detail = page.get_by_role("complementary")
    detail.wait_for()
    page.keyboard.press("Escape")
    detail.wait_for(state="detached")
    assert rows.nth(1).evaluate("row => row === document.activeElement")
