"""Text of agents that is markup, turns the direction of writing around, or has no end: a page shows it, and no more."""

import json
from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import opened
from tests.integration.console.sample import Call

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

MARKUP = """<img src=x onerror="window.harm=1"><script>window.harm=1</script><b>bold</b>{{harm}}</li></ul>"""
BIDI = "invoice\u202efdp.exe \u2066\u05d0\u05d1\u05d2"
HUGE = 900_000


def harmless(page: "Page") -> None:
    """Check that no text became markup, and none was run."""
    assert page.evaluate("window.harm") is None
    assert page.locator("main img, main script, main b, main iframe").count() == 0


@pytest.mark.parametrize("text", [MARKUP, BIDI])
def test_text_is_shown_as_it_is(page: "Page", call: Call, text: str, agent_id: str) -> None:
    agent_id = f"{agent_id} {MARKUP}"
    call(
        "WorkingMemoryService/SetEntry",
        agentId=agent_id,
        key=text,
        valueJson=json.dumps(text),
        tags=[text],
        typeName=text,
    )
    call("NoteService/CreateNote", agentId=agent_id, draft={"title": text, "content": text})
    call("WorkingMemoryService/CreateScope", agentId=agent_id, name=text)
    page.goto("/console/#/agents")
    page.get_by_label("Begins with").fill(agent_id[:16])
    page.get_by_role("link", name=agent_id[:20]).click()
    for path in ("", "notes", "timeline"):
        if path:
            page.get_by_role("link", name=path).click()
        row = page.locator(".list .row", has_text=text).first
        row.click()
        detail = page.get_by_role("complementary")
        assert text in detail.inner_text()
        harmless(page)
    # The text around it keeps its direction.
    isolated = page.evaluate(
        "[...document.querySelectorAll('bdi')].every(each => getComputedStyle(each).unicodeBidi === 'isolate')"
    )
    assert isolated


def test_a_script_in_the_address_is_not_run(browser: "Browser", served: Daemon) -> None:
    # The browser itself prints an error for each agent that does not exist.
    for page in opened(browser, served, is_strict=False):
        for path in ("agents/%3Cimg%20src%3Dx%20onerror%3D%22window.harm%3D1%22%3E", "%E0%A4%A", "agents/javascript:1"):
            page.goto(f"/console/#/{path}")
            page.get_by_role("heading").first.wait_for()
            harmless(page)


def test_a_huge_value_is_shown_once_it_is_asked_for(page: "Page", call: Call, agent_id: str) -> None:
    value = json.dumps("x" * HUGE)
    call("WorkingMemoryService/SetEntry", agentId=agent_id, key="huge", valueJson=value)
    page.goto(f"/console/#/agents/{agent_id}")
    page.get_by_role("button", name="huge").click()
    detail = page.get_by_role("complementary")
    assert len(detail.inner_text()) < 10_000
    detail.get_by_role("button", name="Show all").click()
    assert len(detail.inner_text()) > HUGE
    detail.get_by_role("button", name="Show less").click()
    assert len(detail.inner_text()) < 10_000
    harmless(page)


def test_a_number_of_many_digits_keeps_them(page: "Page", call: Call, agent_id: str) -> None:
    number = '{"n": 12345678901234567890.123456789}'
    call("WorkingMemoryService/SetEntry", agentId=agent_id, key="exact", valueJson=number)
    page.goto(f"/console/#/agents/{agent_id}")
    page.get_by_role("button", name="exact").click()
    assert "12345678901234567890.123456789" in page.get_by_role("complementary").inner_text()
