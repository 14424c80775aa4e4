"""Editing in the console: only if it is allowed, what was seen, once, and without the loss of a draft."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon import Daemon
from tests.integration.console.changing import allow, announced, editing, entry_of, opened_entry, put
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.sample import Call, caller
from tests.integration.console.test_hostile import MARKUP, harmless

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request, Route

pytestmark = pytest.mark.whole

CHANGES = "**/memoryd.v1.WorkingMemoryService/SetEntry"


def changes_of(page: "Page") -> list[dict[str, Any]]:
    """Return a list that gets the requests of SetEntry of a page."""
    sent: list[dict[str, Any]] = []

    def note(request: "Request") -> None:
        if request.url.endswith("/SetEntry"):
            sent.append(json.loads(request.post_data or ""))

    page.on("request", note)
    return sent


def test_nothing_can_be_changed_until_that_is_allowed(page: "Page", call: Call, agent_id: str) -> None:
    put(call, agent_id, "tide", "low")
    page.goto(f"/console/#/agents/{agent_id}")
    page.get_by_role("button", name="tide").click()
    detail = page.get_by_role("complementary", name="entry")
    assert detail.get_by_role("button").all_inner_texts() == ["Close"]
    assert page.get_by_role("link", name="Manage").count() == 0
    allow(page)
    assert detail.get_by_role("button").all_inner_texts() == ["Close", "Edit…", "Delete…"]
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("heading", name="End the agent").wait_for()
    # A page that is loaded again only reads.
    page.reload()
    page.get_by_text("Nothing can be changed from here").wait_for()
    assert not page.get_by_role("switch").is_checked()


def test_an_edit_changes_the_value_and_nothing_else(page: "Page", call: Call, agent_id: str) -> None:
    kept = {"type": "ENTRY_TYPE_PREFERENCE", "importance": 0.8, "tags": ["profile"], "metadata": {"by": "hand"}}
    before = put(call, agent_id, "shop", {"name": "Harbour Books"}, ttl="86400s", userId="", **kept)
    opened_entry(page, agent_id, "shop")
    dialog = editing(page)
    number = "12345678901234567890.123456789"
    dialog.get_by_role("textbox").fill(f'{{\n  "name": "Quay  Books",\n  "n": {number}\n}}')
    dialog.get_by_role("button", name="Save").click()
    announced(page, "Saved: shop")
    after = entry_of(call, agent_id, "shop")
    assert after["valueJson"] == f'{{"name":"Quay  Books","n":{number}}}'
    changing = {"revision", "updateTime", "valueJson", "accessCount", "lastAccessTime"}
    assert {k: v for k, v in after.items() if k not in changing} == {
        k: v for k, v in before.items() if k not in changing
    }
    assert number in page.get_by_role("complementary", name="entry").inner_text()
    assert number in page.get_by_role("region", name="Entries").inner_text()


def test_what_is_no_json_is_not_sent(page: "Page", call: Call, agent_id: str) -> None:
    before = put(call, agent_id, "tide", "low")
    sent = changes_of(page)
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    for text in ('{"a": 1,}', "low", "'low'", "NaN", ""):
        dialog.get_by_role("textbox").fill(text)
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_role("alert").filter(has_text="This is no JSON").wait_for()
        assert dialog.get_by_role("textbox").get_attribute("aria-invalid") == "true"
        assert dialog.get_by_role("textbox").input_value() == text
    assert sent == []
    assert entry_of(call, agent_id, "tide")["revision"] == before["revision"]


def test_a_conflict_shows_the_newer_value_and_keeps_the_draft(refused_page: "Page", call: Call, agent_id: str) -> None:
    page = refused_page
    put(call, agent_id, "tide", "low")
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('"my draft"')
    put(call, agent_id, "tide", "rising")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("It was changed since you opened it.").wait_for()
    assert '"rising"' in dialog.get_by_role("alert").inner_text()
    assert dialog.get_by_role("textbox").input_value() == '"my draft"'
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"rising"'
    # Changed again meanwhile: the second attempt replaces nothing that was not shown either.
    put(call, agent_id, "tide", "high")
    dialog.get_by_role("button", name="Save all the same").click()
    dialog.get_by_role("alert").filter(has_text='"high"').wait_for()
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"high"'
    dialog.get_by_role("button", name="Save all the same").click()
    announced(page, "Saved")
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"my draft"'


def test_a_newer_value_can_be_taken_instead_of_the_draft(refused_page: "Page", call: Call, agent_id: str) -> None:
    page = refused_page
    put(call, agent_id, "tide", "low")
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('"my draft"')
    put(call, agent_id, "tide", "rising")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Take this instead").click()
    assert dialog.get_by_role("textbox").input_value() == '"rising"'
    assert dialog.get_by_role("button", name="Save all the same").is_disabled()


def test_a_draft_outlives_the_record(refused_page: "Page", call: Call, agent_id: str) -> None:
    page = refused_page
    put(call, agent_id, "tide", "low")
    put(call, agent_id, "moon", "full")
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('"my draft"')
    call("WorkingMemoryService/RemoveEntry", agentId=agent_id, key="tide")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("It was deleted since you opened it. Your draft is kept.").wait_for()
    assert entry_of(call, agent_id, "tide") == {}
    dialog.get_by_role("button", name="Save all the same").click()
    announced(page, "Saved")
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"my draft"'


def test_a_double_click_saves_once(page: "Page", call: Call, agent_id: str) -> None:
    before = put(call, agent_id, "tide", "low")
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('"high"')
    # Two clicks before the page can do anything between them.
    dialog.get_by_role("button", name="Save").evaluate("button => { button.click(); button.click(); }")
    announced(page, "Saved")
    after = entry_of(call, agent_id, "tide")
    assert (after["valueJson"], int(after["revision"])) == ('"high"', int(before["revision"]) + 1)


def test_a_second_attempt_after_a_lost_response_saves_once(
    browser: "Browser", served: Daemon, call: Call, agent_id: str
) -> None:
    before = put(call, agent_id, "tide", "low")
    bodies: list[dict[str, Any]] = []

    def lose(route: "Route", request: "Request") -> None:
        bodies.append(json.loads(request.post_data or ""))
        if len(bodies) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    # The browser itself prints an error for the lost response.
    for page in opened(browser, served, is_strict=False):
        page.route(CHANGES, lose)
        opened_entry(page, agent_id, "tide")
        dialog = editing(page)
        dialog.get_by_role("textbox").fill('"high"')
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("Try again: it is done once.").wait_for()
        assert dialog.get_by_role("textbox").input_value() == '"high"'
        dialog.get_by_role("button", name="Save").click()
        announced(page, "Saved")
    assert bodies[0] == bodies[1]
    assert bodies[0]["requestId"]
    after = entry_of(call, agent_id, "tide")
    assert (after["valueJson"], int(after["revision"])) == ('"high"', int(before["revision"]) + 1)


def test_a_draft_is_saved_once_the_daemon_is_back(browser: "Browser", tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, "--console", "--embedder", "none")
    daemon.start()
    # The browser itself prints an error for each call that finds no daemon.
    for page in opened(browser, daemon, is_strict=False):
        with client_of(daemon) as web:
            put(caller(web), "harbour", "tide", "low")
        opened_entry(page, "harbour", "tide")
        dialog = editing(page)
        dialog.get_by_role("textbox").fill('"high"')
        daemon.kill()
        dialog.get_by_role("button", name="Save").click()
        dialog.get_by_text("Try again: it is done once.").wait_for()
        daemon.start()
        dialog.get_by_role("button", name="Save").click()
        announced(page, "Saved")
        with client_of(daemon) as web:
            assert entry_of(caller(web), "harbour", "tide")["valueJson"] == '"high"'
    daemon.close()


def test_another_edit_is_another_intention(page: "Page", call: Call, agent_id: str) -> None:
    put(call, agent_id, "tide", "low")
    sent = changes_of(page)
    opened_entry(page, agent_id, "tide")
    for value in ('"high"', '"low"', '"high"'):
        dialog = editing(page)
        dialog.get_by_role("textbox").fill(value)
        dialog.get_by_role("button", name="Save").click()
        dialog.wait_for(state="detached")
        page.get_by_role("region", name="Entries").get_by_text(value).wait_for()
        assert entry_of(call, agent_id, "tide")["valueJson"] == value
    assert len({each["requestId"] for each in sent}) == 3


def test_a_dialog_keeps_the_focus_and_escape_closes_it_alone(page: "Page", call: Call, agent_id: str) -> None:
    before = put(call, agent_id, "tide", "low")
    opened_entry(page, agent_id, "tide")
    dialog = editing(page)
    text = dialog.get_by_role("textbox")
    assert text.evaluate("each => each === document.activeElement")
    text.fill('"typed"')
    for _ in range(8):
        page.keyboard.press("Tab")
        # The browser's own controls take their turn, and then the body has the focus.
        assert dialog.evaluate(
            "each => [document.body, ...each.querySelectorAll('*')].includes(document.activeElement)"
        )
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page.get_by_role("complementary", name="entry").is_visible()
    assert page.get_by_role("button", name="Edit…").evaluate("each => each === document.activeElement")
    # What was typed is there again, unless it was given up.
    page.keyboard.press("Enter")
    assert dialog.get_by_role("textbox").input_value() == '"typed"'
    dialog.get_by_role("button", name="Cancel").click()
    assert editing(page).get_by_role("textbox").input_value() == '"low"'
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.get_by_role("complementary", name="entry").wait_for(state="detached")
    assert entry_of(call, agent_id, "tide")["revision"] == before["revision"]


@pytest.mark.parametrize(
    ("path", "create", "read", "noun"),
    [
        ("memories", "LongTermMemoryService/CreateMemory", "LongTermMemoryService/GetMemory", "memory"),
        ("notes", "NoteService/CreateNote", "NoteService/GetNote", "note"),
    ],
)
def test_a_text_is_edited(
    page: "Page", call: Call, agent_id: str, path: str, create: str, read: str, noun: str
) -> None:
    more = {"title": "Ferry"} if noun == "note" else {}
    draft = {"content": "The ferry leaves at nine.", "tags": ["ferry"], **more}
    record = call(create, agentId=agent_id, draft=draft)[noun]
    page.goto(f"/console/#/agents/{agent_id}/{path}")
    allow(page)
    page.get_by_role("button", name="The ferry leaves at nine.").click()
    dialog = editing(page)
    content = f"The ferry leaves at ten. {MARKUP}"
    dialog.get_by_role("textbox").fill(content)
    dialog.get_by_role("button", name="Save").click()
    announced(page, "Saved")
    after = call(read, agentId=agent_id, **{f"{noun}Id": record[f"{noun}Id"]})[noun]
    assert (after["content"], after["tags"]) == (content, ["ferry"])
    assert content in page.locator(".list").inner_text()
    assert content in page.get_by_role("complementary", name=noun).inner_text()
    harmless(page)


def test_names_of_agents_stay_text_in_dialogs(refused_page: "Page", call: Call, agent_id: str) -> None:
    page = refused_page
    put(call, agent_id, MARKUP, MARKUP)
    opened_entry(page, agent_id, "img")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill(json.dumps(f"{MARKUP}!"))
    put(call, agent_id, MARKUP, f"newer {MARKUP}")
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("It was changed since you opened it.").wait_for()
    assert MARKUP in dialog.inner_text()
    harmless(page)
    dialog.get_by_role("button", name="Save all the same").click()
    assert MARKUP in announced(page, "Saved").inner_text()
    harmless(page)
