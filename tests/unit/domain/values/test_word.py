import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.values.word import words_of
from memoryd_server.domain.values.word_index import WordIndex


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", set()),
        (" .,;-_ ", set()),
        ("The cat, the CAT.", {"the", "cat"}),
        ("snake_case and kebab-case", {"snake", "case", "and", "kebab"}),
        ("Größe STRASSE Straße", {"grösse", "strasse"}),
        ("日本語 v2 ٣", {"日本語", "v2", "٣"}),
    ],
)
def test_words_are_runs_of_letters_and_digits_whatever_their_case(text: str, words: set[str]) -> None:
    assert words_of(text) == words


def test_a_text_is_found_by_any_word_and_only_by_whole_ones() -> None:
    index = WordIndex().add(1, "one two").add(2, "Two three")
    assert (index.find("TWO"), index.find("one three"), index.find("thr")) == ({1, 2}, {1, 2}, set())


def test_a_query_without_a_word_finds_nothing() -> None:
    assert WordIndex().add(1, "one").find(" ?! ") == set()


@given(st.lists(st.text("ab ", max_size=6), max_size=12), st.sets(st.integers(0, 11)))
def test_what_is_removed_leaves_no_trace(texts: list[str], removed: set[int]) -> None:
    index = WordIndex()
    for number, text in enumerate(texts):
        index = index.add(number, text)
    gone = [(number, text) for number, text in enumerate(texts) if number in removed]
    kept = [(number, text) for number, text in enumerate(texts) if number not in removed]
    assert index == WordIndex.of(enumerate(texts))
    assert index.remove(gone) == WordIndex.of(kept)
