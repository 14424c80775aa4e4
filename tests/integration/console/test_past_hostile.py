"""Text that is markup or turns the direction of writing around, in graphs, plans, conversations and contexts."""

from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import opened
from tests.integration.console.past import link, progress, remember, reword, say
from tests.integration.console.sample import Call
from tests.integration.console.test_hostile import BIDI, MARKUP, harmless

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

TEXTS = pytest.mark.parametrize("text", [MARKUP, BIDI])


@TEXTS
def test_a_graph_and_versions_show_text_as_it_is(page: "Page", call: Call, agent_id: str, text: str) -> None:
    first, second = remember(call, agent_id, f"First {text}"), remember(call, agent_id, f"Another thing: {text}")
    reword(call, agent_id, first, f"Changed {text}")
    link(call, agent_id, first, second, "CONTRADICTS")
    page.goto(f"/console/#/agents/{agent_id}/memories/{first}")
    page.get_by_role("list", name="Linked memories").filter(has_text=text).wait_for()
    page.get_by_role("list", name="Earlier versions").filter(has_text=text).wait_for()
    label = page.get_by_role("group", name="Graph of links").get_by_role("link").get_attribute("aria-label")
    assert text in str(label)
    harmless(page)


@TEXTS
def test_a_plan_shows_text_as_it_is(page: "Page", call: Call, agent_id: str, text: str) -> None:
    draft = {"goal": text, "steps": [{"description": text}]}
    plan_id = call("PlanService/CreatePlan", agentId=agent_id, draft=draft)["plan"]["planId"]
    progress(call, agent_id, plan_id, "1", "BLOCKED", text)
    page.goto(f"/console/#/agents/{agent_id}/plans")
    page.locator(".list .row", has_text=text).click()
    page.get_by_role("list", name="History").filter(has_text=text).wait_for()
    assert page.get_by_role("list", name="Steps").inner_text().count(text) == 2
    harmless(page)


@TEXTS
def test_a_conversation_and_its_context_show_text_as_it_is(page: "Page", call: Call, agent_id: str, text: str) -> None:
    conversation_id = f"talk {MARKUP}"
    parts = [
        {"text": text},
        {"toolCall": {"toolCallId": text, "name": text, "argumentsJson": text}},
        {"file": {"uri": "javascript:window.harm=1", "name": text}},
    ]
    draft = {"role": "MESSAGE_ROLE_ASSISTANT", "name": text, "parts": parts}
    say(call, agent_id, draft, conversation_id=conversation_id)
    page.goto(f"/console/#/agents/{agent_id}/conversations")
    page.locator(".list .row", has_text=MARKUP).click()
    page.get_by_role("link", name="Open its messages").click()
    page.get_by_role("region", name="Messages").get_by_role("button").click()
    detail = page.get_by_role("complementary", name="message")
    assert detail.inner_text().count(text) >= len(parts)
    assert "javascript:window.harm=1" in detail.inner_text()
    assert page.locator("a[href^='javascript']").count() == 0
    harmless(page)
    page.goto(f"/console/#/agents/{agent_id}/context")
    page.get_by_label("Conversation").fill(conversation_id)
    page.get_by_label("Conversation").press("Enter")
    page.get_by_role("region", name="Considered records").get_by_text(text[:10]).first.wait_for()
    harmless(page)


def test_addresses_of_nothing_are_harmless(browser: "Browser", served: Daemon) -> None:
    # The browser itself prints an error for each agent that does not exist.
    for page in opened(browser, served, is_strict=False):
        markup = "%3Cimg%20src%3Dx%20onerror%3D%22window.harm%3D1%22%3E"
        for path in ("memories", "conversations", "then", "timeline", "timeline/entry", "timeline/memory"):
            page.goto(f"/console/#/agents/support/{path}/{markup}")
            page.get_by_role("heading").first.wait_for()
            harmless(page)
