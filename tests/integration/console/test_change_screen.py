"""The dialogs of changes, which everybody can use."""

from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.changing import allow, announced, editing, entry_of, opened_entry, put
from tests.integration.console.conftest import SCHEMES, SIZES, opened
from tests.integration.console.sample import Call, fill
from tests.integration.console.usable import check_usable

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

AGENT = "harbour"


def open_edit(page: "Page", call: Call) -> None:
    """Open an entry that is changed while somebody edits it."""
    opened_entry(page, AGENT, "shop")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('{"name": "Harbour Books", "opens": "08:30", "closes": "18:00"}')
    put(call, AGENT, "shop", {"name": "Harbour Books", "opens": "09:00", "closes": "19:00"})
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("It was changed since you opened it.").wait_for()


def open_fault(page: "Page", _: Call) -> None:
    """Type what is no JSON."""
    opened_entry(page, AGENT, "shop")
    dialog = editing(page)
    dialog.get_by_role("textbox").fill('{"name": }')
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_text("This is no JSON").wait_for()


def open_deletion(page: "Page", _: Call) -> None:
    """Ask whether an entry shall be deleted."""
    opened_entry(page, AGENT, "shop")
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete the entry").wait_for()


def open_announcement(page: "Page", call: Call) -> None:
    """Forget a memory."""
    draft = {"content": "The ferry leaves at nine."}
    call("LongTermMemoryService/CreateMemory", agentId=AGENT, draft=draft)
    page.goto(f"/console/#/agents/{AGENT}/memories")
    allow(page)
    page.get_by_role("button", name="The ferry leaves at nine.").first.click()
    page.get_by_role("button", name="Forget…").click()
    page.get_by_role("button", name="Forget the memory").click()
    announced(page, "Forgotten")


def open_manage(page: "Page", call: Call) -> None:
    """Open what can be done to an agent as a whole."""
    call("SnapshotService/CreateSnapshot", agentId=AGENT, label="before the import")
    page.goto(f"/console/#/agents/{AGENT}")
    allow(page)
    page.get_by_role("link", name="Manage").click()
    page.get_by_role("region", name="Snapshots to restore").get_by_role("button").first.wait_for()


def open_user(page: "Page", call: Call) -> None:
    """Ask whether a user shall be forgotten."""
    open_manage(page, call)
    page.get_by_role("textbox", name="User").fill("ada")
    page.get_by_role("button", name="Forget…").click()
    page.get_by_text("No memory, note, fragment").wait_for()


def open_end(page: "Page", call: Call) -> None:
    """Ask whether the agent shall end."""
    open_manage(page, call)
    page.get_by_role("button", name="End…").click()
    page.get_by_label("Type the id of the agent to confirm").fill(AGENT[:-1])


SCREENS = {
    "edit": open_edit,
    "fault": open_fault,
    "deletion": open_deletion,
    "announcement": open_announcement,
    "manage": open_manage,
    "forget-user": open_user,
    "end-agent": open_end,
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_change_can_be_made_by_everybody(
    browser: "Browser", served: Daemon, call: Call, name: str, size: str, scheme: str
) -> None:
    if not entry_of(call, AGENT, "tone"):
        fill(call, AGENT)
    # The browser itself prints an error for a conflict.
    for page in opened(browser, served, size, scheme, is_strict=False):
        SCREENS[name](page, call)
        check_usable(page, name, size, scheme)
