"""A content says of itself that it is past, or not, and of what."""

import pytest

from memoryd_server.retrieval.currency.matter import matter_of, matter_of_who
from memoryd_server.retrieval.currency.said import READ_CHARACTERS_MAX, Said, said_in
from memoryd_server.retrieval.currency.tense.english import ENGLISH
from memoryd_server.retrieval.currency.tense.german import GERMAN
from memoryd_server.retrieval.currency.tense.table import Tense
from memoryd_server.retrieval.currency.tense.tongue import tense_of


def said(text: str, tense: Tense = ENGLISH) -> Said:
    found = said_in(text, tense)
    assert found is not None
    return found


PAST = [
    "Ada used to drink coffee",
    "Ada no longer drinks coffee",
    "Ada drank coffee",
    "Ada doesn't drink coffee anymore",
    "Ada stopped drinking coffee",
    "In the past, Ada liked coffee",
    "Ada's ex-husband drinks coffee",
    "Ada: I used to drink coffee",
    "Ada trank früher Kaffee",
    "Früher trank Ada Kaffee",
    "Ada hat Kaffee getrunken",
    "Ada ya no bebe café",
    "Ada ne boit plus de café",
    "Ada non beve più caffè",
    "Ada dronk vroeger koffie",
    "艾达不再喝咖啡",
    "艾达不喝咖啡了",
    "エイダはもうコーヒーを飲まない",
]
NOT_PAST = [
    "Ada drinks coffee",
    "Ada is used to the cold",
    "Ada drinks coffee once a day",
    "Ada, who no longer smokes, drinks coffee",
    "Ada drinks coffee that used to be cheap",
    'Ada sings "I used to drink"',
    "Ada used to drink coffee but now drinks tea",
    "Ada used to drink coffee. Now she drinks tea",
    "Ada steht früher auf als Tom",
    "Ada come más fruta que antes",
    "Ada bebe leche antes de dormir",
    "Ada est plus grande que Luc",
    "不再抽烟的艾达喝咖啡",
    "もうタバコを吸わないエイダはコーヒーを飲む",
]


def is_past(text: str) -> bool:
    """Return True if a content of the lists above says of what it is about that it is past."""
    tense = tense_of(text)
    found = said(text, tense)
    # A subject and a verb: words, or the characters of a name, a particle and a verb.
    return found.is_past({"zh": 3, "ja": 5}.get(tense.code, 2))


@pytest.mark.parametrize("text", PAST)
def test_a_content_says_that_it_is_past(text: str) -> None:
    assert is_past(text)


@pytest.mark.parametrize("text", NOT_PAST)
def test_words_of_the_past_about_something_else_say_nothing(text: str) -> None:
    assert not is_past(text)


@pytest.mark.parametrize("text", ["Does Ada still drink coffee?", "a" * (READ_CHARACTERS_MAX + 1)])
def test_questions_and_long_contents_are_not_read(text: str) -> None:
    assert said_in(text, ENGLISH) is None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Ada used to drink coffee", "Ada drinks green tea", True),
        ("Ann used to live in Oslo", "Ann moved to Bergen", True),
        ("Ada's favourite colour is blue", "Ada's favorite color is green", True),
        ("I used to live in Rome", "I live in Turin", True),
        ("Ada, who no longer smokes, drinks coffee", "Ada drinks tea", True),
        ("Ada: I used to drink coffee", "Ada drinks tea", True),
        ("Ada: Bob used to drink coffee", "Bob drinks tea", True),
        ("Ada drinks coffee", "Bob drinks coffee", False),
        ("Ada Lovelace lives in London", "Ada Lovelace drinks tea", False),
        ("Ann's brother lives in Oslo", "Ann lives in Bergen", False),
        ("I used to live in Rome", "She lives in Turin", False),
        ("I used to be a teacher", "I am tall", False),
    ],
)
def test_contents_are_about_the_same_if_they_begin_with_it(one: str, other: str, *, is_same: bool) -> None:
    assert (matter_of(said(one), said(other), ENGLISH) is not None) is is_same


@pytest.mark.parametrize("text", ["Früher trank Ada Kaffee", "Ada hat früher Kaffee getrunken", "Ada trank Kaffee"])
def test_a_verb_is_found_behind_its_subject(text: str) -> None:
    assert matter_of(said(text, GERMAN), said("Ada trinkt grünen Tee", GERMAN), GERMAN) is not None


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Dana was the CEO of Initech", "Omar Haddad is the CEO of Initech", True),
        ("Dana chaired the board", "Omar chairs the board", True),
        ("Dana was the CEO of Initech", "Omar is the CEO of Globex", False),
        ("The old house is on sale", "The new house is on sale", False),
    ],
)
def test_contents_that_say_the_same_of_others_are_about_who_that_is(one: str, other: str, *, is_same: bool) -> None:
    assert (matter_of_who(said(one), said(other)) is not None) is is_same
