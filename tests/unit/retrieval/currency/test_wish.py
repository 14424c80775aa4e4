# ruff: noqa: RUF001 - letters of many scripts
"""The time that a query asks for, by its words and its tense."""

import pytest
from tests.unit.retrieval.sample import NOW

from memoryd_server.retrieval.currency.wish import Presence, wish_of
from memoryd_server.retrieval.time.phrase import TimePhrase

PAST = [
    "Who did Bob work for before?",
    "Where did Ann live before Bergen?",
    "Who was Bob's previous employer?",
    "What is Ann's old address?",
    "What did Ann use to drink, originally?",
    "What did Ann use to drink?",
    "What used to be Ann's phone number?",
    "Who is Bob's ex-wife?",
    "What does Ann no longer eat?",
    "Wo wohnte Lisa früher?",
    "Wo hat Lisa vorher gearbeitet?",
    "Wer ist Lisas ehemaliger Chef?",
    "¿Qué bebía Ada antes?",
    "Que buvait Ada autrefois ?",
    "Cosa beveva Ada in passato?",
    "O que a Ada bebia antigamente?",
    "Wat dronk Ada vroeger?",
    "艾达以前喝什么？",
    "太郎は以前どこに住んでいましたか？",
]
BY_WORD = [
    "What does Ada drink now?",
    "Who does Bob work for these days?",
    "Does Ann still live in Oslo?",
    "Who is the current mayor?",
    "Where did Ann say that she lives now?",
    "Was trinkt Ada derzeit?",
    "Trinkt Ada noch Kaffee?",
    "¿Qué bebe Ada ahora?",
    "Que boit Ada maintenant ?",
    "Cosa beve Ada adesso?",
    "O que a Ada bebe agora?",
    "Wat drinkt Ada tegenwoordig?",
    "艾达现在喝什么？",
    "エイダは今何を飲んでいますか？",
]
BY_TENSE = [
    "Who does Bob work for?",
    "How old is the old house?",
    "Wo wohnt Lisa?",
    "¿Dónde vive Ana?",
    "Où habite Anne ?",
    "Dove vive Anna?",
    "Onde mora a Ana?",
    "Waar woont Anna?",
    "小明住在哪里？",
    "何に乗っていますか？",
]
NEITHER = [
    "Who did Bob work for?",
    "What was the name of the dog?",
    "Is Ann used to the cold?",
    "Which film had Ann seen?",
    "Bob works for Acme",
    "coffee",
    "",
]


@pytest.mark.parametrize("text", PAST)
def test_a_question_about_the_past_is_understood(text: str) -> None:
    wish = wish_of(text, NOW, ())
    assert wish.is_past
    assert wish.presence is Presence.NONE


@pytest.mark.parametrize(
    ("text", "presence"),
    [
        *((text, Presence.BY_WORD) for text in BY_WORD),
        *((text, Presence.BY_TENSE) for text in BY_TENSE),
        *((text, Presence.NONE) for text in NEITHER),
    ],
)
def test_a_question_about_the_present_is_no_question_about_the_past(text: str, presence: Presence) -> None:
    wish = wish_of(text, NOW, ())
    assert wish.presence is presence
    assert not wish.is_past


@pytest.mark.parametrize(
    "text",
    [
        "What should I do before the meeting?",
        "What comes before Monday?",
        "Was muss ich vor dem Termin tun?",
        "¿Qué toma Ana antes de dormir?",
        "Que fait Luc avant de dormir ?",
        "Wann steht Anna auf?",
    ],
)
def test_what_comes_before_something_is_not_past(text: str) -> None:
    assert not wish_of(text, NOW, ()).is_past


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("What does Ada drink these days?", "What does Ada drink  ?"),
        ("When do we meet from now on?", "When do we meet from now on?"),
        ("What does Ada do now and then?", "What does Ada do now and then?"),
        ("A che ora apre il negozio?", "A che ora apre il negozio?"),
        ("Does Ada still drink?", "Does Ada still drink?"),
        ("小明目前在哪家公司工作？", "小明 在哪家公司工作？"),
        ("Now?", "Now?"),
    ],
)
def test_words_for_now_are_not_looked_for(text: str, kept: str) -> None:
    assert wish_of(text, NOW, ()).text == kept


def test_a_time_phrase_decides_alone() -> None:
    phrase = TimePhrase("before 2020", 1, 2)
    wish = wish_of("Who did Bob work for before 2020?", NOW, (phrase,))
    assert (wish.is_past, wish.end, wish.presence) == (False, 2, Presence.NONE)


def test_of_a_long_query_the_beginning_is_read_and_all_is_looked_for() -> None:
    rest = " lorem" * 1_000
    assert wish_of(f"What does Ada drink now?{rest}", NOW, ()).text == f"What does Ada drink  ?{rest}"
    assert not wish_of(f"Ada{rest} formerly", NOW, ()).is_past


def test_a_question_about_a_time_without_an_end_is_not_about_the_present() -> None:
    phrase = TimePhrase("since 2020", 1, None)
    assert wish_of("Where does Bob work since 2020?", NOW, (phrase,)).presence is Presence.NONE
