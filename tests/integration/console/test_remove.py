"""Records that are deleted, forgotten, restored and purged in the console."""

from typing import TYPE_CHECKING

import pytest
from tests.integration.console.changing import allow, announced, entry_of, opened_entry, put
from tests.integration.console.sample import Call

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.whole

KINDS = {
    "notes": ("note", {"title": "House rules", "content": "Never promise a date."}),
    "fragments": ("fragment", {"content": "The parcel is in Hamburg.", "ttl": "3600s"}),
    "documents": ("document", {"title": "Terms of delivery"}),
    "plans": ("plan", {"goal": "Settle the order"}),
    "conversations": ("conversation", {"title": "Where is my parcel?"}),
}
MEMORIES = "LongTermMemoryService"


def removing(page: "Page", verb: str) -> "Locator":
    """Open the dialog that asks whether what was chosen shall go, and return it."""
    page.get_by_role("button", name=f"{verb}…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").wait_for()
    return dialog


def listed(call: Call, agent_id: str, path: str) -> list[str]:
    """Return the ids of all records of a kind."""
    noun, _ = KINDS[path]
    answer = call(f"{noun.title()}Service/List{path.title()}", agentId=agent_id, filter={"allUsers": True})
    return [each[f"{noun}Id"] for each in answer.get(path, [])]


def create(call: Call, agent_id: str, path: str) -> str:
    """Create a record of a kind, and return the text by which it is listed."""
    noun, draft = KINDS[path]
    more = {"text": "Parcels leave within two days."} if noun == "document" else {}
    call(f"{noun.title()}Service/Create{noun.title()}", agentId=agent_id, draft=draft, **more)
    return next(iter(draft.values()))


@pytest.mark.parametrize("path", KINDS)
def test_a_record_is_deleted_once_that_is_confirmed(page: "Page", call: Call, agent_id: str, path: str) -> None:
    text = create(call, agent_id, path)
    noun, _ = KINDS[path]
    page.goto(f"/console/#/agents/{agent_id}/{path}")
    allow(page)
    page.get_by_role("button", name=text).click()
    dialog = removing(page, "Delete")
    assert text in dialog.inner_text()
    # The first answer is no.
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    assert len(listed(call, agent_id, path)) == 1
    removing(page, "Delete").get_by_role("button", name=f"Delete the {noun}").click()
    announced(page, f"Deleted: {text}")
    assert listed(call, agent_id, path) == []
    page.locator(".list .row").wait_for(state="detached")
    assert page.get_by_role("complementary").count() == 0


@pytest.mark.parametrize("erases", [False, True])
def test_a_deletion_erases_if_that_is_chosen(page: "Page", call: Call, agent_id: str, *, erases: bool) -> None:
    put(call, agent_id, "card", "4242 4242")
    opened_entry(page, agent_id, "card")
    dialog = removing(page, "Delete")
    if erases:
        dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Delete the entry").click()
    announced(page, "Deleted: card")
    events = call("EventService/ListEvents", filters=[{"agentIds": [agent_id]}])
    assert ("4242" in str(events)) is not erases


def test_a_deleted_entry_uncovers_the_one_that_it_hid(page: "Page", call: Call, agent_id: str) -> None:
    put(call, agent_id, "tide", "of the root")
    scope = call("WorkingMemoryService/CreateScope", agentId=agent_id, name="harbour")["scope"]["scopeId"]
    put(call, agent_id, "tide", "of the harbour", scopeId=scope)
    page.goto(f"/console/#/agents/{agent_id}")
    allow(page)
    page.get_by_role("button", name="harbour").first.click()
    page.get_by_text('"of the harbour"').wait_for()
    page.get_by_role("button", name="tide").click()
    removing(page, "Delete").get_by_role("button", name="Delete the entry").click()
    announced(page, "Deleted")
    rows = page.get_by_role("region", name="Entries")
    rows.get_by_text('"of the root"').wait_for()
    assert rows.get_by_text('"of the harbour"').count() == 0


def test_a_record_that_was_changed_meanwhile_is_shown_before_it_is_deleted(
    refused_page: "Page", call: Call, agent_id: str
) -> None:
    page = refused_page
    put(call, agent_id, "tide", "low")
    opened_entry(page, agent_id, "tide")
    dialog = removing(page, "Delete")
    put(call, agent_id, "tide", "rising")
    dialog.get_by_role("button", name="Delete the entry").click()
    dialog.get_by_role("alert").filter(has_text='"rising"').wait_for()
    assert entry_of(call, agent_id, "tide")["valueJson"] == '"rising"'
    dialog.get_by_role("button", name="Delete the entry").click()
    announced(page, "Deleted")
    assert entry_of(call, agent_id, "tide") == {}


def remembered(page: "Page", call: Call, agent_id: str, content: str) -> str:
    """Create a memory, choose it where changes are allowed, and return its id."""
    draft = {"content": content, "tags": ["ferry"]}
    memory = call(f"{MEMORIES}/CreateMemory", agentId=agent_id, draft=draft)["memory"]
    page.goto(f"/console/#/agents/{agent_id}/memories")
    allow(page)
    page.get_by_role("button", name=content).click()
    return str(memory["memoryId"])


def is_forgotten(call: Call, agent_id: str, memory_id: str) -> bool:
    """Return true if a memory is hidden from reads."""
    request = {"agentId": agent_id, "memoryId": memory_id, "includeForgotten": True}
    return "forgetTime" in call(f"{MEMORIES}/GetMemory", **request)["memory"]


def test_a_forgotten_memory_comes_back_at_once(page: "Page", call: Call, agent_id: str) -> None:
    memory_id = remembered(page, call, agent_id, "The ferry leaves at nine.")
    removing(page, "Forget").get_by_role("button", name="Forget the memory").click()
    status = announced(page, "Forgotten: The ferry leaves at nine.")
    assert is_forgotten(call, agent_id, memory_id)
    page.locator(".list .row").wait_for(state="detached")
    status.get_by_role("button", name="Undo").click()
    announced(page, "Undone.")
    assert not is_forgotten(call, agent_id, memory_id)
    page.locator(".list .row", has_text="The ferry leaves at nine.").wait_for()


def test_a_forgotten_memory_comes_back_later(refused_page: "Page", call: Call, agent_id: str) -> None:
    # It is open while somebody else forgets it: its links may be asked for once more, and are not there.
    page = refused_page
    memory_id = remembered(page, call, agent_id, "The ferry leaves at nine.")
    call(f"{MEMORIES}/ForgetMemory", agentId=agent_id, memoryId=memory_id)
    page.get_by_label("Forgotten").check()
    page.get_by_role("button", name="The ferry leaves at nine.").click()
    page.get_by_role("button", name="Restore…").click()
    page.get_by_role("dialog").get_by_role("button", name="Restore the memory").click()
    announced(page, "Restored: The ferry leaves at nine.")
    assert not is_forgotten(call, agent_id, memory_id)
    page.get_by_text("There are no memories like that.").wait_for()
    page.get_by_label("Forgotten").uncheck()
    page.locator(".list .row", has_text="The ferry leaves at nine.").wait_for()


def test_a_forgotten_memory_is_purged(refused_page: "Page", call: Call, agent_id: str) -> None:
    # It is open while somebody else forgets it: its links may be asked for once more, and are not there.
    page = refused_page
    memory_id = remembered(page, call, agent_id, "The ferry leaves at nine.")
    call(f"{MEMORIES}/ForgetMemory", agentId=agent_id, memoryId=memory_id)
    page.get_by_label("Forgotten").check()
    page.get_by_role("button", name="The ferry leaves at nine.").click()
    removing(page, "Purge").get_by_role("button", name="Purge the memory").click()
    announced(page, "Purged")
    assert call(f"{MEMORIES}/ListMemories", agentId=agent_id, forgottenOnly=True).get("memories", []) == []
    events = call("EventService/ListEvents", filters=[{"agentIds": [agent_id]}])
    assert "ferry" not in str(events)


def test_a_recalled_memory_is_forgotten_and_comes_back(page: "Page", call: Call, agent_id: str) -> None:
    memory_id = remembered(page, call, agent_id, "The ferry leaves at nine.")
    page.get_by_label("Recall", exact=True).fill("When does the ferry leave?")
    page.get_by_label("Recall", exact=True).press("Enter")
    found = page.get_by_role("region", name="Recalled memories")
    found.get_by_role("button", name="The ferry leaves at nine.").click()
    removing(page, "Forget").get_by_role("button", name="Forget the memory").click()
    status = announced(page, "Forgotten")
    found.get_by_role("button").wait_for(state="detached")
    assert is_forgotten(call, agent_id, memory_id)
    status.get_by_role("button", name="Undo").click()
    found.get_by_role("button", name="The ferry leaves at nine.").wait_for()


def test_memories_are_selected_by_a_tag(page: "Page", call: Call, agent_id: str) -> None:
    call(f"{MEMORIES}/CreateMemory", agentId=agent_id, draft={"content": "The tide is low.", "tags": ["tide"]})
    remembered(page, call, agent_id, "The ferry leaves at nine.")
    page.get_by_label("Tag").fill("tide")
    page.get_by_label("Tag").press("Enter")
    rows = page.get_by_role("region", name="Memories")
    rows.get_by_text("The ferry leaves at nine.").wait_for(state="detached")
    rows.get_by_text("The tide is low.").wait_for()
    assert rows.get_by_role("button").count() == 1
    page.get_by_label("Tag").fill("none")
    page.get_by_label("Tag").press("Enter")
    page.get_by_text("There are no memories like that.").wait_for()
