"""Lists of many records: all can be reached, few are in the page at a time, and the page serves its user meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.changing import allow, announced
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.sample import Call, caller

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.whole

COUNT = 10_000
MEMORIES = 100_000
BATCH = 1_000
PAGE_MAX = 1_000
IN_PAGE_MAX = 60
"""Number of rows that may be in the page: those in sight and a few around them."""


def test_ten_thousand_entries_are_scrolled_without_a_stall(page: "Page", call: Call, agent_id: str) -> None:
    for start in range(0, COUNT, BATCH):
        sets = [{"set": {"key": f"key-{start + each:05}", "valueJson": str(each)}} for each in range(BATCH)]
        call("WorkingMemoryService/BatchWriteEntries", agentId=agent_id, operations=sets)
    page.goto(f"/console/#/agents/{agent_id}")
    rows = page.get_by_role("region", name="Entries")
    rows.get_by_text("key-00000").wait_for()
    assert rows.get_by_role("listitem").first.get_attribute("aria-setsize") == str(COUNT)
    assert rows.get_by_role("listitem").count() <= IN_PAGE_MAX
    # To the end at once: the pages before it are read, and never drawn.
    rows.evaluate("box => { box.scrollTop = box.scrollHeight; }")
    rows.get_by_text(f"key-{COUNT - 1:05}").wait_for()
    assert rows.get_by_role("listitem").count() <= IN_PAGE_MAX
    rows.evaluate("box => { box.scrollTop = box.scrollHeight / 2; }")
    rows.get_by_text(f"key-{COUNT // 2:05}").wait_for()
    assert page.locator("*").count() < IN_PAGE_MAX * 20


@pytest.fixture(scope="module")
def brimful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose agent ``archive`` has as many memories as it may. The tag ``odd`` is that of ten of them."""
    directory: Path = tmp_path_factory.mktemp("brimful")
    daemon = Daemon(directory, "--console", "--embedder", "none", "--durability", "memory")
    daemon.start()
    with client_of(daemon) as web:
        # The first recall indexes all of them, for as long as that takes.
        web.timeout = None
        call = caller(web)
        for start in range(0, MEMORIES, BATCH):
            numbers = range(start, start + BATCH)
            drafts = [
                {
                    "content": f"Parcel {number:06} of shelf {number % 977} left for harbour {number % 89}.",
                    "tags": ["odd"] if number % (MEMORIES // 10) == 1 else [],
                    "allowDuplicates": True,
                    "skipContradictions": True,
                }
                for number in numbers
            ]
            call("LongTermMemoryService/BatchCreateMemories", agentId="archive", drafts=drafts)
        # The first recall builds the index.
        call("LongTermMemoryService/RecallMemories", agentId="archive", query="parcel")
    yield daemon
    daemon.close()


def test_a_hundred_thousand_memories_are_scrolled_without_a_stall(browser: "Browser", brimful: Daemon) -> None:
    held: list[Route] = []
    calls = 0

    def hold_one(route: "Route") -> None:
        nonlocal calls
        calls += 1
        # In the middle of all pages, for as long as the test wants.
        if calls == MEMORIES // PAGE_MAX // 2:
            held.append(route)
        else:
            route.continue_()

    for page in opened(browser, brimful):
        page.route("**/*.LongTermMemoryService/ListMemories", hold_one)
        page.goto("/console/#/agents/archive/memories")
        rows = page.get_by_role("region", name="Memories")
        rows.get_by_text(f"Parcel {MEMORIES - 1:06}").wait_for()
        assert rows.get_by_role("listitem").first.get_attribute("aria-setsize") == str(MEMORIES)
        assert calls == 1
        rows.evaluate("box => { box.scrollTop = box.scrollHeight; }")
        while not held:
            page.evaluate("new Promise(requestAnimationFrame)")
            assert rows.get_by_role("listitem").count() <= IN_PAGE_MAX
        # Not all is there, and the page already serves its user.
        question = page.get_by_label("Recall", exact=True)
        question.press_sequentially("parcel")
        assert question.input_value() == "parcel"
        question.fill("")
        held.pop().continue_()
        rows.get_by_text("Parcel 000000 ").wait_for()
        assert rows.get_by_role("listitem").count() <= IN_PAGE_MAX
        # A page for what is seen first, and then as large ones as there may be.
        assert calls <= MEMORIES // PAGE_MAX + 1
        rows.evaluate("box => { box.scrollTop = box.scrollHeight / 2; }")
        rows.get_by_text(f"Parcel {MEMORIES // 2:06}").wait_for()
        assert page.locator("*").count() < IN_PAGE_MAX * 20


def test_a_hundred_thousand_memories_are_filtered_recalled_and_changed(browser: "Browser", brimful: Daemon) -> None:
    for page in opened(browser, brimful):
        page.goto("/console/#/agents/archive/memories")
        allow(page)
        rows = page.get_by_role("region", name="Memories")
        rows.get_by_text(f"Parcel {MEMORIES - 1:06}").wait_for()
        page.get_by_label("Tag").fill("odd")
        page.get_by_label("Tag").press("Enter")
        rows.get_by_text("Parcel 000001 ").wait_for()
        assert rows.get_by_role("listitem").count() == 10
        question = page.get_by_label("Recall", exact=True)
        question.fill("Where did parcel 054321 go?")
        question.press("Enter")
        found = page.get_by_role("region", name="Recalled memories")
        found.get_by_role("button", name="Parcel 054321 ").click()
        page.get_by_role("button", name="Forget…").click()
        page.get_by_role("dialog").get_by_role("button", name="Forget the memory").click()
        announced(page, "Forgotten: Parcel 054321")
        found.get_by_role("button", name="Parcel 054321 ").wait_for(state="detached")
