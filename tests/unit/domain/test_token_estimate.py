import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.token_estimate import estimated_tokens


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


@given(st.text())
def test_no_character_is_more_than_two(text: str) -> None:
    assert 0 <= estimated_tokens(text) <= 2 * len(text)
