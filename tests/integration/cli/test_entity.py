import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd
from memoryd import Entity

Command = Callable[..., tuple[int, str, str]]


def rows(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


def test_an_entity_is_added_and_listed(command: Command, agent: memoryd.Agent) -> None:
    place = (agent.agent_id, "chat")
    added = command("entity", "add", *place, "page", "p1", "Home", "--slug", "home", "--window-size", "2")
    assert added == (0, "p1 was added: the window of chat has 1 entity\n", "")
    window = json.loads(command("entity", "add", *place, "page", "p2", "two\nlines", "--json")[1])
    assert (window["window_size"], [each["entity_id"] for each in window["entities"]]) == (2, ["p2", "p1"])
    listed = rows(command("entity", "list", *place)[1])
    assert [row[:4] for row in listed] == [["p2", "page", "two\\u000alines", ""], ["p1", "page", "Home", "home"]]
    assert listed[0][4].endswith("Z")
    found = [json.loads(line) for line in command("entity", "list", *place, "--json")[1].splitlines()]
    assert [each["name"] for each in found] == ["two\nlines", "Home"]


def test_the_window_is_printed_for_a_prompt(command: Command, agent: memoryd.Agent) -> None:
    place = (agent.agent_id, "chat")
    assert command("entity", "list", *place, "--prompt") == (0, "", "")
    agent.entities("chat").add(Entity("page", "p1", "Home"))
    text = '[WORKING MEMORY]\npages:\n  - "Home" (p1)'
    assert command("entity", "list", *place, "--prompt") == (0, f"{text}\n", "")
    assert json.loads(command("entity", "list", *place, "--prompt", "--json")[1]) == {"prompt_text": text}


def test_entities_are_extracted_from_an_argument_or_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = (agent.agent_id, "chat")
    found = command("entity", "extract", *place, "cms_getPage", '{"id": 1, "name": "Home", "slug": "home"}')
    assert found == (0, "1\tpage\tHome\thome\n", "")
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b'[{"id": "c1", "name": "Ada"}]\n')))
    read = command("entity", "extract", *place, "crm_listCustomers", "-", "--prefix", "crm", "--dry-run", "--json")[1]
    assert json.loads(read) == {
        "type": "customers",
        "entity_id": "c1",
        "name": "Ada",
        "slug": "",
        "last_access_time": None,
    }
    assert [each.entity_id for each in agent.entities("chat").get().entities] == ["1"]


def test_what_is_no_json_is_wrong_usage(command: Command, agent_id: str) -> None:
    code, out, err = command("entity", "extract", agent_id, "chat", "cms_getPage", "{")
    assert (code, out) == (2, "")
    assert "RESULT is not JSON" in err


def test_a_window_is_cleared(command: Command, agent: memoryd.Agent) -> None:
    agent.entities("chat").add(Entity("page", "p1", "Home"), Entity("page", "p2", "About"))
    cleared = command("entity", "clear", agent.agent_id, "chat", "--yes")
    assert cleared == (0, "deleted 2 entities\n", "")
    again = command("entity", "clear", agent.agent_id, "chat", "--yes", "--json")
    assert again == (0, '{"deleted_entity_count":0}\n', "")


def test_windows_are_listed_all_or_those_of_a_user(command: Command, agent: memoryd.Agent) -> None:
    agent.entities("chat").add(Entity("page", "p1", "Home"), Entity("page", "p2", "About"), user_id="ada")
    agent.entities("other").add(window_size=3)
    listed = rows(command("entity", "windows", agent.agent_id, "--all-users")[1])
    assert [row[:4] for row in listed] == [["chat", "2", "10", "ada"], ["other", "0", "3", ""]]
    assert [row[0] for row in rows(command("entity", "windows", agent.agent_id, "--user", "ada")[1])] == ["chat"]
    assert command("entity", "windows", agent.agent_id, "--user", "x") == (0, "", "")


def test_a_terminal_shows_a_table_or_a_sentence_for_no_rows(
    terminal: Callable[..., str], command: Command, agent: memoryd.Agent
) -> None:
    agent.entities("chat").add(Entity("page", "p1", "Home", "home"))
    lines = terminal("entity", "list", agent.agent_id, "chat").splitlines()
    assert lines[0].split() == ["ENTITY", "TYPE", "NAME", "SLUG", "ACCESSED"]
    assert lines[1].split()[:4] == ["p1", "page", "Home", "home"]
    nothing = command("entity", "list", agent.agent_id, "other")
    assert nothing == (0, "", "There are no such entities.\n")
