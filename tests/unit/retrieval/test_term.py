import unicodedata
from unittest.mock import patch

import pytest

from memoryd_server.retrieval import term
from memoryd_server.retrieval.statement import statement_of
from memoryd_server.retrieval.term import TERM_CHARACTERS_MAX, looked_for, terms_of


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("Where is the one that I had?", ["one"]),
        ("Running runs", ["run", "run"]),
        ("snake_case", ["snake", "case"]),
        ("Café CRÈME", ["cafe", "creme"]),
        ("\uff21\uff42\uff43\uff11", ["abc1"]),
        ("日本語", ["日", "本", "語", "日本", "本語"]),
        ("v2ですか", ["v2", "で", "す", "か", "です", "すか"]),
        ("한국어", ["한", "국", "어", "한국", "국어"]),
        ("が", ["が"]),
        ("party 🎉🎉🏽", ["parti", "🎉", "🎉"]),
        ("شُكْرًا", ["شكرا"]),
        ("हिन्दी", ["हिन्दी"]),
        ("x" * 100, ["x" * TERM_CHARACTERS_MAX]),
        ('"NEAR(a b)" OR * ^ - \0 \ud800', ["near", "b"]),
    ],
)
def test_words_are_reduced_to_terms(text: str, terms: list[str]) -> None:
    assert list(terms_of(text)) == terms


def test_many_marks_on_one_letter_are_normalized_in_small_parts() -> None:
    with patch.object(term, "_folded_part", wraps=term._folded_part) as folded_part:
        assert list(terms_of("tea" + "\u0301\u0316" * 100_000)) == ["tea"]
    assert max(len(call.args[0]) for call in folded_part.call_args_list) <= 512


@pytest.mark.parametrize("word", ["caf\u00e9", "\u1112\u1161\u11ab", "\u304b\u3099", "\u0928\u093f"])
@pytest.mark.parametrize("separator", [" ", ""])
def test_a_long_text_has_the_same_terms_in_each_normal_form(word: str, separator: str) -> None:
    folded = separator.join([unicodedata.normalize("NFC", word).replace("\u00e9", "e")] * 1_000)
    for form in ("NFC", "NFD"):
        assert list(terms_of(unicodedata.normalize(form, separator.join([word] * 1_000)))) == list(terms_of(folded))


def test_a_query_maps_each_term_to_its_first_word() -> None:
    assert looked_for("Who was running with runners, run?") == {"run": "running", "runner": "runners"}


def test_a_query_has_the_pairs_of_a_run_without_spaces_or_its_only_character() -> None:
    assert list(looked_for("日本語 猫")) == ["日本", "本語", "猫"]


@pytest.mark.parametrize(
    ("content", "speakers", "words"),
    [
        ("Ann: tea, please", {"ann"}, ["pleas", "tea"]),
        (" Mary-Ann O'Neil: tea", {"mari", "ann", "o", "neil"}, ["tea"]),
        ("at 10:30 tea", set(), ["10", "30", "tea"]),
        ("https://tea", set(), ["https", "tea"]),
        ("see: tea", {"see"}, ["tea"]),
    ],
)
def test_a_name_before_a_colon_is_the_speaker(content: str, speakers: set[str], words: list[str]) -> None:
    statement = statement_of(content)
    assert (statement.speakers, sorted(statement.counts), statement.length) == (speakers, words, len(words))


@pytest.mark.parametrize(
    ("content", "is_question"), [("Tea? ", True), ("茶\uff1f", True), ("شاي؟", True), ("Tea? Yes.", False)]
)
def test_a_statement_that_ends_with_a_question_mark_is_a_question(content: str, is_question: bool) -> None:
    assert statement_of(content).is_question is is_question
