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
    assert command("document", "delete", name, "tea", "--if-revision", "1") == (0, "tea was deleted\n", "")
    code, out, error = command("document", "delete", name, "tea")
    assert (code, out) == (1, "")
    assert "(RECORD_NOT_FOUND)" in error


def test_a_document_is_changed_with_new_content_or_without(
    command: Command, agent: memoryd.Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, file = agent.agent_id, tmp_path / "new.md"
    file.write_text("# New\n")
    agent.documents.create("old", document_id="d", title="Old", tags=["a", "b"])
    changed = command("document", "update", name, "d", "--tag", "c", "--user", "ann", "--metadata", '{"a": 1}')
    assert changed == (0, "d was updated at revision 2\n", "")
    document = agent.documents.get("d")
    assert (document.title, document.tags, document.user_id, document.metadata) == ("Old", ("c",), "ann", {"a": 1})
    assert command("document", "update", name, "d", str(file), "--title", "")[0] == 0
    document = agent.documents.get("d")
    assert (document.title, document.source, document.tags) == ("New", "new.md", ("c",))
    assert agent.documents.text("d") == "# New\n"
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"typed\n")))
    assert command("document", "update", name, "d", "-", "--if-revision", "3")[0] == 0
    assert agent.documents.text("d") == "typed\n"
    code, _, error = command("document", "update", name, "d", "--title", "Late", "--if-revision", "3")
    assert (code, "(REVISION_MISMATCH)" in error) == (1, True)
    assert command("document", "update", name, "d")[0] == 2
    assert command("document", "update", name, "d", "-", "--url", "http://example.org/")[0] == 2
    shown = command("document", "get", name, "d")[1]
    assert ("user\tann\n" in shown, 'metadata\t{"a":1}\n' in shown) == (True, True)
    assert command("document", "list", name, "--user", "ann")[1].startswith("d\t")
    assert command("document", "list", name, "--user", "bob")[1] == ""


def test_a_document_may_come_from_standard_input(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(b"two\nlines\n")))
    assert command("document", "create", agent.agent_id, "-", "--id", "d")[0] == 0
    assert agent.documents.text("d") == "two\nlines\n"


def test_lists_and_searches_in_a_pipe_have_a_row_for_each(command: Command, agent: memoryd.Agent) -> None:
    agent.documents.create("# Guide\n\nThe fox is red.", document_id="a", title="Guide", tags=["x"])
    agent.documents.create("A hen.", document_id="b", source="hen.txt")
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


def test_chunks_are_listed_and_printed(command: Command, agent: memoryd.Agent) -> None:
    text = "\n\n".join(f"# Part {number}\n\n{'Ada drinks tea. ' * 90}" for number in range(3))
    document_id = agent.documents.create(text, media_type="text/markdown").document_id
    rows = [row.split("\t") for row in command("document", "chunks", agent.agent_id, document_id)[1].splitlines()]
    assert [row[0] for row in rows] == [str(number + 1) for number in range(len(rows))]
    _, rest, _ = command("document", "chunks", agent.agent_id, document_id, "--from", "2", "--limit", "1")
    assert rest.split("\t")[:2] == rows[1][:2]
    printed = command("document", "chunk", agent.agent_id, document_id, "1")[1]
    assert printed.startswith("# Part 0\n")
    assert json.loads(command("document", "chunk", agent.agent_id, document_id, "1", "--json")[1])["number"] == 1
    assert command("document", "chunk", agent.agent_id, document_id, "99")[0] == 1
