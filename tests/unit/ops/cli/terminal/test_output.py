import json
from collections.abc import Callable

import pytest

from memoryd_server.ops.cli.terminal import output as module
from memoryd_server.ops.cli.terminal.output import Column, Output

Row = tuple[str, int, bool]
COLUMNS: list[Column[Row]] = [
    Column("NAME", lambda row: row[0], may_be_cut=True),
    Column("BYTES", lambda row: row[1], lambda row: f"{row[1]} bytes", right=True),
    Column("WIDE", lambda row: row[2], width_min=50),
]
ROWS: list[Row] = [("a\tb", 12, True), ("[red]x[/red]", 3, False)]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Output]:
    """An output to a terminal of this width, without colour."""

    def of_width(width: int) -> Output:
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("COLUMNS", str(width))
        return Output()

    return of_width


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Output:
    for name in ("TTY_COMPATIBLE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return Output()


def test_a_pipe_gets_a_row_a_line_with_nothing_left_out(pipe: Output, capsys: pytest.CaptureFixture[str]) -> None:
    pipe.listing(ROWS, COLUMNS, nothing="nothing")
    assert capsys.readouterr() == ("a\\u0009b\t12\tyes\n[red]x[/red]\t3\tno\n", "")


def test_a_person_gets_a_table(terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str]) -> None:
    terminal(80).listing(ROWS, COLUMNS, nothing="nothing")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "NAME             BYTES  WIDE",
        "a\\u0009b      12 bytes  yes",
        "[red]x[/red]   3 bytes  no",
    ]


def test_a_narrow_terminal_does_without_a_column_and_cuts_what_is_long(
    terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(30).listing([("n" * 90, 12, True)], COLUMNS, nothing="nothing")
    lines = capsys.readouterr().out.splitlines()
    assert "WIDE" not in lines[0]
    assert len(lines) == 2
    assert "n…  12 bytes" in lines[1]
    assert max(map(len, lines)) <= 30


def test_what_wraps_is_shown_whole_on_a_narrow_terminal(
    terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str]
) -> None:
    columns: list[Column[Row]] = [Column("NAME", lambda row: row[0], wraps=True), COLUMNS[1]]
    terminal(20).listing([("some words and more", 3, False)], columns, nothing="nothing")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == ["NAME           BYTES", "some words   3 bytes", "and more"]


def test_a_terminal_shows_a_sentence_for_no_rows(
    terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(80).listing([], COLUMNS, nothing="There are none.")
    assert capsys.readouterr() == ("", "There are none.\n")


def test_a_table_shows_no_more_than_somebody_reads(
    terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_SHOWN_MAX", 2)
    terminal(80).listing(iter(ROWS * 2), COLUMNS, nothing="nothing")
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert err == "These are the first 2 rows. A pipe gets all.\n"


def test_json_is_an_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(form="json")
    output.listing([{"a": 1}, {"a": 2}], [], nothing="nothing")
    output.done({"a": 3}, "done")
    output.facts({"a": 4}, [("a", 4, "four")])
    assert [json.loads(line)["a"] for line in capsys.readouterr().out.splitlines()] == [1, 2, 3, 4]


def test_facts_are_rows_in_a_pipe_and_words_for_a_person(
    pipe: Output, terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str]
) -> None:
    pipe.facts({}, [("size", 1024, "1.0 KiB"), ("none", None, "never")])
    assert capsys.readouterr().out == "size\t1024\nnone\t\n"
    terminal(80).facts({}, [("size", 1024, "1.0 KiB"), ("none", None, "never")])
    assert capsys.readouterr().out.split() == ["size", "1.0", "KiB", "none", "never"]


def test_a_value_is_laid_out_and_coloured_unless_that_is_not_wanted(
    terminal: Callable[[int], Output], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal(80).value('{"a":"[b]"}')
    assert capsys.readouterr().out == '{\n  "a": "[b]"\n}\n'
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm-256color")
    Output().value('{"a":1}')
    assert "\x1b[" in capsys.readouterr().out
