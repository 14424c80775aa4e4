"""Of memories that contradict each other, the one that is in force at the time that is asked for comes first."""

from collections.abc import Sequence

import pytest
from tests.unit.record_filters import of_memories
from tests.unit.retrieval.sample import NOW, index_of, memory, moment, query

from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.ports.retrieval import IndexedMemory, Match
from memoryd_server.retrieval.index import Index

ACME, GLOBEX, INITECH = 1, 2, 3
"""The numbers of the memories of Bob's employers, the oldest first."""

YEARS = {ACME: 2017, GLOBEX: 2019, INITECH: 2021}


def employed(number: int, **fields: object) -> Memory:
    company = {ACME: "Acme", GLOBEX: "Globex", INITECH: "Initech"}[number]
    return memory(f"Bob works for {company}", number, **{"occur_time": moment(YEARS[number], 5, 17), **fields})


def contradicting(*memories: Memory, superseded: Sequence[tuple[str, str]] = ()) -> Index:
    """Return an index of memories that contradict each other. ``superseded`` has ids with those that supersede them."""
    return index_of(
        IndexedMemory(
            each,
            rivals=tuple(
                (other.memory_id, (each.memory_id, other.memory_id) in superseded)
                for other in memories
                if other is not each and (other.memory_id, each.memory_id) not in superseded
            ),
        )
        for each in memories
    )


def asked(index: Index, text: str = "Who does Bob work for?", **fields: object) -> Sequence[Match]:
    return index.search(query(text, **fields)).matches


def order(matches: Sequence[Match]) -> list[str]:
    return [match.memory_id for match in matches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who does Bob work for?", ["m3", "m2", "m1"]),
        ("Bob works for Acme", ["m3", "m2", "m1"]),
        ("Who did Bob work for in 2017?", ["m1", "m3", "m2"]),
        ("Who did Bob work for in May 2018?", ["m1", "m3", "m2"]),
        ("Who did Bob work for in May 2020?", ["m2", "m1", "m3"]),
        ("Who did Bob work for before?", ["m2", "m1", "m3"]),
        ("Who did Bob work for before Globex?", ["m1", "m2", "m3"]),
        ("Where was Bob before he worked for Initech?", ["m2", "m1", "m3"]),
        ("Who was Bob's former employer? Acme or Globex?", ["m2", "m1", "m3"]),
    ],
)
def test_the_question_says_which_of_three_comes_first(text: str, expected: list[str]) -> None:
    index = contradicting(*map(employed, YEARS))
    found = asked(index, text)
    assert order(found) == expected
    scores = [match.score for match in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


@pytest.mark.parametrize("numbers", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_the_newest_is_first_in_whatever_order_they_were_put(numbers: Sequence[int]) -> None:
    found = asked(contradicting(*map(employed, numbers)), "Bob Acme Globex")
    assert order(found) == ["m3", "m2", "m1"]
    assert [match.contradicted_by for match in found] == [(), ("m3",), ("m3", "m2")]


def test_rows_that_contradict_each_other_exchange_their_scores() -> None:
    alone = asked(index_of(map(employed, YEARS)), "Bob works for Acme")
    found = asked(contradicting(*map(employed, YEARS)), "Bob works for Acme")
    assert (order(alone)[0], order(found)[0]) == ("m1", "m3")
    assert found[0].score == alone[0].score


def test_other_matches_keep_their_scores_and_places() -> None:
    other = memory("Bob works for Acme on Mondays", 9)
    alone = {match.memory_id: match.score for match in asked(index_of([*map(employed, YEARS), other]))}
    index = contradicting(*map(employed, YEARS))
    index.put([IndexedMemory(other)])
    assert {match.memory_id: match.score for match in asked(index)}["m9"] == alone["m9"]


def test_of_the_same_time_the_one_created_later_is_newer() -> None:
    earlier, later = (
        employed(ACME, occur_time=NOW, sequence=2),
        employed(GLOBEX, occur_time=NOW, create_time=NOW + 1, sequence=1),
    )
    assert order(asked(contradicting(earlier, later))) == ["m2", "m1"]


def test_what_supersedes_is_newer_whatever_the_times() -> None:
    index = contradicting(employed(ACME), employed(GLOBEX), superseded=[("m2", "m1")])
    found = asked(index)
    assert order(found) == ["m1", "m2"]
    assert [match.contradicted_by for match in found] == [(), ("m1",)]


def test_a_circle_of_rivals_is_no_trouble() -> None:
    index = contradicting(*map(employed, YEARS), superseded=[("m3", "m1")])
    assert sorted(order(asked(index))) == ["m1", "m2", "m3"]


def test_what_begins_later_is_not_in_force_yet() -> None:
    index = contradicting(employed(ACME), employed(GLOBEX, occur_time=moment(2023, 6, 1)))
    found = asked(index)
    assert order(found) == ["m1", "m2"]
    assert [match.contradicted_by for match in found] == [(), ("m1",)]
    assert order(asked(index, "Who will Bob work for in June 2023?")) == ["m2", "m1"]
    assert order(asked(index, "Who did Bob work for before?")) == ["m1", "m2"]
    soon = contradicting(employed(ACME), employed(GLOBEX, occur_time=NOW + 3_600 * 10**9))
    assert order(asked(soon)) == ["m2", "m1"]


def test_a_chain_of_any_length_has_the_newest_first() -> None:
    count = 2_000
    chain = [
        IndexedMemory(
            memory("Bob weighs much", number, occur_time=NOW - (count - number) * 10**9),
            rivals=tuple((f"m{other}", False) for other in (number - 1, number + 1)),
        )
        for number in range(1, count + 1)
    ]
    found = asked(index_of(chain), "Bob", limit=count)
    assert order(found) == [f"m{number}" for number in range(count, 0, -1)]


@pytest.mark.parametrize(
    "hidden",
    [
        {"status": MemoryStatus.ARCHIVED},
        {"status": MemoryStatus.SUPERSEDED},
        {"expire_time": NOW},
        {"user_id": "other"},
    ],
)
def test_only_an_active_memory_that_the_caller_may_see_contradicts(hidden: dict[str, object]) -> None:
    index = contradicting(employed(ACME, user_id="u"), employed(GLOBEX, **{"user_id": "u", **hidden}))
    found = asked(index, "Bob works for Acme", criteria=of_memories(user_id="u"))
    assert order(found)[0] == "m1"
    assert found[0].contradicted_by == ()


def test_a_memory_that_is_no_match_still_contradicts() -> None:
    index = contradicting(memory("Bob is at Acme", 1), memory("Globex pays him", 2))
    (found,) = asked(index, "Acme", follow_links=False)
    assert (found.memory_id, found.contradicted_by) == ("m1", ("m2",))


def test_a_removed_or_replaced_memory_contradicts_no_more() -> None:
    index = contradicting(employed(ACME), employed(GLOBEX))
    index.put([IndexedMemory(employed(ACME))])
    assert [match.contradicted_by for match in asked(index)] == [(), ()]
    index = contradicting(employed(ACME), employed(GLOBEX))
    index.remove(["m2"])
    assert [match.contradicted_by for match in asked(index)] == [()]
