"""A console whose daemon needs tokens."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.daemon import Daemon
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.sample import caller
from tests.integration.credential import write_tokens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.whole

ROWS = {
    "all": 'agents = ["*"]',
    "one": 'agents = ["mine"]\nverbs = ["read", "watch"]',
    "reader": 'agents = ["mine"]\nverbs = ["read"]',
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with two agents, where one token may read only one of them."""
    directory = tmp_path_factory.mktemp("guarded")
    tokens = write_tokens(directory / "tokens.toml", ROWS)
    daemon = Daemon(directory, "--console", "--token-file", str(directory / "tokens.toml"), "--embedder", "none")
    daemon.start()
    with client_of(daemon) as web:
        web.headers["authorization"] = f"Bearer {tokens['all']}"
        for agent_id in ("mine", "other"):
            caller(web)("WorkingMemoryService/SetEntry", agentId=agent_id, key="secret", valueJson=f'"of {agent_id}"')
    yield daemon
    daemon.close()


@pytest.fixture
def asked(browser: "Browser", guarded: Daemon) -> Iterator["Page"]:
    """A page that asks for a token."""
    # The browser itself prints an error for each refused request.
    for page in opened(browser, guarded, is_strict=False):
        page.goto("/console/")
        page.get_by_role("heading", name="This daemon needs a token").wait_for()
        yield page


def sign_in(page: "Page", token: str) -> None:
    """Type a token, as a user does."""
    page.get_by_label("Token").fill(token)
    page.get_by_label("Token").press("Enter")


def test_nothing_is_shown_before_a_token_is_given(asked: "Page") -> None:
    for path in ("agents", "agents/mine", "live"):
        asked.goto(f"/console/#/{path}")
        asked.get_by_role("heading", name="This daemon needs a token").wait_for()
    sign_in(asked, "memoryd_of_nobody")
    asked.get_by_text("The daemon does not know this token.").wait_for()
    assert "of mine" not in asked.content()


def test_a_token_shows_what_it_may_read(asked: "Page") -> None:
    sign_in(asked, "memoryd_of_one")
    asked.get_by_text("All is well").wait_for()
    asked.goto("/console/#/agents")
    asked.get_by_role("link", name="mine").click()
    asked.get_by_text('"of mine"').wait_for()
    asked.goto("/console/#/agents/other")
    asked.get_by_role("alert").first.wait_for()
    assert '"of other"' not in asked.content()


def test_the_stream_is_of_the_agents_that_a_token_may_watch(asked: "Page", guarded: Daemon) -> None:
    sign_in(asked, "memoryd_of_one")
    asked.goto("/console/#/live")
    asked.get_by_text("failed: ").wait_for()
    asked.get_by_label("Agents").fill("mine")
    asked.get_by_label("Agents").press("Enter")
    asked.get_by_text("live", exact=True).wait_for()
    with client_of(guarded) as web:
        web.headers["authorization"] = "Bearer memoryd_of_all"
        for agent_id in ("other", "mine"):
            caller(web)("WorkingMemoryService/SetEntry", agentId=agent_id, key=f"of-{agent_id}", valueJson="1")
    asked.get_by_text("of-mine", exact=True).wait_for()
    assert asked.get_by_text("of-other", exact=True).count() == 0


def test_a_token_that_may_not_watch_shows_what_there_is(asked: "Page", guarded: Daemon) -> None:
    with client_of(guarded) as web:
        web.headers["authorization"] = "Bearer memoryd_of_all"
        drafts = [{"role": "MESSAGE_ROLE_USER", "content": "Hello"}]
        caller(web)("ConversationService/AppendMessages", agentId="mine", conversationId="talk", drafts=drafts)
    sign_in(asked, "memoryd_of_reader")
    asked.get_by_text("All is well").wait_for()
    asked.goto("/console/#/agents/mine/conversations/talk")
    asked.get_by_role("region", name="Messages").get_by_text("Hello").wait_for()


def test_a_token_stays_in_its_tab(asked: "Page") -> None:
    sign_in(asked, "memoryd_of_one")
    asked.get_by_text("All is well").wait_for()
    assert asked.evaluate("Object.values(localStorage)") == []
    assert asked.context.cookies() == []
    assert "memoryd_of" not in asked.url
    asked.reload()
    asked.get_by_text("All is well").wait_for()
    other = asked.context.new_page()
    other.goto("/console/")
    other.get_by_role("heading", name="This daemon needs a token").wait_for()
    asked.get_by_role("button", name="Sign out").click()
    asked.get_by_role("heading", name="This daemon needs a token").wait_for()
    assert asked.evaluate("Object.values(sessionStorage)") == []
