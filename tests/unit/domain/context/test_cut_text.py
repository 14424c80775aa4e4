import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.context.cut_text import CUT_MARK, CUT_TOKENS_MIN, cut
from memoryd_server.domain.values.token_estimate import estimated_tokens

SENTENCE = "The fox lives in Lisbon, and writes home."
"""A sentence of ten tokens."""
MARK_TOKENS = estimated_tokens(CUT_MARK)


def cut_to(text: str, tokens: int) -> str:
    return cut(text, tokens + MARK_TOKENS, estimated_tokens)


def test_a_text_ends_with_its_last_whole_sentence() -> None:
    assert cut_to(f"{SENTENCE} {SENTENCE} {SENTENCE}", 25) == f"{SENTENCE} {SENTENCE}{CUT_MARK}"
    assert cut_to(f"{SENTENCE}\n{SENTENCE}\n{SENTENCE}", 25) == f"{SENTENCE}\n{SENTENCE}{CUT_MARK}"


def test_a_long_sentence_ends_with_a_word() -> None:
    assert cut_to("word " * 100, 20) == f"{'word ' * 20}".rstrip() + CUT_MARK


def test_a_text_without_words_ends_anywhere() -> None:
    assert cut_to("x" * 1_000, 10) == "x" * 70 + CUT_MARK
    assert cut_to("北" * 1_000, 10) == "北" * 10 + CUT_MARK
    assert cut_to("北京很大。" * 10, 12) == "北京很大。北京很大。" + CUT_MARK


def test_nothing_is_left_of_a_text_where_little_would_be() -> None:
    assert cut_to(SENTENCE * 9, CUT_TOKENS_MIN - 1) == ""
    assert cut_to(SENTENCE * 9, CUT_TOKENS_MIN) != ""
    assert cut(SENTENCE, -5, estimated_tokens) == ""


def test_a_text_whose_parts_have_fewer_tokens_than_the_whole_is_cut_further() -> None:
    def crowded(text: str) -> int:
        return estimated_tokens(text) + (5 if len(text) > 60 else 0)

    found = cut("word " * 20 + "x" * 3_000, 20 + MARK_TOKENS, crowded)
    assert found.endswith(CUT_MARK)
    assert crowded(found) <= 20 + MARK_TOKENS
    assert cut("word " * 100, 30, lambda text: 31 if CUT_MARK in text and text != CUT_MARK else len(text) // 9) == ""


@pytest.mark.parametrize("count", [estimated_tokens, len, lambda text: len(text.split())])
@given(st.text(alphabet="ab. \n北é", max_size=9_000), st.integers(0, 60))
def test_it_is_the_beginning_within_the_budget(count, text: str, tokens_max: int) -> None:  # type: ignore[no-untyped-def]
    found = cut(text, tokens_max, count)
    assert not found or (count(found) <= tokens_max and text.startswith(found.removesuffix(CUT_MARK)))


def test_a_long_text_is_counted_about_once() -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return len(text) // 4

    text = f"{SENTENCE} " * 25_000
    assert cut(text, 100_000, counting).endswith(CUT_MARK)
    assert sum(counted) < 3 * len(text)
