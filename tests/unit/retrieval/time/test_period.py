"""The effect of a time in the query on the order of memories."""

from datetime import UTC, datetime

import pytest
from tests.unit.retrieval.sample import index_of, memory, query
from tests.unit.retrieval.time.table import NOW, rows_of

from memoryd_server.domain.limit import DAY_NS
from memoryd_server.ports.retrieval import IndexedMemory, Match, MentionedTime
from memoryd_server.retrieval.index import Index
from memoryd_server.retrieval.time.phrase import time_phrases_in

AGES_DAYS = (0, 1, 2, 5, 10, 40, 100, 200, 400, 1_000, 4_000)
TEXT = "We swam in the lake."


def at(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 10**9


def search(index: Index, text: str) -> tuple[Match, ...]:
    return index.search(query(text, limit=20, now=NOW)).matches


def of_one_text(*times: int) -> Index:
    """Return an index of memories with one text. The older one is, the less it matters."""
    made = [
        memory(TEXT, number, occur_time=time, importance=1 - number / 20) for number, time in enumerate(times, start=1)
    ]
    return index_of(made)


@pytest.mark.parametrize("asked", sorted({row[0] for row in rows_of("english.txt") + rows_of("languages.txt")}))
def test_of_memories_with_one_text_those_of_the_named_time_are_first(asked: str) -> None:
    (named,) = time_phrases_in(asked, NOW)
    last = (named.end or NOW + DAY_NS) - 1
    first = last - DAY_NS if named.start is None else named.start
    ages = [NOW - age * DAY_NS for age in AGES_DAYS]
    before = [] if named.start is None else [time for time in (first - 1, *ages) if time < first]
    after = [] if named.end is None else [time for time in (last + 1, *ages) if time > last]
    outside = before + after
    matches = search(of_one_text(*outside, first, last), f"swim in the lake\n{asked}")
    assert [bool(match.time_phrase) for match in matches] == [True] * 2 + [False] * len(outside)


def test_a_memory_of_the_named_time_is_first_even_if_the_other_one_is_new_and_matters_more() -> None:
    text = "swim lake " * 9
    old, new = at("2024-05-05"), NOW
    index = index_of(
        [
            memory(text, 1, occur_time=old, importance=0.0),
            memory(text, 2, occur_time=new, importance=1.0),
            *(memory(f"filler {number}", number) for number in range(3, 60)),
        ]
    )
    assert [match.memory_id for match in search(index, "swim lake")] == ["m2", "m1"]
    assert [match.memory_id for match in search(index, "swim lake two years ago")] == ["m1", "m2"]


def test_all_memories_of_an_open_span_are_preferred() -> None:
    months = [at(f"2026-{month:02}-15") for month in range(1, 12)]
    matches = search(of_one_text(*months), "swimming in the lake since June")
    assert {match.memory_id for match in matches if match.time_phrase} == {f"m{month}" for month in range(6, 12)}


def test_a_memory_is_of_the_time_that_its_content_mentions_as_of_its_own() -> None:
    index = index_of(
        [
            memory("Two weeks ago we swam in the lake.", 1, occur_time=NOW),
            memory("On 2026-03-05 we swam in the lake.", 2, occur_time=NOW),
            memory("We swam in the lake.", 3, occur_time=NOW),
        ]
    )
    found = {phrase: search(index, f"swim in the lake {phrase}")[0] for phrase in ("November 9-15", "on March 5 2026")}
    assert [match.memory_id for match in found.values()] == ["m1", "m2"]
    assert [match.time_phrase for match in found.values()] == list(found)
    assert found["November 9-15"].mentioned_times == (
        MentionedTime("Two weeks ago", at("2026-11-09"), at("2026-11-16")),
    )
    own = [match for match in search(index, "swim in the lake today") if match.time_phrase]
    assert len(own) == 3


def test_the_words_of_a_date_find_a_content_with_that_date_in_digits() -> None:
    index = index_of([memory("Launch 2026-03-05", 1, occur_time=NOW), memory("Launch 2027-04-06", 2, occur_time=NOW)])
    for text, memory_id in (("march thursday", "m1"), ("april", "m2"), ("2027", "m2")):
        matches = [match for match in search(index, f"{text} rocket") if match.words]
        assert [match.memory_id for match in matches] == [memory_id]
    assert search(index, "march rocket")[0].context_words == ("march",)


def test_a_changed_memory_mentions_only_the_times_of_its_new_content_and_its_new_time() -> None:
    index = index_of([memory("We met last month.", 1, occur_time=NOW)])
    index.put([IndexedMemory(memory("We met last month.", 1, occur_time=at("2025-05-05")))])
    assert [time.start for time in search(index, "met")[0].mentioned_times] == [at("2025-04-01")]
    index.put([IndexedMemory(memory("We met.", 1, occur_time=at("2025-05-05")))])
    assert search(index, "met")[0].mentioned_times == ()
    assert not search(index, "in April 2025")[0].time_phrase
    index.put([IndexedMemory(memory("We met last month.", 1, occur_time=at("2025-05-05")))])
    index.remove(["m1"])
    assert not search(index, "in April 2025")
