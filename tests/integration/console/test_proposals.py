"""Proposals of memories, which are accepted and rejected in the console."""

from typing import TYPE_CHECKING

import pytest
from tests.integration.console.changing import allow, announced
from tests.integration.console.sample import Call

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.whole

SERVICE = "LongTermMemoryService"
LEFT, STAYED = "I moved to Oslo last month", "I don't eat meat"


def propose(call: Call, agent_id: str) -> None:
    """Have two statements of a conversation wait for a review."""
    content = f"{LEFT}, and {STAYED}."
    call(
        "ConversationService/AppendMessages",
        agentId=agent_id,
        conversationId="talk",
        drafts=[{"role": "MESSAGE_ROLE_USER", "content": content}],
    )
    call(f"{SERVICE}/IngestConversation", agentId=agent_id, conversationId="talk", mode="INGEST_MODE_PROPOSE")


def pending(call: Call, agent_id: str) -> list[str]:
    """Return the contents of the proposals that wait."""
    return [
        each["content"] for each in call(f"{SERVICE}/ListMemoryProposals", agentId=agent_id).get("memoryProposals", [])
    ]


def remembered(call: Call, agent_id: str) -> list[str]:
    """Return the contents of the memories."""
    return [each["content"] for each in call(f"{SERVICE}/ListMemories", agentId=agent_id).get("memories", [])]


def test_a_proposal_is_shown_with_its_evidence_and_accepted(page: "Page", call: Call, agent_id: str) -> None:
    propose(call, agent_id)
    page.goto(f"/console/#/agents/{agent_id}/proposals")
    page.get_by_role("button", name=LEFT).click()
    page.get_by_text(f"{LEFT}, and {STAYED}.").wait_for()
    assert page.get_by_role("button", name="Accept…").count() == 0
    allow(page)
    page.get_by_role("button", name="Accept…").click()
    page.get_by_role("dialog").get_by_role("button", name="Accept the memory proposal").click()
    announced(page, f"Accepted: {LEFT}")
    page.locator(".list .row", has_text=LEFT).wait_for(state="detached")
    assert (pending(call, agent_id), remembered(call, agent_id)) == ([STAYED], [LEFT])


def test_a_proposal_is_rejected_and_erased(page: "Page", call: Call, agent_id: str) -> None:
    propose(call, agent_id)
    page.goto(f"/console/#/agents/{agent_id}/proposals")
    allow(page)
    page.get_by_role("button", name=STAYED).click()
    page.get_by_role("button", name="Reject…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Also erase it from the journal").check()
    dialog.get_by_role("button", name="Reject the memory proposal").click()
    announced(page, f"Rejected: {STAYED}")
    assert (pending(call, agent_id), remembered(call, agent_id)) == ([LEFT], [])


def test_the_timeline_of_a_proposal_names_its_author(page: "Page", call: Call, agent_id: str) -> None:
    propose(call, agent_id)
    page.goto(f"/console/#/agents/{agent_id}/proposals")
    page.get_by_role("button", name=STAYED).click()
    page.get_by_role("link", name="Who wrote this?").click()
    page.locator(".list .row", has_text="memory proposal created").wait_for()


def test_proposals_are_shown_as_of_a_revision(page: "Page", call: Call, agent_id: str) -> None:
    propose(call, agent_id)
    created = call("AgentService/GetAgent", agentId=agent_id)["agent"]["revision"]
    page.goto(f"/console/#/agents/{agent_id}/then/{created}")
    page.get_by_label("Kind").select_option("memory proposal")
    page.get_by_text("2 records").wait_for()
    page.get_by_role("region", name="Records of then").get_by_role("button", name=LEFT).click()
    page.get_by_role("complementary", name="record").get_by_text(LEFT, exact=True).wait_for()


def test_one_that_somebody_else_accepted_meanwhile_is_not_accepted_again(
    refused_page: "Page", call: Call, agent_id: str
) -> None:
    page = refused_page
    propose(call, agent_id)
    page.goto(f"/console/#/agents/{agent_id}/proposals")
    allow(page)
    page.get_by_role("button", name=LEFT).click()
    page.get_by_role("button", name="Accept…").click()
    (proposal, *_) = call(f"{SERVICE}/ListMemoryProposals", agentId=agent_id)["memoryProposals"]
    call(f"{SERVICE}/AcceptMemoryProposals", agentId=agent_id, memoryProposalIds=[proposal["memoryProposalId"]])
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Accept the memory proposal").click()
    dialog.get_by_role("alert").wait_for()
    assert remembered(call, agent_id) == [LEFT]
