"""Stems that are kept for the next time: their number and their sizes are bounded, whatever is indexed."""

import pytest

from memoryd_server.retrieval.text import term
from memoryd_server.retrieval.text.term import TERM_CHARACTERS_MAX, term_of


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The English words whose stems are kept."""
    monkeypatch.setattr(term, "_stemming", term._Stemming())
    return term._stemming.terms["en"]


def test_the_stem_of_a_word_is_kept(kept: dict[str, str]) -> None:
    assert term_of("running") == "run"
    assert kept == {"running": "run"}


def test_a_word_that_is_cut_is_not_kept(kept: dict[str, str]) -> None:
    assert term_of("x" * 10_000) == "x" * TERM_CHARACTERS_MAX
    assert not kept


def test_the_number_of_kept_words_is_bounded(kept: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term, "_STEMMED_MAX", 10)
    for number in range(100):
        term_of(f"word{number}")
    assert len(kept) <= 10
