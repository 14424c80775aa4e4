"""Comparison of two contents by their words alone. Some cases show limits of a judgement by form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.memories.kinship.kinship import (
    Kinship,
    are_duplicates,
    content_of,
    contradict,
    kinship_of,
)
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.values.word import words_of

POLICY = MemoryPolicy()

SAME = [
    ("The user prefers PostgreSQL", "the user prefers PostgreSQL."),
    ("User likes green tea", "The user likes green tea"),
    ("Ann: I moved to Oslo", "Ann: I moved to Oslo!!"),
    ("  Deploy needs\tthe VPN ", "deploy needs a VPN\n"),
    ("I really like tea", "I like tea"),
    ("Ann says that all of the tests pass", "Ann says all the tests pass"),
    ("I'm sure that Ann doesn't eat fish", "I am sure Ann does not eat fish"),
    ("We can't deploy, it won't start", "We cannot deploy: it will not start"),
    ("They\u2019re in Oslo and we\u2019ve gone; I\u2019ll stay", "they are in Oslo and we have gone I will stay"),
    ('He said "no" (twice) - again', "He said no twice again"),
    ("Ann lives at the caf\u00e9", "Ann lives at the cafe\u0301"),
    ("Stra\u00dfe 5", "STRASSE 5"),
    ("\u732b\u304c\u597d\u304d\u3002", "\u732b\u304c\u597d\u304d"),
    ("Ann has a cat", "Ann's got a cat"),
    ("Ann is fond of tea", "Ann likes tea"),
    ("On Monday Ann left", "Ann left on Monday"),
    ("On Monday, Ann left", "Ann left on Monday"),
    ("It costs 1,000", "It costs 1000"),
    ("It costs $90k", "It costs 90,000 dollars"),
    ("The launch is on May 3, 2026", "The launch is on 2026-05-03"),
    ("The launch is at 3:30 pm", "The launch is at 15:30"),
    ("Ann works for Acme in Oslo", "Ann is employed by Acme in Oslo"),
    ("Ann: My birthday is May 3", "Ann was born on 3 May"),
    ("Carl leads the project", "The project is led by Carl"),
    ("Ann is a nurse and lives in Oslo", "Ann is a nurse and resides in Oslo"),
    ("Der Termin ist am 3. Mai 2026", "Der Termin ist am 03.05.2026"),
    ("- first\n- second", "first second"),
    # Found to be duplicates though they may differ in meaning: case and articles can matter.
    ("The US is large", "The us is large"),
    ("There is a fox", "There is the fox"),
]

NOT_THE_SAME = [
    ("The cat chased the dog", "The dog chased the cat"),
    ("Ann owes Bob 5 euros", "Bob owes Ann 5 euros"),
    ("Ann: I love you", "Bob: I love you"),
    ("Ann will go to the party with Bob on Friday", "Ann will go to the party with Carl on Friday"),
    ("Call me before the meeting", "Call me after the meeting"),
    ("Turn the light on", "Turn the light off"),
    ("I hardly ever eat meat", "I ever eat meat"),
    ("He may be in Oslo", "He is in Oslo"),
    ("I moved to Oslo", "I moved to Oslo in May"),
    ("I have two sisters", "I have three sisters"),
    ("You should not merge and not deploy", "You should merge and deploy"),
    ("I like tea", "I don't like tea"),
    ("The server is down", "The server is down?"),
    ("It is -5 degrees", "It is 5 degrees"),
    ("It costs $5", "It costs \u20ac5"),
    ("Version 3.5", "Version 35"),
    ("Ann loves C++", "Ann loves C"),
    ("Stop if x != y", "Stop if x = y"),
    ("Include ../a", "Include ./a"),
    ("Run it with -v", "Run it with v"),
    ("Ann is \U0001f600", "Ann is \U0001f621"),
    ("\u732b\u304c\u597d\u304d", "\u72ac\u304c\u597d\u304d"),
    ("Ann works for Acme", "Ann joined Acme"),
    ("Ann likes tea", "Ann likes tea in the evening"),
    ("Ann prefers tea", "Ann prefers tea over coffee"),
    ("Ann likes tea", "Ann used to like tea"),
    ("Does Ann like tea?", "Does Ann enjoy tea?"),
    ("Ann: tea is good", "Bob: tea is good"),
    ("Ann has a cat. She is old", "Ann's got a cat. She is old"),
    # Missed duplicates: other words, or another number.
    ("Ann likes cats", "Ann likes a cat"),
    ("Ann is easily angered", "Ann has a short temper"),
    # One or both contents have no words.
    ("", ""),
    ("...", "!!!"),
    ("the", "a"),
]

CONTRADICTING = [
    ("The deadline is May 3", "The deadline is May 10"),
    ("I live in Oslo", "I live in Bergen"),
    ("I live in Oslo", "I moved to Bergen"),
    ("I moved to Oslo", "I moved to Bergen"),
    ("Ann lives in Oslo", "Since 2019, Ann lives in Bergen"),
    ("Ann lives in Oslo and works for Acme", "Ann works for Initech"),
    ("Ann lives in Oslo", "Ann works for Acme, but she lives in Bergen"),
    ("The user prefers tea", "the user prefers coffee!"),
    ("Users prefer tea", "Users prefer coffee"),
    ("Ann prefers long answers", "Ann prefers short answers"),
    ("Ann works for Acme", "Ann works for Initech"),
    ("Ann works for Acme", "Ann left Acme"),
    ("Ann works for Acme", "Ann joined Initech last month"),
    ("Ann is retired", "Ann works for Acme"),
    ("Ann: I work for Acme", "Ann works for Initech"),
    ("Ann is married to Bob", "Ann is divorced"),
    ("My dog is called Rex", "My dog is called Bello"),
    ("Ann's birthday is in June", "Ann's birthday is in July"),
    ("Ann\u2019s birthday is in June", "Ann's birthday is in July"),
    ("The birthday of Ann is in June", "Ann was born on 3 July"),
    ("Ann was born in Oslo", "Ann was born in Bergen"),
    ("Carl leads the project", "Dora leads the project"),
    ("Carl is Ann's boss", "Ann reports to Dora"),
    ("Ann likes tea more than coffee", "Ann prefers coffee over tea"),
    ("Ann prefers tea", "Ann prefers coffee over tea"),
    ("The server runs on port 8080", "The server runs on port 9090"),
    ("The laptop runs Ubuntu", "The laptop runs Debian"),
    ("We use Vim for notes", "We use Emacs for notes"),
    ("I have 2 cats", "I have 3 cats"),
    ("Ann has no cats", "Ann has 3 cats"),
    ("Ann has 2 cats and a dog", "Ann has 3 cats and a cow"),
    ("Ann is 30", "Ann is 31"),
    ("I like fish", "I don't like fish"),
    ("I love fish", "I hate fish"),
    ("Ann likes fish", "Ann does not like the fish"),
    ("Ann smokes", "Ann quit smoking"),
    ("Ann will come", "Ann will never come"),
    ("There is a cat", "There is no cat"),
    ("I drink tea with nothing", "I drink tea with"),
    ("The account is locked", "The account is unlocked"),
    ("The backup is enabled", "The backup is disabled"),
    ("The meeting will be on May 3", "The meeting was moved to May 4"),
    ("The meeting is at 3 pm", "The meeting is at 16:00"),
    ("The keys are in the drawer", "The keys are under the mat"),
    ("Der Nutzer trinkt lieber Tee als Kaffee", "Der Nutzer bevorzugt Kaffee gegen\u00fcber Tee"),
    ("Lisa wohnt in Jena", "Lisa ist nach Gera gezogen"),
    ("Lisa ist verheiratet", "Lisa ist ledig"),
    # False contradictions.
    ("Ann lives in Berlin", "Ann lives in Kreuzberg"),
]

NOT_CONTRADICTING = [
    ("I live in Oslo", "I live in Oslo"),
    ("I live in Oslo", "I live in Oslo, in the old town"),
    ("I live in Oslo", "Ann lives in Bergen"),
    ("I live in Oslo", "I live in Norway"),
    ("I live in Oslo", "I prefer Bergen"),
    ("I live in", "I live in Oslo"),
    ("I lived in Oslo", "I lived in Bergen"),
    ("I used to live in Oslo", "I live in Bergen"),
    ("I live in Oslo", "I may move to Bergen"),
    ("I live in Oslo", "If I live in Bergen I need a car"),
    ("Ann thinks Bob lives in Oslo", "Bob lives in Bergen"),
    ("Ann moved to Oslo in 2010", "Ann moved to Bergen in 2020"),
    ("Ann lives in Oslo in summer", "Ann lives in Rome in winter"),
    ("is it raining", "is it late"),
    ("I am tired", "I am hungry"),
    ("Paris is nice", "Paris is expensive"),
    ("There is a dog", "There is a cat"),
    ("Section 1 is open", "Section 2 is open"),
    ("On May 3 the build failed", "On May 4 the build failed"),
    ("2024-01-05 standup", "2024-01-06 standup"),
    ("The deadline is May 3", "The deadline is May 3, 2026"),
    ("The deadline is May 3", "The deadline is in room 5"),
    ("1", "2"),
    ("3 of 4", "4 of 4"),
    ("Ann does not like Bob", "Bob likes Ann"),
    ("Ann never said it was not so", "Ann said it was so"),
    ("no", "not"),
    ("", "not"),
    ("", ""),
    ("The fox is red", "The fox is fast"),
    ("My brother is a doctor", "My brother is married"),
    ("My brother is a doctor", "My brother is in Berlin"),
    ("My boss is tall", "My boss is Carl"),
    ("The laptop runs Linux", "The laptop runs Ubuntu"),
    ("The project uses Python", "The project uses Docker"),
    ("We use Vim for notes", "We use Emacs for mail"),
    ("The user prefers tea in the morning", "The user prefers coffee in the evening"),
    ("The user prefers tea", "The user prefers short answers"),
    ("Ann prefers tea over coffee", "Ann prefers water over juice"),
    ("Ann scored 3 goals in game 1", "Ann scored 3 goals in game 2"),
    ("Ann has a meeting at 3 pm", "Ann has a meeting at 4 pm"),
    ("Ann ran 5 km", "Ann ran 6 km"),
    ("It weighs 5 kg", "It weighs 11 pounds"),
    ("Bob: I live in Oslo", "Ann: I live in Bergen"),
    # Missed contradictions: another verb, or no attribute that has one value.
    ("RTO means return to office", "RTO means recovery objective"),
    ("The API uses REST", "The API uses gRPC"),
    ("The light is on in the hall", "The hall is dark"),
    ("Budget: 500", "Budget: 600"),
    ("\u732b\u304c\u597d\u304d", "\u732b\u304c\u5acc\u3044"),
]


def _are_duplicates(one: str, other: str) -> bool:
    return are_duplicates(content_of(one), content_of(other))


def _contradict(one: str, other: str) -> bool:
    return contradict(content_of(one), content_of(other))


def _kinship(new: str, known: str, words: float, cosine: float | None, policy: MemoryPolicy = POLICY) -> Kinship:
    return kinship_of(content_of(new), content_of(known), words, cosine, policy)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_contents_that_say_the_same_are_duplicates(one: str, other: str) -> None:
    assert _are_duplicates(one, other)
    assert _are_duplicates(other, one)


@pytest.mark.parametrize(("one", "other"), NOT_THE_SAME)
def test_a_word_or_sign_more_or_in_another_place_may_be_all_that_matters(one: str, other: str) -> None:
    assert not _are_duplicates(one, other)
    assert not _are_duplicates(other, one)


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_another_value_of_the_same_subject_and_a_negation_contradict(one: str, other: str) -> None:
    assert _contradict(one, other)
    assert _contradict(other, one)


@pytest.mark.parametrize(("one", "other"), NOT_CONTRADICTING)
def test_what_may_both_be_true_does_not_contradict(one: str, other: str) -> None:
    assert not _contradict(one, other)
    assert not _contradict(other, one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_duplicates_do_not_contradict_each_other(one: str, other: str) -> None:
    assert not _contradict(one, other)


@pytest.mark.parametrize(
    ("new", "known", "words", "cosine", "kinship"),
    [
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.85, None, Kinship.DUPLICATE),
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.84, None, Kinship.RELATED),
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.84, 0.95, Kinship.DUPLICATE),
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.5, 0.94, Kinship.RELATED),
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.49, None, Kinship.NONE),
        ("The fox naps. Bo barks", "A fox naps! Bo barks", 0.49, 0.69, Kinship.NONE),
        ("Bob bought a car", "Bob purchased a car", 0.5, None, Kinship.DUPLICATE),
        ("Bob bought a car", "Bob purchased a car", 0.49, 0.7, Kinship.DUPLICATE),
        ("Bob bought a car", "Bob purchased a car", 0.49, 0.69, Kinship.NONE),
        ("Ann fed the red fox", "Bob fed the red fox", 1.0, 1.0, Kinship.RELATED),
        ("The fox naps", "The fox does not nap", 1.0, 1.0, Kinship.CONTRADICTION),
        ("The fox naps", "The fox does not nap", 0.5, None, Kinship.CONTRADICTION),
        ("The fox naps", "The fox does not nap", 0.49, None, Kinship.NONE),
        # What claims the same is a duplicate, or contradicts, in any words.
        ("Ann works for Acme", "Ann is employed by Acme", 0.5, None, Kinship.DUPLICATE),
        ("Ann works for Acme", "Ann is employed by Acme", 0.49, 0.69, Kinship.NONE),
        ("Ann works for Acme", "Ann is employed by Initech", 0.0, None, Kinship.CONTRADICTION),
    ],
)
def test_how_near_contents_are_decides_what_is_looked_at(
    new: str, known: str, words: float, cosine: float | None, kinship: Kinship
) -> None:
    assert _kinship(new, known, words, cosine, POLICY) is kinship


def test_the_thresholds_are_those_of_the_policy() -> None:
    policy = MemoryPolicy(duplicate_words=0.2, duplicate_cosine=0.3, related_words=0.1, related_cosine=0.2)
    assert _kinship("fox", "fox", 0.2, None, policy) is Kinship.DUPLICATE
    assert _kinship("fox", "fox", 0.0, 0.3, policy) is Kinship.DUPLICATE
    assert _kinship("fox", "fox", 0.0, 0.2, policy) is Kinship.RELATED
    assert _kinship("fox", "fox", 0.1, None, policy) is Kinship.RELATED
    assert _kinship("fox", "fox", 0.09, 0.19, policy) is Kinship.NONE


@pytest.mark.parametrize("unit", ["The fox is red. ", "a", "a.", "a'", "1-", "\U0001f600", "'", "is ", "\u0301", "n't"])
def test_long_contents_are_related_at_most(unit: str) -> None:
    long = (unit * 1_000_000)[:1_000_000]
    assert _kinship(long, long, 1.0, 1.0, POLICY) is Kinship.RELATED
    assert _kinship("The fox is red", long, 1.0, None, POLICY) is Kinship.RELATED
    assert _kinship("x" * 2_000, "the " + "x" * 2_000, 1.0, None, POLICY) is Kinship.RELATED
    assert _kinship("the " + "x" * 2_000, "x" * 2_000, 1.0, None, POLICY) is Kinship.RELATED
    assert _kinship("x" * 2_000, "x" * 2_000, 1.0, None, POLICY) is Kinship.DUPLICATE


TEXTS = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(["the", "Ann's", "is", "not", "2", "3", "x", "can't", "-", "?", "in"])).map(" ".join),
)


@given(TEXTS, TEXTS)
def test_any_two_texts_are_judged_the_same_both_ways(one: str, other: str) -> None:
    words, other_words = words_of(one), words_of(other)
    both = len(words & other_words) / max(len(words | other_words), 1)
    there = _kinship(one, other, both, None, POLICY)
    assert there is _kinship(other, one, both, None, POLICY)
    assert there is not Kinship.DUPLICATE or not _contradict(one, other)
    assert not _contradict(one, one)
