import io
import sys
import types

import click
import pytest

from memoryd_server.ops.cli.terminal import argument as module
from memoryd_server.ops.cli.terminal.argument import read_json, read_object, read_value


def typed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))


def test_a_value_is_json() -> None:
    assert read_value('{"a": [1, null]}', is_string=False) == ('{"a": [1, null]}', "dict")
    assert read_value("-5", is_string=False) == ("-5", "int")


def test_a_value_stays_byte_for_byte() -> None:
    assert read_value("[ 3.140 ]", is_string=False) == ("[ 3.140 ]", "list")


def test_a_text_is_taken_as_it_is_on_request() -> None:
    assert read_value('{"a', is_string=True) == ('"{\\"a"', "str")


def test_the_error_for_a_bare_word_shows_how_to_quote_it() -> None:
    with pytest.raises(click.UsageError, match="quote text as '\"curious\"', or use --string"):
        read_value("curious", is_string=False)


@pytest.mark.parametrize("text", ['{"a":', "it's", "NaN", "Infinity", "", "[" * 100_000, "1 2"])
def test_what_is_not_json_is_wrong_usage(text: str) -> None:
    with pytest.raises(click.UsageError, match=r"VALUE is not JSON \(.+--string"):
        read_value(text, is_string=False)


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, b'{"a": 1}\n')
    assert read_value("-", is_string=False) == ('{"a": 1}', "dict")


def test_the_line_break_at_the_end_of_a_piped_text_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "é\nb\n".encode())
    assert read_value("-", is_string=True) == ('"é\\nb"', "str")


@pytest.mark.parametrize(
    ("content", "problem"), [(b"\xff", "not UTF-8"), (b"nothing", "not JSON"), (b'"too long"', "longer than 9 bytes")]
)
def test_standard_input_that_is_no_value_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, content: bytes, problem: str
) -> None:
    monkeypatch.setattr(module, "STDIN_BYTES_MAX", 9)
    typed(monkeypatch, content)
    with pytest.raises(click.UsageError, match=problem):
        read_value("-", is_string=False)


def test_metadata_is_an_object() -> None:
    assert read_object('{"a": 1}') == {"a": 1}
    with pytest.raises(ValueError, match="a JSON object"):
        read_object("[1]")


def test_the_error_names_the_position_of_the_mistake() -> None:
    with pytest.raises(ValueError, match="at character 6"):
        read_json('{"a":}')
