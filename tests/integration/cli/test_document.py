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
    added = command("doc", "add", name, str(file), "--id", "tea", "--tag", "b", "--tag", "a", "--description", "All")
    assert added == (0, "tea has 21 B of text in 1 chunk, at revision 1\n", "")
    told = json.loads(command("doc", "show", name, "tea", "--json")[1])
    assert (told["source"], told["media_type"], told["tags"]) == ("tea.md", "text/markdown", ["a", "b"])
    assert "tea.md" in command("doc", "show", name, "tea")[1]
    assert command("doc", "text", name, "tea") == (0, "# On tea\n\nGreen tea.\n", "")
    assert json.loads(command("doc", "text", name, "tea", "--json")[1])["text"] == "# On tea\n\nGreen tea.\n"
    assert command("doc", "add", name, str(file), "--id", "tea")[0] == 1
    assert command("doc", "add", name, str(file), "--id", "tea", "--replace", "1", "--title", "New")[0] == 0
    assert agent.documents.get("tea").title == "New"
    assert command("doc", "delete", name, "tea", "--expect", "2") == (0, "tea was deleted\n", "")
    code, out, error = command("doc", "delete", name, "tea")
    assert (code, out) == (1, "")
    assert "(RECORD_NOT_FOUND)" in error


def test_a_document_may_come_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("doc", "add", agent.agent_id, "-", "--id", "d")[0] == 0
    assert agent.documents.text("d") == "two\nlines\n"


def test_lists_and_searches_in_a_pipe_have_a_row_for_each(command: Command, agent: memoryd.Agent) -> None:
    agent.documents.add_text("# Guide\n\nThe fox is red.", document_id="a", title="Guide", tags=["x"])
    agent.documents.add_text("A hen.", document_id="b", source="hen.txt")
    code, out, _ = command("doc", "list", agent.agent_id)
    rows = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [(row[0], row[1], row[2], row[5], row[7]) for row in rows] == [
        ("a", "Guide", "24", "x", ""),
        ("b", "A hen.", "6", "", "hen.txt"),
    ]
    assert command("doc", "list", agent.agent_id, "--tag", "x")[1].count("\n") == 1
    code, out, _ = command("doc", "search", agent.agent_id, "red fox", "--limit", "1", "--in", "a", "--tag", "x")
    (row,) = [line.split("\t") for line in out.splitlines()]
    assert (code, row[1:]) == (0, ["a", "1", "Guide", "# Guide The fox is red.", "red, fox"])


def test_what_cannot_be_read_is_told(command: Command, agent_id: str, tmp_path: Path) -> None:
    assert command("doc", "add", agent_id)[0] == 2
    assert command("doc", "add", agent_id, "x", "--url", "http://example.org/")[0] == 2
    code, _, error = command("doc", "add", agent_id, str(tmp_path / "absent"))
    assert (code, error) == (1, f"memoryd: cannot read {tmp_path / 'absent'}: No such file or directory\n")
    code, _, error = command("doc", "add", agent_id, "--url", "http://example.org/")
    assert code == 1
    assert "(URL_NOT_ALLOWED)" in error
    (tmp_path / "noise.pdf").write_bytes(b"%PDF-1.7 noise")
    code, _, error = command("doc", "add", agent_id, str(tmp_path / "noise.pdf"))
    assert code == 1
    assert "(DOCUMENT_UNREADABLE)" in error
