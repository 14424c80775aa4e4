import io
import json
import sys
import types
from collections.abc import Callable

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_note_is_written_printed_changed_and_removed(command: Command, agent: memoryd.Agent) -> None:
    name = agent.agent_id
    created = command("note", "create", name, "Tea", "Ada likes tea", "--id", "tea", "--importance", "0.75")
    assert created == (0, "tea was created at revision 1\n", "")
    assert command("note", "get", name, "tea") == (0, "Ada likes tea\n", "")
    assert command("note", "update", name, "tea", "--title", "Drinks") == (0, "tea was updated at revision 2\n", "")
    shown = json.loads(command("note", "get", name, "tea", "--json")[1])
    assert (shown["title"], shown["content"], shown["importance"]) == ("Drinks", "Ada likes tea", 0.75)
    assert command("note", "delete", name, "tea", "--if-revision", "2") == (0, "tea was deleted\n", "")
    code, out, error = command("note", "delete", name, "tea")
    assert (code, out) == (1, "")
    assert "(RECORD_NOT_FOUND)" in error


def test_the_content_may_come_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("note", "create", agent.agent_id, "T", "-", "--id", "n")[0] == 0
    assert agent.notes.get("n").content == "two\nlines"


def test_a_list_in_a_pipe_has_a_row_for_each(command: Command, agent: memoryd.Agent) -> None:
    agent.notes.create("Tea", "two\nlines", note_id="a", notebook="ada", user_id="ann", tags=["x", "y"])
    agent.notes.create("Work", "paints", note_id="b")
    code, out, _ = command("note", "list", agent.agent_id, "--all-users")
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [row[:5] for row in rows] == [["a", "Tea", "two lines", "ada", "0.5"], ["b", "Work", "paints", "", "0.5"]]
    assert [row[7:] for row in rows] == [["ann", "x,y"], ["", ""]]
    for option in (
        ("--user", "ann"),
        ("--user", ""),
        ("--all-users", "--notebook", "ada"),
        ("--all-users", "--tag", "x", "--tag", "y"),
    ):
        assert command("note", "list", agent.agent_id, *option)[1].count("\n") == 1


def test_a_note_has_a_notebook_a_user_and_tags(command: Command, agent: memoryd.Agent) -> None:
    given = ("--notebook", "work", "--user", "ann", "--tag", "x", "--tag", "y")
    assert command("note", "create", agent.agent_id, "T", "C", "--id", "n", *given)[0] == 0
    note = agent.notes.get("n")
    assert (note.notebook, note.user_id, note.tags) == ("work", "ann", ("x", "y"))
    assert command("note", "update", agent.agent_id, "n", "--notebook", "", "--user", "", "--tag", "z")[0] == 0
    note = agent.notes.get("n")
    assert (note.notebook, note.user_id, note.tags, note.title) == ("", "", ("z",), "T")


def test_an_update_says_what_changes(command: Command, agent_id: str) -> None:
    assert command("note", "update", agent_id, "tea")[0] == 2
