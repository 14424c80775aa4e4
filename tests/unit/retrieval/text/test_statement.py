import unicodedata
from unittest.mock import patch

import pytest

from memoryd_server.retrieval.text import word
from memoryd_server.retrieval.text.statement import statement_of
from memoryd_server.retrieval.text.term import TERM_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("Where is the one that I had?", ["one"]),
        ("Running runs, ran", ["run", "run", "run"]),
        ("the Café and its CRÈME", ["cafe", "creme"]),
        ("\uff21\uff42\uff43\uff11", ["abc1"]),
        ("日本語", ["日", "本", "語", "日本", "本語"]),
        ("v2ですか", ["v2", "で", "す", "か", "です", "すか"]),
        ("한국어", ["한", "국", "어", "한국", "국어"]),
        ("が", ["が"]),
        ("party 🎉🎉🏽", ["parti", "🎉", "🎉"]),
        ("x" * 100, ["x" * TERM_CHARACTERS_MAX]),
        ('"NEAR(a b)" OR * ^ - \0 \ud800', ["near", "b"]),
        ("I don't, she won\u2019t, they didnt", []),
        ("She won", ["win"]),
        ("She bought two knives", ["buy", "two", "knife"]),
    ],
)
def test_words_are_reduced_to_terms(text: str, terms: list[str]) -> None:
    statement = statement_of(text)
    assert sorted(statement.counts.elements()) == sorted(terms)
    assert statement.length == len(terms)


@pytest.mark.parametrize(
    ("text", "language", "terms"),
    [
        ("Der Mann hat zwei Häuser", "de", {"mann|de", "zwei|de", "haus|de"}),
        ("Les chevaux sont dans la forêt", "fr", {"cheval|fr", "foret|fr"}),
        ("Бабушка печёт пироги", "ru", {"бабушк|ru", "печет|ru", "пирог|ru"}),
        ("شُكْرًا", "ar", {"شكر|ar"}),
        ("हिन्दी", "hi", {"हिन्द|hi"}),
    ],
)
def test_a_word_has_the_stem_of_its_texts_language(text: str, language: str, terms: set[str]) -> None:
    statement = statement_of(text)
    assert (statement.language, set(statement.counts)) == (language, terms)


@pytest.mark.parametrize(
    ("text", "words", "forms"),
    [
        ("get_user_by_id", ["get", "id", "user"], {"getuserbyid"}),
        ("getUserById", ["getuserbyid"], {"get", "user", "id"}),
        ("get-user-by-id", ["get", "id", "user"], {"getuserbyid"}),
        ("HTTPServer", ["httpserver"], {"http", "server"}),
        ("wi-fi", ["fi", "wi"], {"wifi"}),
        ("C#, C++ and F#", ["c#", "c++", "f#"], set()),
        (".NET", [".net"], {"net"}),
        ("end. next", ["end", "next"], set()),
        ("and/or snow/ice", ["ice", "snow"], set()),
        ("a@example.com", ["com", "exampl"], {"aexamplecom"}),
        ("~/.config/settings.toml", ["config", "set", "toml"], {"settingstoml"}),
        ("1,500 dogs", ["1", "500", "dog"], {"1500"}),
        ("1.5k dogs", ["1", "5k", "dog"], {"1500"}),
        ("2k dogs", ["2k", "dog"], {"2000"}),
        ("1.500", ["1", "500"], {"1.500", "1500"}),
        ("2.50", ["2", "50"], {"2.50", "2.5"}),
        ("v1.2.3", ["2", "3", "v1"], {"1.2.3"}),
        ("2026-03-05", ["03", "05", "2026"], {"20260305"}),
        ("5.3.2026", ["2026", "3", "5"], {"20260305", "20260503"}),
        ("31/12/2026", ["12", "2026", "31"], {"20261231"}),
        ("2026-13-45", ["13", "2026", "45"], {"20261345"}),
    ],
)
def test_identifiers_numbers_and_dates_have_other_forms(text: str, words: list[str], forms: set[str]) -> None:
    statement = statement_of(text)
    assert statement.length == len(words)
    assert set(statement.counts) == {*words, *forms}


def test_a_whole_is_indexed_up_to_a_maximum_length() -> None:
    assert "a" * 64 in statement_of("-".join(["a" * 32] * 2)).counts
    assert statement_of("-".join(["b" * 33] * 2)).counts == {"b" * 33: 2}


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("User does not like tea", {"like|not"}),
        ("User doesn\u2019t like tea", {"like|not"}),
        ("User doesnt ever like tea", {"ever|not"}),
        ("User hates tea", {"like|not"}),
        ("User likes tea, and so on. Not", set()),
        ("The user was not, as it was, of that and this, tired", set()),
        ("She won the race", set()),
        ("Sie isst niemals Oliven mit Käse", {"oliv|de|not"}),
    ],
)
def test_the_word_behind_a_negation_is_denied(text: str, denied: set[str]) -> None:
    assert statement_of(text).labels == denied


def test_aliases_and_tags_are_labels_that_do_not_lengthen_a_memory() -> None:
    statement = statement_of("New York City", ("NYC", "the Big Apple"), ("travel-plans",))
    assert statement.labels == {"nyc|alias", "big|alias", "appl|alias", "travel|tag", "plan|tag", "travelplan|tag"}
    assert statement.length == 3


def test_many_marks_on_one_letter_are_normalized_in_small_parts() -> None:
    with patch.object(word, "_folded_part", wraps=word._folded_part) as folded_part:
        assert statement_of("tea" + "\u0301\u0316" * 100_000).counts == {"tea": 1}
    assert max(len(call.args[0]) for call in folded_part.call_args_list) <= 512


@pytest.mark.parametrize("word", ["caf\u00e9", "\u1112\u1161\u11ab", "\u304b\u3099", "\u0928\u093f"])
@pytest.mark.parametrize("separator", [" ", ""])
def test_a_long_text_has_the_same_terms_in_each_normal_form(word: str, separator: str) -> None:
    expected = statement_of(separator.join([unicodedata.normalize("NFC", word)] * 1_000))
    for form in ("NFC", "NFD"):
        assert statement_of(unicodedata.normalize(form, separator.join([word] * 1_000))) == expected


@pytest.mark.parametrize(
    ("content", "speakers", "words"),
    [
        ("Ann: tea, please", {"ann"}, ["pleas", "tea"]),
        (" Mary-Ann O'Neil: tea", {"mari", "ann", "maryann", "o", "neil"}, ["tea"]),
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
