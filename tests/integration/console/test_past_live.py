"""Screens that follow changes: also those that are made while the page cannot reach the daemon."""

from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.past import CONVERSATION_ID, MEMORIES, PROMISE, fill_past, progress, reword, say
from tests.integration.console.sample import Call, caller

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

AGENT = "parcels"
USER = "MESSAGE_ROLE_USER"


def test_a_conversation_goes_on_after_the_daemon_was_killed(browser: "Browser", mortal: Daemon) -> None:
    # The browser itself prints an error for each request that finds no daemon.
    for page in opened(browser, mortal, is_strict=False):
        with client_of(mortal) as web:
            fill_past(caller(web), AGENT)
        page.goto(f"/console/#/agents/{AGENT}/conversations/{CONVERSATION_ID}")
        rows = page.get_by_role("region", name="Messages").get_by_role("button")
        rows.nth(3).wait_for()
        with client_of(mortal) as web:
            say(caller(web), AGENT, {"role": USER, "content": "Thank you."})
        page.get_by_text("Thank you.").wait_for()
        mortal.kill()
        page.get_by_text("away", exact=True).wait_for()
        mortal.start()
        with client_of(mortal) as web:
            # Before the page may have connected again.
            say(caller(web), AGENT, {"role": USER, "content": "One more thing."}, {"role": USER, "content": "I moved."})
        page.get_by_text("I moved.").wait_for()
        numbers = [each.inner_text().split()[0] for each in rows.locator(".sub").all()]
        assert numbers == ["3", "4", "5", "6", "7", "8", "9"]


def test_a_compaction_is_shown_as_it_happens(page: "Page", call: Call, agent_id: str) -> None:
    drafts = [{"role": USER, "content": f"Message {each}"} for each in range(1, 6)]
    say(call, agent_id, *drafts)
    page.goto(f"/console/#/agents/{agent_id}/conversations/{CONVERSATION_ID}")
    page.get_by_text("Message 5").wait_for()
    compaction = {"agentId": agent_id, "conversationId": CONVERSATION_ID, "maxTokens": 1, "keepLast": 2}
    call("ConversationService/CompactMessages", **compaction)
    page.get_by_role("list", name="Compactions").get_by_text("3 messages were compacted: 1 to 3").wait_for()
    page.get_by_text("1 to 3 removed").wait_for()
    assert page.get_by_role("region", name="Messages").get_by_role("button").count() == len(drafts) - 3


def test_a_plan_goes_on_after_the_daemon_was_killed(browser: "Browser", mortal: Daemon) -> None:
    # The browser itself prints an error for each request that finds no daemon.
    for page in opened(browser, mortal, is_strict=False):
        with client_of(mortal) as web:
            past = fill_past(caller(web), AGENT)
        page.goto(f"/console/#/agents/{AGENT}/plans")
        page.get_by_role("button", name="Settle order 4711").click()
        steps = page.get_by_role("list", name="Steps")
        steps.get_by_text("pending").wait_for()
        mortal.kill()
        page.get_by_text("away", exact=True).wait_for()
        mortal.start()
        with client_of(mortal) as web:
            progress(caller(web), AGENT, past.plan_id, "3", "COMPLETED", "She answered.")
        steps.get_by_text("She answered.").wait_for()
        assert steps.locator(".state").all_text_contents() == ["completed", "blocked", "completed"]


def test_a_memory_is_shown_as_it_becomes(page: "Page", call: Call, agent_id: str) -> None:
    past = fill_past(call, agent_id)
    page.goto(f"/console/#/agents/{agent_id}/memories/{past.courier_id}")
    linked = page.get_by_role("list", name="Linked memories").get_by_role("listitem")
    linked.get_by_text(PROMISE).wait_for()
    reword(call, agent_id, past.courier_id, "Graz takes a week.")
    page.get_by_role("region", name="Memory", exact=True).get_by_text("Graz takes a week.").wait_for()
    links = call(f"{MEMORIES}/ListMemoryLinks", agentId=agent_id, memoryId=past.courier_id)["memoryLinks"]
    contradicted = next(each for each in links if each["type"] == "MEMORY_LINK_TYPE_CONTRADICTS")
    call(
        f"{MEMORIES}/UnlinkMemories",
        agentId=agent_id,
        fromMemoryId=past.courier_id,
        toMemoryId=contradicted["toMemoryId"],
    )
    linked.get_by_text(PROMISE).wait_for(state="detached")
