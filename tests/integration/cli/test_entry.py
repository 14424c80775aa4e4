import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_entries_are_listed_by_type_and_importance(command: Command, agent: memoryd.Agent) -> None:
    for key, importance, entry_type in (("a", 0.5, "fact"), ("b", 0.1, "event"), ("c", 0.9, "fact")):
        agent.set(key, 1, importance=importance, entry_type=entry_type)

    def keys(*options: str) -> str:
        _, out, _ = command("ls", agent.agent_id, *options)
        return "".join(line.partition("\t")[0] for line in out.splitlines())

    assert keys() == "abc"
    assert keys("--most-important-first") == "cab"
    assert keys("--min-importance", "0.5") == "ac"
    assert keys("--type", "event", "--type", "insight") == "b"


def test_what_is_set_is_printed_by_get(command: Command, agent_id: str) -> None:
    assert command("set", agent_id, "user", '{"name": "Ada"}') == (0, "user was created at revision 1\n", "")
    assert command("set", agent_id, "user", '{"name":"Grace"}') == (0, "user was updated at revision 2\n", "")
    assert command("get", agent_id, "user") == (0, '{"name":"Grace"}\n', "")


def test_get_in_a_pipe_prints_the_value_as_it_was_written(command: Command, agent: memoryd.Agent) -> None:
    agent.set("text", "é\u2028[bold]\n")
    assert command("get", agent.agent_id, "text") == (0, '"é\u2028[bold]\\n"\n', "")


def test_get_on_a_terminal_lays_the_value_out(terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("user", {"name": "Ada"})
    assert terminal("get", agent.agent_id, "user") == '{\n  "name": "Ada"\n}'


def test_a_key_that_is_not_there_ends_with_1(command: Command, agent_id: str) -> None:
    line = f"memoryd: agent {agent_id!r} has no key 'nothing'\n"
    assert command("get", agent_id, "nothing") == (1, "", line)
    assert command("rm", agent_id, "nothing") == (1, "", line)
    assert command("get", agent_id, "nothing", "--json") == (1, "", line)


def test_everything_that_is_said_of_a_value_is_in_the_entry(command: Command, agent_id: str) -> None:
    options = ["--ttl", "10m", "--type", "insight", "--importance", "0.9", "--tag", "a", "--tag", "b"]
    command("set", agent_id, "mood", "curious", "--string", *options, "--metadata", '{"turn": 3}')
    entry = json.loads(command("get", agent_id, "mood", "--json")[1])
    fields = {name: entry[name] for name in ("value", "type", "importance", "tags", "metadata")}
    assert fields == {
        "value": "curious",
        "type": "insight",
        "importance": 0.9,
        "tags": ["a", "b"],
        "metadata": {"turn": 3},
    }
    assert entry["expire_time"] > entry["update_time"]


def test_a_negative_number_is_a_value_and_no_option(command: Command, agent_id: str) -> None:
    assert command("set", agent_id, "n", "-5")[0] == 0
    assert command("get", agent_id, "n")[1] == "-5\n"


def test_a_value_comes_from_standard_input(command: Command, agent_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("set", agent_id, "text", "-", "--string")[0] == 0
    assert command("get", agent_id, "text")[1] == '"two\\nlines"\n'


def test_conditions_hold_or_nothing_is_changed(command: Command, agent_id: str) -> None:
    assert command("set", agent_id, "n", "1", "--if-absent")[0] == 0
    assert command("set", agent_id, "n", "2", "--if-absent") == (
        1,
        "",
        "memoryd: entry 'n' exists, at revision 1 (RECORD_EXISTS)\n",
    )
    refused = (1, "", "memoryd: expected revision 7, found 1 (REVISION_MISMATCH)\n")
    assert command("set", agent_id, "n", "2", "--if-revision", "7") == refused
    assert command("rm", agent_id, "n", "--if-revision", "7") == refused
    assert command("get", agent_id, "n")[1] == "1\n"
    assert command("rm", agent_id, "n", "--if-revision", "1") == (0, "n was deleted\n", "")


def test_a_refusal_names_the_field_and_the_reason(command: Command, agent_id: str) -> None:
    line = "memoryd: key: must not be blank (INVALID_FIELD)\n"
    assert command("set", agent_id, " ", "1") == (1, "", line)


def test_an_argument_that_is_not_utf_8_is_wrong_usage(command: Command, agent_id: str) -> None:
    assert command("set", agent_id, "\udcff", "1") == (2, "", "memoryd: an argument is not UTF-8\n")


def test_a_scope_falls_back_unless_it_is_to_be_looked_at_alone(command: Command, agent: memoryd.Agent) -> None:
    scope_id = agent.create_scope("task").scope_id
    agent.set("user", "Ada")
    place = ["--scope", scope_id]
    assert command("get", agent.agent_id, "user", *place)[1] == '"Ada"\n'
    code, _, err = command("get", agent.agent_id, "user", "--local", *place)
    assert (code, scope_id in err) == (1, True)
    command("set", agent.agent_id, "step", "1", *place)
    assert [row.split("\t")[0] for row in command("ls", agent.agent_id, *place)[1].splitlines()] == ["step"]
    rows = command("ls", agent.agent_id, "--inherited", *place)[1].splitlines()
    assert [row.split("\t")[0::6] for row in rows] == [["step", scope_id], ["user", ""]]


def test_ls_in_a_pipe_leaves_nothing_out(command: Command, agent: memoryd.Agent) -> None:
    agent.set("key", "x" * 1_000)
    key, value, kind, size, changed, expiry, scope_id = command("ls", agent.agent_id)[1].rstrip("\n").split("\t")
    assert (key, value, kind, size, expiry, scope_id) == ("key", f'"{"x" * 1_000}"', "fact", "1002", "", "")
    assert changed.endswith("Z")


def test_ls_on_a_terminal_is_a_table(terminal: Callable[..., str], agent: memoryd.Agent) -> None:
    agent.set("mood", "x" * 1_000, ttl=3_600)
    agent.set("other", 1)
    header, row = terminal("ls", agent.agent_id, "--prefix", "mo").splitlines()
    assert header.split() == ["KEY", "VALUE", "TYPE", "SIZE", "UPDATED", "EXPIRES"]
    assert row.startswith('mood  "xxx')
    assert "…" in row
    assert "1002 B" in row or "1.0 KiB" in row


def test_ls_as_json_is_an_entry_a_line(command: Command, agent: memoryd.Agent) -> None:
    agent.set("a", [1])
    agent.set("b", None)
    entries = [json.loads(line) for line in command("ls", agent.agent_id, "--json")[1].splitlines()]
    assert [(entry["key"], entry["value"]) for entry in entries] == [("a", [1]), ("b", None)]
