"""Memories on one matter that no link connects, in the order of what they say."""

from collections.abc import Sequence

import msgspec
import pytest
from tests.unit.record_filters import of_memories
from tests.unit.retrieval.sample import index_of, memory, moment, salience_of, search

from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.retrieval import IndexedMemory, Match
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.weight import DOCUMENT_WEIGHTS


def aged(*contents: str, **fields: object) -> list[Memory]:
    """Return memories with these contents, the oldest first: m1, m2 and so on."""
    return [
        memory(content, number, occur_time=moment(2010 + number, 1, 1), **fields)
        for number, content in enumerate(contents, 1)
    ]


def order(matches: Sequence[Match]) -> list[str]:
    return [match.memory_id for match in matches]


def recalled(question: str, *contents: str) -> list[Match]:
    return search(index_of(aged(*contents)), question)


@pytest.mark.parametrize("question", ["What does Ada drink now?", "What does Ada drink?"])
def test_what_says_that_it_is_past_comes_behind_what_is_so(question: str) -> None:
    found = recalled(question, "Ada drinks green tea with milk", "Ada used to drink")
    assert order(found) == ["m1", "m2"]
    assert found[1].behind == ("m1",)
    assert found[1].why_behind == "of the past (used to)"
    assert (found[0].behind, found[0].why_behind) == ((), "")


def test_a_question_about_the_past_has_it_the_other_way_round() -> None:
    found = recalled("What did Ada drink before?", "Ada used to drink coffee with milk", "Ada drinks tea")
    assert order(found) == ["m1", "m2"]
    assert found[1].why_behind == "not of the past"


def test_what_a_newer_memory_ends_is_no_longer_so() -> None:
    found = recalled(
        "What does Ada drink?", "Ada drinks coffee", "Ada drinks tea with milk", "Ada no longer drinks coffee"
    )
    assert order(found) == ["m2", "m3", "m1"]
    assert found[2].why_behind == "ended"


def test_of_two_that_may_both_be_so_the_newer_one_comes_first_only_for_now() -> None:
    contents = ("Ada drinks coffee", "Ada drinks tea with milk")
    assert order(recalled("What does Ada drink now?", *contents)) == ["m2", "m1"]
    assert order(recalled("What does Ada drink?", *contents)) == ["m1", "m2"]


def test_of_two_that_exclude_each_other_the_newer_one_comes_first() -> None:
    contents = ("Ann lives in Oslo", "Ann lives in Bergen near the harbour")
    assert order(recalled("Where does Ann live?", *contents)) == ["m2", "m1"]
    assert order(recalled("Ann lives", *contents)) == ["m1", "m2"]
    assert order(recalled("Where did Ann live before?", *contents[::-1])) == ["m1", "m2"]


def test_a_memory_that_answers_less_is_not_put_first() -> None:
    contents = ("Ada drinks tea at noon every day", "Ada used to drink coffee")
    assert order(recalled("Does Ada drink coffee?", *contents)) == ["m2", "m1"]


def test_a_much_better_match_stays_before_a_newer_one() -> None:
    old, new = aged(
        "Ada drinks tea", "Ada drinks like a fish that was out of the water for a long summer in the desert"
    )
    better = msgspec.structs.replace(old, aliases=("favourite hot beverage",))
    question = "What favourite hot beverage does Ada drink now?"
    assert order(search(index_of([old, new]), question)) == ["m2", "m1"]
    assert order(search(index_of([better, new]), question)) == ["m1", "m2"]


@pytest.mark.parametrize("field", ["user_id", "project_id"])
def test_memories_of_different_owners_are_not_compared(field: str) -> None:
    (one,), (_, other) = aged("I live in Oslo with cats", **{field: "a"}), aged("", "I used to live", **{field: "b"})
    index = index_of([one, other])
    assert order(search(index, "Where do I live now?", of_memories(None))) == ["m2", "m1"]


def test_what_a_link_says_is_not_read() -> None:
    old, new = aged("Ada drinks green tea with milk", "Ada used to drink")
    rivals = {"m1": (("m2", True),), "m2": ()}
    index: Index = index_of(IndexedMemory(each, rivals=rivals[each.memory_id]) for each in (old, new))
    found = search(index, "What does Ada drink now?")
    assert order(found) == ["m2", "m1"]
    assert [match.behind for match in found] == [(), ()]


def test_chunks_of_documents_are_not_read() -> None:
    chunks = Index(salience_of, DOCUMENT_WEIGHTS)
    chunks.put(map(IndexedMemory, aged("Ada drinks green tea with milk", "Ada used to drink")))
    assert order(search(chunks, "What does Ada drink?")) == ["m2", "m1"]


def test_what_was_ended_is_not_before_what_is_older_and_still_so() -> None:
    tea, coffee, end = aged("Ada drinks tea", "Ada drinks coffee", "Ada no longer drinks coffee")
    index = index_of([tea, coffee, msgspec.structs.replace(end, importance=1.0)])
    assert order(search(index, "What does Ada drink now?")) == ["m1", "m3", "m2"]


@pytest.mark.parametrize("question", ["Who is the CEO of Initech now?", "Who is the CEO of Initech?"])
def test_who_is_something_comes_before_who_was_it(question: str) -> None:
    found = recalled(question, "Omar Haddad is the CEO of Initech", "Dana was the CEO of Initech")
    assert order(found) == ["m1", "m2"]
    assert found[1].why_behind == "of the past (was)"


def test_a_question_about_somebody_finds_what_is_said_of_them() -> None:
    contents = ("Omar is the CEO of Initech", "Dana was the CEO of Initech")
    assert order(recalled("Is Dana the CEO of Initech?", *contents)) == ["m2", "m1"]
    assert (
        order(recalled("Who works at the mill now?", "Dana works at the mill", "Omar works at the former mill"))[0]
        == "m1"
    )


def test_a_denial_is_no_newer_value() -> None:
    assert order(recalled("Was trinkt Ada jetzt?", "Ada trinkt Tee", "Ada trinkt keine Milch mit Zucker")) == [
        "m1",
        "m2",
    ]
    assert order(recalled("Was trinkt Ada jetzt?", "Ada trinkt Tee", "Ada trinkt eine Milch mit Zucker")) == [
        "m2",
        "m1",
    ]


def test_values_that_are_the_same_or_include_each_other_stay_in_their_order() -> None:
    assert recalled("What does Ada drink now?", "Ada drinks coffee", "Ada, my aunt, drinks coffee")[0].behind == ()
    contents = ("Ann lives in Germany", "Ann lives in Berlin near the old harbour of the town")
    assert order(recalled("Where does Ann live?", *contents)) == ["m1", "m2"]
    old, new = aged("Ada drinks coffee", "Ada drinks the coffee")
    old, new = msgspec.structs.replace(old, importance=1.0), msgspec.structs.replace(new, importance=0.0)
    assert order(search(index_of([old, new]), "What does Ada drink now?")) == ["m1", "m2"]


def test_no_reason_is_given_for_a_match_that_was_behind_by_its_score() -> None:
    found = recalled("What does Ada drink?", "Ada drinks tea", "Ada used to drink far too many cups of black coffee")
    assert order(found) == ["m1", "m2"]
    assert found[1].behind == ()
