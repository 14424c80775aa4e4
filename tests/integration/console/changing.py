"""The steps of somebody who changes something in the console."""

import json
from typing import TYPE_CHECKING, Any

from tests.integration.console.sample import Call

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

WORKING = "WorkingMemoryService"


def allow(page: "Page") -> None:
    """Switch changes on."""
    page.get_by_role("switch", name="Allow changes").check()


def opened_entry(page: "Page", agent_id: str, key: str) -> None:
    """Open an entry of an agent's root, where changes are allowed."""
    page.goto(f"/console/#/agents/{agent_id}")
    allow(page)
    page.get_by_role("region", name="Entries").get_by_role("button", name=key).click()


def editing(page: "Page") -> "Locator":
    """Open the dialog in which what was chosen is edited, and return it."""
    page.get_by_role("button", name="Edit…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").wait_for()
    return dialog


def put(call: Call, agent_id: str, key: str, value: Any, **more: Any) -> dict[str, Any]:
    """Set an entry of an agent's root, and return it as it is stored."""
    call(f"{WORKING}/SetEntry", agentId=agent_id, key=key, valueJson=json.dumps(value), **more)
    return entry_of(call, agent_id, key)


def entry_of(call: Call, agent_id: str, key: str) -> dict[str, Any]:
    """Return an entry of an agent's root; one without fields if there is none."""
    entry: dict[str, Any] = call(f"{WORKING}/GetEntry", agentId=agent_id, key=key).get("entry", {})
    return entry


def announced(page: "Page", text: str) -> "Locator":
    """Wait until the page says that something was changed."""
    status = page.get_by_role("status", name="Last change").filter(has_text=text)
    status.wait_for()
    return status
