import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.values import token_estimate
from memoryd_server.domain.values.token_estimate import end_of_tokens, estimated_tokens, start_of_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   \t ", 0),
        ("fox", 1),
        ("The fox lives in Lisbon.", 6),
        ("incomprehensibilities", 3),
        ("2026-11-22", 6),
        ("one\n\n\ntwo\n", 4),
        ("北京很大", 4),
        ("Добрый день", 5),
        ("👍🏽", 4),
        ("café", 2),
    ],
)
def test_a_text_has_about_so_many_tokens(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(st.text(), st.text())
def test_two_texts_on_lines_of_their_own_have_what_they_have_apart(one: str, other: str) -> None:
    assert estimated_tokens(f"{one}\n{other}") <= estimated_tokens(one) + 1 + estimated_tokens(other)


@pytest.mark.parametrize("part", ["The fox ", "aB3 {x: 1234567}\n\n", "        return ", "北京 👍🏽 übermäßig "])
def test_a_long_text_has_the_tokens_of_its_parts(part: str) -> None:
    tokens = estimated_tokens(part * 2) - estimated_tokens(part)
    assert estimated_tokens(part * 5_001) - estimated_tokens(part) == 5_000 * tokens


def test_a_long_text_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise other threads would have to wait until all of it has been read."""
    read: list[int] = []
    monkeypatch.setattr(token_estimate, "_tokens_of", lambda text: read.append(len(text)) or len(text))
    assert estimated_tokens("fox " * 100_000) == 400_000
    assert max(read) <= 8_192
    read.clear()
    assert estimated_tokens("x" * 100_000) == 100_000
    assert max(read) <= 8_192


@given(st.text())
def test_no_character_is_more_than_two(text: str) -> None:
    assert 0 <= estimated_tokens(text) <= 2 * len(text)


@pytest.mark.parametrize(
    ("text", "count", "beginning"),
    [
        ("The fox lives in Lisbon.", 3, "The fox lives"),
        ("The fox lives in Lisbon.", 6, "The fox lives in Lisbon."),
        ("The fox lives in Lisbon.", 7, "The fox lives in Lisbon."),
        ("incomprehensibilities", 2, "incomprehensib"),
        ("👍👍👍", 3, "👍👍"),
        (" ! " * 40, 20, " ! " * 19 + " !"),
        ("a 👍 " * 20, 21, "a 👍 " * 7),
    ],
)
def test_the_first_tokens_end_where_so_many_are_counted(text: str, count: int, beginning: str) -> None:
    assert text[: end_of_tokens(text, 0, len(text), count)].rstrip() == beginning.rstrip()


@given(st.text(alphabet="ab1ü北👍. \n\t"), st.integers(1, 60))
def test_the_first_tokens_are_as_many_as_asked_for_or_all(text: str, count: int) -> None:
    end = end_of_tokens(text, 0, len(text), count)
    counted = estimated_tokens(text[:end])
    assert counted in (count, count + 1) or (end == len(text) and counted < count)


@given(st.text(alphabet="ab1ü北👍. \n\t"), st.integers(1, 60))
def test_the_last_tokens_are_as_many_as_asked_for_or_all(text: str, count: int) -> None:
    start = start_of_tokens(text, count)
    counted = estimated_tokens(text[start:])
    assert counted in (count, count + 1) or (start == 0 and counted < count)
