"""Copies of an agent that are damaged, or written to do harm."""

import os
import threading
from pathlib import Path

import pytest

from memoryd_server.ops.cli.agent.transfer import copy_source
from memoryd_server.ops.cli.agent.transfer.copy_source import CopySource
from memoryd_server.ops.cli.main import run
from memoryd_server.ops.error import OperatorError

HEADER = '{"format":"memoryd.agent","version":1,"agentId":"a","revision":"1","exportTime":""}\n'
END = '{"kind":"end"}\n'


def names(source: Path | str) -> list[str]:
    """Return the names of the records of a copy."""
    with CopySource(str(source)) as opened:
        return [record.name for _, record in opened.records()]


def bomb() -> str:
    """Return a value of YAML that would need terabytes when it is written out."""
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    return "metadata:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ('{"metadata":' + '{"a":' * 5_000 + "1" + "}" * 5_000 + "}", "nested too deeply"),
        ('{"metadata":{"a":' + "[" * 200_000 + "]" * 200_000 + "}}", "nested too deeply"),
        ('{"metadata":' + '{"a":' * 150 + "1" + "}" * 150 + "}", "too deep"),
        ('{"importance":1' + "0" * 400 + "}", "too large"),
        (r'{"title":"\ud800"}', ""),
    ],
    ids=["deep objects", "deep lists", "deeper than a message", "a large number", "a half character"],
)
def test_a_line_that_no_message_can_hold_is_named(tmp_path: Path, record: str, problem: str) -> None:
    file = tmp_path / "copy"
    file.write_text(f'{HEADER}{{"kind":"note","record":{record}}}\n{END}')
    with pytest.raises(OperatorError, match=f"^line 2: .*{problem}"):
        names(file)


@pytest.mark.parametrize(
    "line", [b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}", b'{"format":"\xff"}'], ids=["nested", "not-utf-8"]
)
def test_a_header_that_cannot_be_read_is_refused(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "copy"
    file.write_bytes(line + b"\n")
    with pytest.raises(OperatorError, match=r"^line 1 is not the header"):
        names(file)


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        (f"metadata: {'[' * 500}{']' * 500}", "nested too deeply"),
        (f"metadata: {{a: 0x{'f' * 5_000}}}", "too large"),
        (bomb(), "alias"),
        ("metadata: &a {x: *a}", "alias"),
        ("metadata: {1: 2}", ""),
        ("metadata: {a: 2026-01-01}", ""),
    ],
)
def test_a_note_that_no_message_can_hold_is_named(tmp_path: Path, field: str, problem: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text(f"---\ntitle: x\n{field}\n---\nc\n")
    with pytest.raises(OperatorError, match=rf"a\.md: .*{problem}"):
        names(tmp_path)


def test_an_error_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agent", "import", f"{tmp_path}/\x9b31m\u202e"]) == 1
    assert r"/\u009b31m\u202e: " in capsys.readouterr().err


def test_a_line_and_a_note_have_a_maximum_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text(f"---\ntitle: x\n---\n{'c' * 100}\n")
    (file := tmp_path / "copy").write_text(f"{HEADER}{' ' * 200}{END}")
    monkeypatch.setattr(copy_source, "COPY_LINE_BYTES_MAX", 100)
    with pytest.raises(OperatorError, match=r"a\.md is longer than 100 bytes"):
        names(tmp_path)
    with pytest.raises(OperatorError, match="line 2 is longer than 100 bytes"):
        names(file)


def test_what_is_no_file_among_the_notes_is_no_note(tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    (notes / "a.md").write_text("---\ntitle: x\n---\nc\n")
    os.mkfifo(notes / "pipe.md")
    (notes / ".#a.md").symlink_to("somebody@somewhere.4711")
    (notes / "folder.md").mkdir()
    assert names(tmp_path) == ["note a"]


def test_a_pipe_is_read_twice(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    line = '{"kind":"note","record":{"noteId":"a"}}\n'
    writer = threading.Thread(target=pipe.write_text, args=(HEADER + line + END,))
    writer.start()
    with CopySource(str(pipe)) as opened:
        writer.join()
        passes = [[record.name for _, record in opened.records()] for _ in range(2)]
    assert passes == [["note a"], ["note a"]]
