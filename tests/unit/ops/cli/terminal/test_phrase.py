import json
from datetime import UTC, datetime, timedelta

import pytest

from memoryd_server.ops.cli.terminal.phrase import (
    age,
    counted,
    duration,
    laid_out,
    one_line,
    plain,
    preview,
    remaining,
    size,
)
from memoryd_server.ops.limit import PREVIEW_CHARACTERS_MAX

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-5, "0s"), (0.9, "0s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (3_600, "1h"), (86_400, "1d"), (9e6, "104d")],
)
def test_a_length_of_time_has_its_largest_unit(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


def test_past_and_future_are_relative_to_now() -> None:
    assert age(NOW - timedelta(minutes=3), NOW) == "3m"
    assert remaining(NOW + timedelta(hours=2), NOW) == "in 2h"
    assert remaining(None, NOW) == ""


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 KiB"),
        (1_234, "1.2 KiB"),
        (350_000, "342 KiB"),
        (1 << 20, "1.0 MiB"),
        (1 << 40, "1.0 TiB"),
        (1 << 55, "32768 TiB"),
    ],
)
def test_a_size_has_few_digits(count: int, shown: str) -> None:
    assert size(count) == shown


def test_what_would_move_the_cursor_or_turn_the_text_is_escaped() -> None:
    assert plain("a\tb\nc\x1b[31m\x9b\u202e\u2066é漢") == r"a\u0009b\u000ac\u001b[31m\u009b\u202e\u2066é漢"


def test_json_stays_the_same_value_when_it_is_escaped() -> None:
    text = '"\x9b31m\u202e"'
    assert plain(text) != text
    assert json.loads(plain(text)) == json.loads(text)


def test_json_of_many_lines_comes_on_one() -> None:
    assert one_line('{\r\n  "a": [\n    1\n  ]\n}') == '{ "a": [ 1 ] }'


def test_a_preview_is_bounded() -> None:
    assert len(preview('"' + "x" * 1_000_000 + '"')) == PREVIEW_CHARACTERS_MAX


def test_laying_out_changes_no_digit_and_no_key() -> None:
    assert laid_out('{"a":1.10,"a":[1e400],"b":{}}').split() == [
        "{",
        '"a":',
        "1.10,",
        '"a":',
        "[",
        "1e400",
        "],",
        '"b":',
        "{}",
        "}",
    ]


def test_what_is_laid_out_cannot_write_to_the_terminal() -> None:
    assert laid_out('["\x9b31m"]') == '[\n  "\\u009b31m"\n]'


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (1_234, "1,234 entries")]
)
def test_a_count_has_its_noun_in_the_right_number(count: int, shown: str) -> None:
    assert counted(count, "entry", "entries") == shown
    assert counted(count, "link") == shown.replace("entries", "links").replace("entry", "link")
