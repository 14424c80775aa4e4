"""Agents as a whole in the console: their snapshots and the return to one, users who are forgotten, and the end."""

from typing import TYPE_CHECKING

import httpx
import pytest
from tests.integration.console.changing import allow, announced, entry_of, put
from tests.integration.console.sample import Call

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.whole


def managing(page: "Page", agent_id: str) -> None:
    """Open the screen of an agent where changes are allowed."""
    page.goto(f"/console/#/agents/{agent_id}")
    allow(page)
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("heading", name="End the agent").wait_for()


def asked(page: "Page", button: str) -> "Locator":
    """Press a button, and return the dialog that asks whether it is meant."""
    page.get_by_role("button", name=button).click()
    return page.get_by_role("dialog")


def test_an_agent_returns_to_what_it_remembered_at_a_snapshot(page: "Page", call: Call, agent_id: str) -> None:
    put(call, agent_id, "tide", "low")
    managing(page, agent_id)
    page.get_by_text("There is no snapshot of this agent.").wait_for()
    asked(page, "Take one…").get_by_role("button", name="Take a snapshot").click()
    announced(page, "Taken:")
    put(call, agent_id, "tide", "high")
    rows = page.get_by_role("region", name="Snapshots to restore")
    rows.get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    assert "is replaced by what it remembered then" in dialog.inner_text()
    dialog.get_by_role("button", name="Cancel").click()
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"high"'
    rows.get_by_role("button").click()
    dialog.get_by_role("button", name="Restore the agent").click()
    announced(page, "Restored from")
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"low"'


def test_a_user_is_forgotten_once_their_records_were_counted(page: "Page", call: Call, agent_id: str) -> None:
    for user_id in ("ada", "ben"):
        put(call, agent_id, f"of-{user_id}", "secret", userId=user_id)
        draft = {"content": f"This one likes tea: {user_id}.", "userId": user_id}
        call("LongTermMemoryService/CreateMemory", agentId=agent_id, draft=draft)
        note = {"title": "Tone", "content": f"Be kind to {user_id}.", "userId": user_id}
        call("NoteService/CreateNote", agentId=agent_id, draft=note)
    managing(page, agent_id)
    page.get_by_role("textbox", name="User").fill("ada")
    dialog = asked(page, "Forget…")
    counted = dialog.get_by_role("list", name="What is removed").get_by_role("listitem")
    counted.first.wait_for()
    assert [each.replace("\n", " ") for each in counted.all_inner_texts()] == [
        "Entries of the root 1",
        "Memories 1",
        "Notes 1",
    ]
    dialog.get_by_role("button", name="Forget the user").click()
    announced(page, "Forgotten: ada")
    page.get_by_text("Removed: 1 entry, 1 memory, 1 note.").wait_for()
    assert entry_of(call, agent_id, "of-ada") == {}
    assert entry_of(call, agent_id, "of-ben")["valueJson"] == '"secret"'
    events = str(call("EventService/ListEvents", filters=[{"agentIds": [agent_id]}]))
    assert ("kind to ada" in events, "kind to ben" in events) == (False, True)


def test_a_user_without_records_is_named_so(page: "Page", call: Call, agent_id: str) -> None:
    put(call, agent_id, "tide", "low")
    managing(page, agent_id)
    page.get_by_role("textbox", name="User").fill("nobody")
    dialog = asked(page, "Forget…")
    dialog.get_by_text("No memory, note, fragment, document, plan or conversation is of this user.").wait_for()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    assert page.get_by_role("textbox", name="User").input_value() == "nobody"


def test_an_agent_ends_once_its_id_was_typed(
    refused_page: "Page", call: Call, web: httpx.Client, agent_id: str
) -> None:
    # The page goes on to ask for what the agent has.
    page = refused_page
    put(call, agent_id, "tide", "low")
    managing(page, agent_id)
    dialog = asked(page, "End…")
    end = dialog.get_by_role("button", name="End the agent")
    for typed in ("", agent_id[:-1], agent_id.upper(), f"{agent_id} "):
        dialog.get_by_role("textbox").fill(typed)
        assert end.is_disabled()
        dialog.get_by_role("textbox").press("Enter")
    assert entry_of(call, agent_id, "tide")
    dialog.get_by_role("textbox").fill(agent_id)
    end.click()
    announced(page, f"Ended: {agent_id}")
    page.get_by_text("Ended: 1 entry removed.").wait_for()
    assert web.post("/memoryd.v1.AgentService/GetAgent", json={"agentId": agent_id}).status_code == 404
    [snapshot] = call("SnapshotService/ListSnapshots", agentIds=[agent_id])["snapshots"]
    page.get_by_text(f"The snapshot {snapshot['snapshotId']} restores it.").wait_for()
    # And it does.
    page.get_by_role("link", name="Timeline").click()
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("region", name="Snapshots to restore").get_by_role("button").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore the agent").click()
    announced(page, "Restored from")
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"low"'


def test_an_agent_can_end_without_a_snapshot(refused_page: "Page", call: Call, agent_id: str) -> None:
    page = refused_page
    put(call, agent_id, "tide", "low")
    managing(page, agent_id)
    dialog = asked(page, "End…")
    dialog.get_by_role("checkbox").uncheck()
    dialog.get_by_role("textbox").fill(agent_id)
    dialog.get_by_role("textbox").press("Enter")
    announced(page, "Ended")
    assert call("SnapshotService/ListSnapshots", agentIds=[agent_id]).get("snapshots", []) == []
