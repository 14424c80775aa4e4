"""The screens of records with a past: links, versions, plans, conversations, contexts and the timeline."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import SCHEMES, SIZES, client_of, opened
from tests.integration.console.past import (
    ABOUT_DEPOT,
    COMPLAINT,
    CONVERSATION_ID,
    COURIER,
    DEPOT,
    HOLIDAY,
    MEMORIES,
    PROMISE,
    Past,
    fill_past,
    link,
    progress,
    remember,
    reword,
    say,
)
from tests.integration.console.sample import Call, caller
from tests.integration.console.test_screen import recall
from tests.integration.console.usable import check_usable
from tests.wait import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.whole

AGENT = "parcels"
QUESTION = "Where does the parcel stay?"
NODES_MAX = 24
"""Number of memories that a graph may show."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """The daemon of these tests, which finds memories by their words alone."""
    daemon = Daemon(tmp_path_factory.mktemp("past"), "--console", "--embedder", "none")
    daemon.start()
    yield daemon
    daemon.close()


@pytest.fixture(scope="module")
def past(served: Daemon) -> Past:
    """An agent with a past, which tests only read."""
    with client_of(served) as client:
        return fill_past(caller(client), AGENT)


def show_memory(page: "Page", past: Past) -> None:
    """Open the memory with links and versions."""
    page.goto(f"/console/#/agents/{AGENT}/memories/{past.courier_id}")
    page.get_by_role("list", name="Linked memories").get_by_role("listitem").nth(2).wait_for()
    page.get_by_role("list", name="Earlier versions").get_by_text(COURIER[0]).wait_for()


def show_plan(page: "Page", _: Past) -> None:
    """Choose the plan."""
    page.goto(f"/console/#/agents/{AGENT}/plans")
    page.get_by_role("button", name="Settle order 4711").click()
    page.get_by_role("list", name="History").get_by_text("plan created").wait_for()


def show_conversation(page: "Page", _: Past) -> None:
    """Open the conversation, and choose the call of a tool."""
    page.goto(f"/console/#/agents/{AGENT}/conversations/{CONVERSATION_ID}")
    page.get_by_role("list", name="Compactions").get_by_text("1 to 2").wait_for()
    page.get_by_role("region", name="Messages").get_by_text("1 memory").wait_for()
    page.get_by_role("button", name="track_parcel").first.click()


def show_context(page: "Page", _: Past) -> None:
    """Compose a context of the conversation with strict budgets, where memories have few tokens."""
    page.goto(f"/console/#/agents/{AGENT}/context")
    for label, text in (("Question", QUESTION), ("Conversation", CONVERSATION_ID), ("Tokens", "400")):
        page.get_by_label(label, exact=True).fill(text)
        page.get_by_label(label, exact=True).press("Enter")
    # The budgets end at the whole: a smaller number would be another one before.
    page.get_by_text(" of 400 tokens").wait_for()
    page.get_by_label("Strict budgets").check()
    page.get_by_label("Budget of memories in tokens").fill("20")
    page.get_by_text(" of 20 tokens").wait_for()
    page.get_by_role("region", name="Considered records").get_by_text("Your parcel is in Hamburg.").wait_for()


def show_writer(page: "Page", past: Past) -> None:
    """Open the timeline of one memory."""
    page.goto(f"/console/#/agents/{AGENT}/memories/{past.courier_id}")
    page.get_by_role("link", name="Who wrote this?").click()
    page.get_by_text("Last changed by anonymous").wait_for()


def show_then(page: "Page", _: Past) -> None:
    """Open the agent as it was when the conversation was compacted."""
    page.goto(f"/console/#/agents/{AGENT}/timeline")
    page.get_by_role("button", name="conversation compacted").click()
    page.get_by_role("link", name="The agent as it was then").click()
    page.get_by_label("Kind").select_option("memory")
    page.get_by_role("button", name=COURIER[-1]).click()


PLACES = {
    "memory": show_memory,
    "plan": show_plan,
    "conversation": show_conversation,
    "budgets": show_context,
    "writer": show_writer,
    "then": show_then,
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PLACES)
def test_a_screen_of_the_past_can_be_used_by_everybody(
    browser: "Browser", served: Daemon, past: Past, name: str, size: str, scheme: str
) -> None:
    for page in opened(browser, served, size, scheme):
        PLACES[name](page, past)
        check_usable(page, name, size, scheme)


def test_the_graph_of_a_memory_leads_to_those_that_are_linked(page: "Page", past: Past) -> None:
    show_memory(page, past)
    entries = page.get_by_role("list", name="Linked memories").get_by_role("listitem").all()
    texts = {each.locator(".count").inner_text(): each.get_by_role("link").inner_text() for each in entries}
    relations = [re.sub(r"\d", lambda found: texts[found[0]], each.locator(".dim").inner_text()) for each in entries]
    assert {text: sorted(each.split("; ")) for text, each in zip(texts.values(), relations, strict=True)} == {
        PROMISE: ["this memory contradicts it"],
        COMPLAINT: [f"is related to {DEPOT}", "this memory is derived from it"],
        DEPOT: sorted(
            [
                *(f"is related to {each}" for each in ABOUT_DEPOT),
                f"{COMPLAINT} is related to it",
                "this memory is related to it",
            ]
        ),
        HOLIDAY: ["reinforces this memory"],
        **{each: [f"{DEPOT} is related to it"] for each in ABOUT_DEPOT},
    }
    circles = page.get_by_role("group", name="Graph of links").get_by_role("link")
    assert circles.count() == len(entries)
    # Contradictions come first.
    circles.nth(0).press("Enter")
    page.get_by_role("region", name="Memory", exact=True).get_by_text(PROMISE).wait_for()


def test_a_graph_shows_some_of_many_links(page: "Page", call: Call, agent_id: str) -> None:
    rows = [{"content": f"Shelf {each} holds books.", "type": "MEMORY_TYPE_SEMANTIC"} for each in range(40)]
    created = call(f"{MEMORIES}/BatchCreateMemories", agentId=agent_id, drafts=rows)["results"]
    first, *others = [each["memory"]["memoryId"] for each in created]
    for other in others:
        link(call, agent_id, first, other, "RELATED")
    page.goto(f"/console/#/agents/{agent_id}/memories/{first}")
    page.get_by_text("more links are not shown").wait_for()
    assert 1 < page.get_by_role("group", name="Graph of links").get_by_role("link").count() < NODES_MAX


def test_the_versions_of_a_memory_say_what_it_was(page: "Page", past: Past) -> None:
    show_memory(page, past)
    versions = page.get_by_role("list", name="Earlier versions").get_by_role("listitem").all_inner_texts()
    assert [content in version for content, version in zip(reversed(COURIER[:-1]), versions, strict=True)] == [True] * 2


def test_the_newest_of_many_versions_are_shown(page: "Page", call: Call, agent_id: str) -> None:
    memory_id = remember(call, agent_id, "Delivery 0 was late.")
    for each in range(1, 30):
        reword(call, agent_id, memory_id, f"Delivery {each} was late.")
    page.goto(f"/console/#/agents/{agent_id}/memories/{memory_id}")
    page.get_by_text("Earlier versions are not shown, or no longer kept.").wait_for()
    versions = page.get_by_role("list", name="Earlier versions").get_by_role("listitem").all_inner_texts()
    assert [re.findall(r"Delivery (\d+)", each) for each in versions] == [[str(each)] for each in range(28, 8, -1)]


def test_memories_are_listed_and_recalled_as_of_a_time(page: "Page", call: Call, agent_id: str) -> None:
    memory_id = remember(call, agent_id, COURIER[0])
    gone_id = remember(call, agent_id, "The harbour shop is closed.")
    moment = moment_after(call, agent_id)
    reword(call, agent_id, memory_id, COURIER[1])
    call(f"{MEMORIES}/ForgetMemory", agentId=agent_id, memoryId=gone_id)
    remember(call, agent_id, "Graz has a new depot.")
    page.goto(f"/console/#/agents/{agent_id}/memories")
    rows = page.get_by_role("region", name="Memories").get_by_role("button")
    page.get_by_text("Graz has a new depot.").wait_for()
    page.get_by_label("As of").fill(moment)
    page.get_by_text("The harbour shop is closed.").wait_for()
    assert sorted(rows.locator(".title").all_inner_texts()) == [COURIER[0], "The harbour shop is closed."]
    recall(page, "How long does the courier to Graz need?")
    found = page.get_by_role("region", name="Recalled memories").locator(".title")
    found.first.wait_for()
    assert found.all_inner_texts() == [COURIER[0]]
    page.get_by_label("As of").fill("")
    page.get_by_text(COURIER[1]).wait_for()


def moment_after(call: Call, agent_id: str) -> str:
    """Return a time after the newest memory, as a browser in UTC writes it, once it has passed."""
    newest = call(f"{MEMORIES}/ListMemories", agentId=agent_id, pageSize=1)["memories"][0]["updateTime"]
    moment = datetime.fromisoformat(newest) + timedelta(milliseconds=1)
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if moment.microsecond % 10_000 == 0:  # Browsers leave out a zero at the end.
        moment += timedelta(milliseconds=1)
    until(lambda: datetime.now(tz=UTC) > moment, "the moment passes")
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def test_a_plan_shows_its_steps_and_what_happened_to_them(page: "Page", past: Past) -> None:
    show_plan(page, past)
    steps = page.get_by_role("list", name="Steps").get_by_role("listitem")
    assert steps.locator(".state").all_text_contents() == ["completed", "blocked", "pending"]
    assert "The parcel is in Hamburg." in steps.first.inner_text()
    assert page.get_by_role("meter").get_attribute("aria-valuenow") == "1"
    happenings = page.get_by_role("list", name="History").locator(".happening")
    happenings.first.wait_for()
    assert [" ".join(each.split()) for each in happenings.all_inner_texts()] == [
        "plan note added Anna can be reached after four.",
        "plan step updated blocked Offer a refund",
        "plan step updated completed Ask the carrier",
        "plan created in progress",
    ]


def test_a_conversation_shows_what_was_compacted_ingested_and_learned(page: "Page", past: Past) -> None:
    show_conversation(page, past)
    rows = page.get_by_role("region", name="Messages").get_by_role("button")
    words = [" ".join(each.split()) for each in rows.all_inner_texts()]
    assert [each.split(" ", 1)[0] for each in words] == ["user", "assistant", "tool", "assistant"]
    assert ["ingested" in each for each in words] == [True, False, False, False]
    assert ["1 to 2 removed" in each for each in words] == [True, False, False, False]
    assert all(re.search(r"\d+ tokens", each) for each in words)
    detail = page.get_by_role("complementary", name="message")
    assert '"order": 4711' in detail.get_by_role("region", name="Tool call").inner_text()
    rows.first.click()
    detail.get_by_role("link", name="I live in Graz").click()
    page.get_by_role("region", name="Memory", exact=True).get_by_text("I live in Graz").first.wait_for()


def test_the_summary_of_a_conversation_is_shown(page: "Page", past: Past) -> None:
    def summarized(route: "Route") -> None:
        # As a daemon with a model that summarizes would respond.
        answer = route.fetch().json()
        answer["conversation"]["summary"] = "Somebody greeted."
        route.fulfill(json=answer)

    page.route("**/memoryd.v1.ConversationService/GetConversation", summarized)
    show_conversation(page, past)
    page.get_by_text("Summary of messages that were compacted").click()
    page.get_by_text("Somebody greeted.").wait_for()


def test_a_record_of_a_context_has_its_text(page: "Page", past: Past) -> None:
    show_context(page, past)
    rows = page.get_by_role("region", name="Considered records").locator(".row")
    lines = rows.locator(".title > .line").all_inner_texts()
    for text in (COURIER[-1], "Ask the carrier", "Your parcel is in Hamburg."):
        assert text in lines


def composed(call: Call) -> dict[str, Any]:
    """Compose the context that ``show_context`` shows."""
    names = ("notes", "documents", "memories", "plan", "entities", "messages")
    sections = [{name: {}, **({"maxTokens": 20} if name == "memories" else {})} for name in names]
    return call(
        "ContextService/ComposeContext",
        agentId=AGENT,
        query=QUESTION,
        conversationId=CONVERSATION_ID,
        maxTokens=400,
        sections=sections,
        strictBudgets=True,
        includeManifest=True,
        filter={"allUsers": True},
    )


def test_a_moved_budget_composes_the_context_again(page: "Page", call: Call, past: Past) -> None:
    show_context(page, past)
    outcomes = page.get_by_role("region", name="Considered records").locator(".verb").all_inner_texts()
    assert outcomes == [outcome_of(each) for each in composed(call)["manifest"]]
    assert "over section budget" in outcomes
    page.get_by_role("button", name="Reset the budgets").click()
    page.get_by_text(" of 20 tokens").wait_for(state="detached")


def outcome_of(item: dict[str, Any]) -> str:
    """Return the outcome of an item of a manifest in words."""
    outcome: str = item["outcome"]
    return outcome.removeprefix("CONTEXT_OUTCOME_").lower().replace("_", " ")


def test_the_messages_of_a_context_are_copied(page: "Page", call: Call, past: Past) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    show_context(page, past)
    page.get_by_role("button", name="Copy as messages").click()
    expected = composed(call)["messages"]
    page.get_by_role("status").get_by_text(f"{len(expected)} messages are copied.").wait_for()
    messages = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert messages[-1] == {"role": "assistant", "content": "Your parcel is in Hamburg."}
    roles = [each["role"].removeprefix("MESSAGE_ROLE_").lower() for each in expected]
    assert [each["role"] for each in messages] == roles
    assert [each.get("parts") for each in messages] == [each.get("parts") for each in expected]
    assert [each.get("content") for each in messages] == [each.get("content") for each in expected]


def test_it_is_said_who_wrote_a_value(page: "Page", call: Call, agent_id: str) -> None:
    scope_id = call("WorkingMemoryService/CreateScope", agentId=agent_id, name="trip")["scope"]["scopeId"]
    for scope, value in (("", "1"), (scope_id, "2"), (scope_id, "3")):
        call("WorkingMemoryService/SetEntry", agentId=agent_id, scopeId=scope, key="a/b", valueJson=value)
    page.goto(f"/console/#/agents/{agent_id}")
    page.get_by_role("button", name="trip").click()
    page.get_by_role("button", name="hides root").click()
    page.get_by_role("link", name="Who wrote this?").click()
    page.get_by_text("Last changed by anonymous").wait_for()
    rows = page.get_by_role("region", name="Timeline").get_by_role("button")
    assert rows.count() == 2
    rows.first.click()
    before, after = page.get_by_role("complementary", name="change").inner_text().split("After")
    assert ("2" in before, "3" in after) == (True, True)


def test_an_agent_is_shown_as_it_was_at_a_revision(page: "Page", call: Call, agent_id: str) -> None:
    def put(key: str, value: str) -> str:
        request = {"agentId": agent_id, "key": key, "valueJson": value}
        revision: str = call("WorkingMemoryService/SetEntry", **request)["revision"]
        return revision

    put("stays", "1")
    put("goes", "1")
    plan = {"goal": "Sail", "steps": [{"description": "Pack"}]}
    call("PlanService/CreatePlan", agentId=agent_id, draft=plan)
    then = put("stays", "2")
    removed = call("WorkingMemoryService/RemoveEntry", agentId=agent_id, key="goes")["revision"]
    put("stays", "3")
    cleared = call("WorkingMemoryService/ClearEntries", agentId=agent_id)["revision"]
    there = {then: ["stays", "Sail", "goes"], removed: ["stays", "Sail"], cleared: ["Sail"]}
    for revision, names in there.items():
        page.goto(f"/console/#/agents/{agent_id}/then/{revision}")
        page.get_by_text(f"{len(names)} record", exact=False).wait_for()
        rows = page.get_by_role("region", name="Records of then").get_by_role("button")
        assert rows.locator(".title > .line").all_inner_texts() == names
    page.goto(f"/console/#/agents/{agent_id}/then/{then}")
    page.get_by_role("button", name="stays").click()
    value = page.get_by_role("complementary", name="record").inner_text()
    assert re.search(r"Value\s+2", value)
    page.get_by_label("Kind").select_option("plan")
    page.get_by_text("1 record").wait_for()


def test_what_ended_with_another_record_is_not_shown_as_of_then(page: "Page", call: Call, agent_id: str) -> None:
    scope_id = call("WorkingMemoryService/CreateScope", agentId=agent_id, name="trip")["scope"]["scopeId"]
    call("WorkingMemoryService/SetEntry", agentId=agent_id, scopeId=scope_id, key="seat", valueJson='"12A"')
    say(call, agent_id, {"role": "MESSAGE_ROLE_USER", "content": "Hello"})
    first, second = remember(call, agent_id, PROMISE), remember(call, agent_id, DEPOT)
    link(call, agent_id, first, second, "RELATED")
    plan = {"planId": "sail", "goal": "Sail", "steps": [{"description": "Pack"}]}
    call("PlanService/CreatePlan", agentId=agent_id, draft=plan)
    progress(call, agent_id, "sail", "1", "COMPLETED", "Done.")
    removals = {
        "PlanService/DeletePlan": {"planId": "sail"},
        f"{MEMORIES}/PurgeMemory": {"memoryId": second},
        "ConversationService/DeleteConversation": {"conversationId": CONVERSATION_ID},
        "WorkingMemoryService/DisposeScope": {"scopeId": scope_id},
        "AgentService/EndAgent": {},
    }
    # Each ends with what was its own: a step, a link, a message, an entry.
    for (method, request), count in zip(removals.items(), (7, 5, 3, 1, 0), strict=True):
        revision = call(method, agentId=agent_id, **request)["revision"]
        page.goto(f"/console/#/agents/{agent_id}/then/{revision}")
        page.get_by_role("heading", name=f"As of revision {revision}").wait_for()
        page.get_by_text(f"{count} record", exact=False).wait_for()


def test_it_is_said_where_the_journal_begins(page: "Page", call: Call, agent_id: str) -> None:
    def pruned(route: "Route") -> None:
        # As a daemon would respond whose journal has lost the agent's first revision.
        answer = route.fetch().json()
        answer["events"] = [each for each in answer["events"] if each["revision"] != "1"]
        route.fulfill(json=answer)

    for key in ("old", "new"):
        call("WorkingMemoryService/SetEntry", agentId=agent_id, key=key, valueJson="1")
    page.route("**/memoryd.v1.EventService/ListEvents", pruned)
    page.goto(f"/console/#/agents/{agent_id}/then/2")
    page.get_by_text("The journal reaches back to revision 2").wait_for()
    page.goto(f"/console/#/agents/{agent_id}/timeline/entry//old")
    page.get_by_text("The journal no longer has what wrote this record.").wait_for()
