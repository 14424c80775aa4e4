import io
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_file_is_added_shown_printed_and_removed(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    name, file = agent.agent_id, tmp_path / "tea.md"
    file.write_text("# On tea\n\nGreen tea.\n")
    added = command(
        "document", "create", name, str(file), "--id", "tea", "--tag", "b", "--tag", "a", "--description", "All"
    )
    assert added == (0, "tea was created at revision 1: 21 B of text in 1 chunk\n", "")
    shown = json.loads(command("document", "get", name, "tea", "--json")[1])
    assert (shown["source"], shown["media_type"], shown["tags"]) == ("tea.md", "text/markdown", ["a", "b"])
    assert "tea.md" in command("document", "get", name, "tea")[1]
    assert command("document", "text", name, "tea") == (0, "# On tea\n\nGreen tea.\n", "")
    assert json.loads(command("document", "text", name, "tea", "--json")[1])["text"] == "# On tea\n\nGreen tea.\n"
    assert command("document", "create", name, str(file), "--id", "tea")[0] == 1
    assert command("document", "create", name, str(file), "--id", "tea", "--replace", "1", "--title", "New")[0] == 0
    assert agent.documents.get("tea").title == "New"
    assert command("document", "delete", name, "tea", "--if-revision", "2") == (0, "tea was deleted\n", "")
    code, out, error = command("document", "delete", name, "tea")
    assert (code, out) == (1, "")
    assert "(RECORD_NOT_FOUND)" in error


def test_a_document_may_come_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("document", "create", agent.agent_id, "-", "--id", "d")[0] == 0
    assert agent.documents.text("d") == "two\nlines\n"


def test_lists_and_searches_in_a_pipe_have_a_row_for_each(command: Command, agent: memoryd.Agent) -> None:
    agent.documents.add_text("# Guide\n\nThe fox is red.", document_id="a", title="Guide", tags=["x"])
    agent.documents.add_text("A hen.", document_id="b", source="hen.txt")
    code, out, _ = command("document", "list", agent.agent_id)
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [(row[0], row[1], row[2], row[5], row[7]) for row in rows] == [
        ("a", "Guide", "24", "x", ""),
        ("b", "A hen.", "6", "", "hen.txt"),
    ]
    assert command("document", "list", agent.agent_id, "--tag", "x")[1].count("\n") == 1
    code, out, _ = command("document", "search", agent.agent_id, "red fox", "--limit", "1", "--in", "a", "--tag", "x")
    (row,) = [line.split("\t") for line in out.splitlines()]
    assert (code, row[1:]) == (0, ["a", "1", "Guide", "# Guide The fox is red.", "red, fox"])


def test_an_unreadable_file_is_an_error(command: Command, agent_id: str, tmp_path: Path) -> None:
    assert command("document", "create", agent_id)[0] == 2
    assert command("document", "create", agent_id, "x", "--url", "http://example.org/")[0] == 2
    code, _, error = command("document", "create", agent_id, str(tmp_path / "absent"))
    assert (code, error) == (1, f"memoryd: cannot read {tmp_path / 'absent'}: No such file or directory\n")
    code, _, error = command("document", "create", agent_id, "--url", "http://example.org/")
    assert code == 1
    assert "(URL_NOT_ALLOWED)" in error
    (tmp_path / "noise.pdf").write_bytes(b"%PDF-1.7 noise")
    code, _, error = command("document", "create", agent_id, str(tmp_path / "noise.pdf"))
    assert code == 1
    assert "(DOCUMENT_UNREADABLE)" in error
