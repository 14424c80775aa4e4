"""Changes in a console whose caller may not make them, whose calls are audited, and which another page imitates."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.daemon import Daemon
from tests.integration.console.changing import allow, announced, editing, entry_of, opened_entry, put
from tests.integration.console.conftest import client_of, opened
from tests.integration.console.sample import Call, caller
from tests.integration.credential import write_tokens
from tests.wait import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.whole

ROWS = {
    "all": 'agents = ["*"]',
    "reader": 'agents = ["mine"]\nverbs = ["read"]',
    "writer": 'agents = ["mine"]\nverbs = ["read", "write"]',
    "remover": 'agents = ["mine"]\nverbs = ["read", "delete"]',
}


class Guarded:
    """A daemon with tokens and an audit, and what its callers did."""

    def __init__(self, directory: Path) -> None:
        self.tokens = write_tokens(directory / "tokens.toml", ROWS)
        self._log = directory / "audit.log"
        flags = ("--token-file", str(directory / "tokens.toml"), "--audit-log", str(self._log))
        self.daemon = Daemon(directory, "--console", "--embedder", "none", *flags)

    def put(self, key: str, value: str) -> None:
        """Set an entry of the agent ``mine``."""
        with client_of(self.daemon) as web:
            web.headers["authorization"] = f"Bearer {self.tokens['all']}"
            put(caller(web), "mine", key, value)

    def value(self, key: str) -> str:
        """Return the value of an entry of the agent ``mine`` as JSON; empty if there is none."""
        with client_of(self.daemon) as web:
            web.headers["authorization"] = f"Bearer {self.tokens['all']}"
            return str(entry_of(caller(web), "mine", key).get("valueJson", ""))

    def audited(self, method: str, name: str) -> list[dict[str, Any]]:
        """Return the records of a caller's calls of a method, once there are any."""

        def found() -> list[dict[str, Any]]:
            lines = self._log.read_text().splitlines(keepends=True)
            records = [json.loads(line) for line in lines if line.endswith("\n")]
            return [each for each in records if each["method"].endswith(method) and each["caller"] == name]

        return until(found, "the audit has the call")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """A daemon where one token may read an agent, and another may also write to it."""
    guarded = Guarded(tmp_path_factory.mktemp("rights"))
    guarded.daemon.start()
    yield guarded
    guarded.daemon.close()


@pytest.fixture
def asked(browser: "Browser", guarded: Guarded) -> Iterator["Page"]:
    """A page that asks for a token."""
    # The browser itself prints an error for each refused request.
    for page in opened(browser, guarded.daemon, is_strict=False):
        page.goto("/console/")
        page.get_by_label("Token").wait_for()
        yield page


def sign_in(page: "Page", token: str) -> None:
    """Give a token, and wait until it is accepted."""
    page.get_by_label("Token").fill(token)
    page.get_by_label("Token").press("Enter")
    page.get_by_text("All is well").wait_for()


def test_nothing_can_be_allowed_before_a_token_is_given(asked: "Page") -> None:
    assert asked.get_by_role("switch").count() == 0


def actions(page: "Page", key: str) -> list[str]:
    """Return what the page offers to do with an entry of the agent ``mine``."""
    page.goto("/console/#/agents/mine")
    page.get_by_role("button", name=key).click()
    names = page.get_by_role("complementary", name="entry").get_by_role("button").all_inner_texts()
    return [each for each in names if each != "Close"]


def test_a_token_that_may_only_read_is_offered_nothing(asked: "Page", guarded: Guarded) -> None:
    guarded.put("wave", "calm")
    sign_in(asked, guarded.tokens["reader"])
    assert actions(asked, "wave") == []
    assert asked.get_by_role("switch").count() == 0
    asked.goto("/console/#/agents/mine/manage")
    asked.get_by_text("Nothing can be changed from here").wait_for()


@pytest.mark.parametrize(
    ("name", "offered", "manages"),
    [("writer", ["Edit…"], False), ("remover", ["Delete…"], True), ("all", ["Edit…", "Delete…"], True)],
)
def test_a_token_is_offered_what_it_may_do(
    asked: "Page", guarded: Guarded, name: str, offered: list[str], *, manages: bool
) -> None:
    guarded.put("wave", "calm")
    sign_in(asked, guarded.tokens[name])
    allow(asked)
    assert actions(asked, "wave") == offered
    assert (asked.get_by_role("link", name="Manage").count() == 1) is manages
    if manages:
        asked.get_by_role("link", name="Manage").click()
        asked.get_by_role("heading", name="End the agent").wait_for()
        assert (asked.get_by_role("heading", name="Snapshots").count() == 1) is (name == "all")
        asked.get_by_role("button", name="End…").click()
        assert (asked.get_by_label("Take a last snapshot").count() == 1) is (name == "all")


def test_a_right_that_was_lost_is_missed_in_words_and_the_draft_stays(asked: "Page", guarded: Guarded) -> None:
    guarded.put("tide", "low")

    def pretend(route: "Route") -> None:
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"callerVerbs": ["METHOD_VERB_WRITE"]})

    asked.route("**/*.ServerService/GetServerInfo", pretend)
    sign_in(asked, guarded.tokens["reader"])
    opened_entry(asked, "mine", "tide")
    dialog = editing(asked)
    dialog.get_by_role("textbox").fill('"high"')
    dialog.get_by_role("button", name="Save").click()
    dialog.get_by_role("alert").filter(has_text="This token may not do that").wait_for()
    assert dialog.get_by_role("textbox").input_value() == '"high"'
    assert guarded.value("tide") == '"low"'
    assert guarded.audited("SetEntry", "reader")[-1]["denied"] is True


def test_the_audit_says_who_changed_what(asked: "Page", guarded: Guarded) -> None:
    guarded.put("moon", "new")
    sign_in(asked, guarded.tokens["writer"])
    opened_entry(asked, "mine", "moon")
    dialog = editing(asked)
    dialog.get_by_role("textbox").fill('"full"')
    with asked.expect_request("**/SetEntry") as sent:
        dialog.get_by_role("button", name="Save").click()
    announced(asked, "Saved")
    record = guarded.audited("SetEntry", "writer")[-1]
    assert record["request_id"] == json.loads(sent.value.post_data or "")["requestId"]
    assert record["agent_ids"] == ["mine"]
    assert "denied" not in record or record["denied"] is False


def test_another_token_does_not_inherit_the_leave_to_change(asked: "Page", guarded: Guarded) -> None:
    guarded.put("wind", "south")
    sign_in(asked, guarded.tokens["writer"])
    opened_entry(asked, "mine", "wind")
    asked.get_by_role("button", name="Sign out").click()
    sign_in_again = asked.get_by_label("Token")
    sign_in_again.fill(guarded.tokens["writer"])
    sign_in_again.press("Enter")
    asked.get_by_role("switch").wait_for()
    assert not asked.get_by_role("switch").is_checked()


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of a page of another origin of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>elsewhere</title>")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


SEND = """async ([url, init]) => {
  try {
    const response = await fetch(url, init);
    return response.type === "opaque" ? "sent" : String(response.status);
  } catch (error) {
    return String(error);
  }
}"""
"""Sends a request, and returns what its page learns of the response."""

SUBMIT = """([url, name, value]) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.name = "answer";
  document.body.append(frame);
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: url, enctype: "text/plain", target: "answer" });
  const field = document.createElement("input");
  Object.assign(field, { name, value });
  form.append(field);
  document.body.append(form);
  frame.addEventListener("load", resolve);
  form.submit();
})"""
"""Sends a form whose text is JSON, which no script's rules apply to."""

PICTURE = """(url) => new Promise((resolve) => {
  const picture = new Image();
  picture.onload = picture.onerror = resolve;
  picture.src = url;
})"""
"""Asks for a picture, without the name of the page's origin."""


def test_a_page_of_another_origin_writes_nothing(
    browser: "Browser", served: Daemon, call: Call, agent_id: str, elsewhere: str
) -> None:
    put(call, agent_id, "tide", "low")
    request = {"agentId": agent_id, "key": "tide", "valueJson": '"stolen"'}
    method = f"http://{served.address}/memoryd.v1.WorkingMemoryService/SetEntry"
    body = json.dumps(request)
    for page in opened(browser, served, is_strict=False):
        page.goto(elsewhere)
        for init in (
            {"headers": {"content-type": "application/json"}},
            {"headers": {"content-type": "application/json"}, "credentials": "include"},
            {"headers": {"content-type": "text/plain"}, "mode": "no-cors"},
            {"headers": {"content-type": "application/x-www-form-urlencoded"}, "mode": "no-cors"},
            {"headers": {}, "mode": "no-cors"},
        ):
            learned = page.evaluate(SEND, [method, {"method": "POST", "body": body, **init}])
            assert learned == "sent" if init.get("mode") else learned.startswith("TypeError"), init
        # A form puts "=" between a name and its value: here within a text.
        page.evaluate(SUBMIT, [method, f'{body[:-1]}, "typeName": "', '"}'])
        page.evaluate(PICTURE, str(client_of(served).build_request("GET", method, params={"message": body}).url))
        assert entry_of(call, agent_id, "tide")["valueJson"] == '"low"'
        # The same request is carried out if the daemon's own page sends it.
        page.goto("/console/")
        init = {"method": "POST", "body": body, "headers": {"content-type": "application/json"}}
        assert page.evaluate(SEND, [method, init]) == "200"
        assert entry_of(call, agent_id, "tide")["valueJson"] == '"stolen"'
