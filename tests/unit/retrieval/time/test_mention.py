"""The times that contents mention, relative to the memory's own time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.sample import memory
from tests.unit.retrieval.time.table import NOW, day, lines_of, rows_of

from memoryd_server.ports.retrieval import IndexedMemory
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.time.mention import MENTIONS_MAX, Mention, mentions_in
from memoryd_server.retrieval.time.mention_table import MentionTable
from memoryd_server.retrieval.time.text import READ_CHARACTERS_MAX


@pytest.mark.parametrize(("content", "phrase", "start", "end"), rows_of("content.txt"))
def test_a_content_mentions_a_time(content: str, phrase: str, start: str, end: str) -> None:
    found = [(content[each.first : each.last], day(each.start), day(each.end)) for each in mentions_in(content, NOW)]
    assert found == [(phrase, start, end)]


@pytest.mark.parametrize("content", lines_of("none.txt"))
def test_a_content_that_names_no_time_mentions_none(content: str) -> None:
    assert mentions_in(content, NOW) == []


@pytest.mark.parametrize(
    "content",
    [
        "I am tired today",
        "this week we painted",
        "in November 2026 it rained",
        "lately he has been ill",
        "since June she has run",
        "before 2019 we lived there",
        "in the last two weeks I slept",
        "Lunch with Ana on Friday",
        "a trip in May",
    ],
)
def test_a_time_that_is_open_or_unsure_or_the_memorys_own_is_no_mention(content: str) -> None:
    assert mentions_in(content, NOW) == []


def test_the_first_mentions_of_a_long_content_are_kept() -> None:
    content = " ".join(f"It rained on 2024-05-{day:02}." for day in range(1, 29))
    assert [day(each.start) for each in mentions_in(content, NOW)] == [
        f"2024-05-{number:02}" for number in range(1, MENTIONS_MAX + 1)
    ]


def test_only_the_beginning_of_a_content_is_read() -> None:
    filler, date = "word " * (READ_CHARACTERS_MAX // 5), "2024-05-05"
    assert mentions_in(filler[len(date) :] + date, NOW)
    assert not mentions_in(filler + date, NOW)


def test_a_removed_memory_mentions_nothing() -> None:
    holdings = Holdings()
    holdings.put([IndexedMemory(memory("We met on 2024-05-05."))])
    row = holdings.table.rows["m1"]
    assert list(holdings.calendar.mentions.at(row))
    holdings.remove("m1")
    assert not list(holdings.calendar.mentions.at(row))


def test_a_mention_is_within_a_span_if_half_of_it_is() -> None:
    table = MentionTable()
    table.set(1, [Mention(10, 20, 0, 1)])
    spans = [(10, 20), (0, 15), (0, 14), (15, 30), (16, 30), (None, 15), (15, None), (None, None), (12, 17), (12, 16)]
    assert [table.rows_within(*span).tolist() == [1] for span in spans] == [
        True,
        True,
        False,
        True,
        False,
        True,
        True,
        True,
        True,
        False,
    ]


mentions = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), max_size=3)
changes = st.lists(st.tuples(st.integers(1, 6), mentions), max_size=12)


@given(changes, st.integers(0, 100), st.integers(1, 50))
def test_the_table_has_the_last_mentions_of_every_row(changes: list, start: int, length: int) -> None:  # type: ignore[type-arg]
    table, expected = MentionTable(), {}
    for row, spans in changes:
        made = [Mention(begin, begin + size, number, number + 1) for number, (begin, size) in enumerate(spans)]
        table.set(row, made)
        expected[row] = made
    assert {row: list(table.at(row)) for row in expected} == expected
    end = start + length
    within = {
        row
        for row, made in expected.items()
        if any(2 * (min(each.end, end) - max(each.start, start)) >= each.end - each.start for each in made)
    }
    assert set(table.rows_within(start, end).tolist()) == within
