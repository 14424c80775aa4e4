"""The time phrases of queries, from tables that are read without the code."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.time.table import NOW, day, lines_of, rows_of

from memoryd_server.domain.limit import QUERY_BYTES_MAX
from memoryd_server.retrieval.time.phrase import PHRASES_MAX, time_phrases_in
from memoryd_server.retrieval.time.text import STARTS_MAX


def named(query: str) -> list[tuple[str, str, str]]:
    return [(phrase.text, day(phrase.start), day(phrase.end)) for phrase in time_phrases_in(query, NOW)]


@pytest.mark.parametrize(("query", "phrase", "start", "end"), rows_of("english.txt") + rows_of("languages.txt"))
def test_a_phrase_names_a_time(query: str, phrase: str, start: str, end: str) -> None:
    assert named(query) == [(phrase, start, end)]


@pytest.mark.parametrize("query", lines_of("none.txt"))
def test_a_query_that_names_no_time_has_no_phrase(query: str) -> None:
    assert named(query) == []


def test_every_phrase_of_a_query_is_found_but_vague_ones_yield_to_others() -> None:
    assert [text for text, _, _ in named("what did she say last week about 5 May 2023?")] == ["last week", "5 May 2023"]
    assert [text for text, _, _ in named("which film did he recently see on October 6, 2022")] == ["on October 6, 2022"]
    assert len(named(" ".join(f"on 2024-05-{number:02}," for number in range(10, 29)))) == PHRASES_MAX


def test_words_that_a_text_of_that_time_may_have_are_named() -> None:
    queries = ["two weeks ago", "3 days ago", "last Friday", "on May 3, 2023", "last summer", "since 2019"]
    assert [time_phrases_in(query, NOW)[0].names for query in queries] == [
        (),
        (),
        ("friday",),
        ("may", "3", "2023"),
        ("summer",),
        ("2019",),
    ]


def test_a_time_is_looked_for_at_a_limited_number_of_places_of_a_sentence() -> None:
    assert named("7 - " * (STARTS_MAX // 2) + "met yesterday")
    assert not named("7 - " * STARTS_MAX + "met yesterday")


PARTS = """
0 1 2 5th 31 90s q3 999 2024 9999 2024-02-30 2024-02-29 5/3/2024 last this next past on in at the a of and or to from
since until before after between by may february monday day days week month year years weekend quarter century summer
christmas ago half second early end yesterday recently more than over will did am morgen vor seit bis il y a hace los
últimos dernier fa 上 周 月 年 日 前 去年 5月 3日 以来 から , . - / ' ? s
"""
texts = st.one_of(
    st.lists(st.sampled_from(PARTS.split()), max_size=9).map(" ".join),
    st.lists(st.sampled_from(PARTS.split()), max_size=6).map("".join),
    st.text(max_size=60),
)


@given(texts, st.integers(-(2**63), 2**63 - 1))
def test_a_time_ends_after_it_begins_and_its_phrase_is_in_the_query_at_any_time(query: str, now: int) -> None:
    phrases = time_phrases_in(query, now)
    place = 0
    for phrase in phrases:
        place = query.index(phrase.text, place) + len(phrase.text)
        assert phrase.text.strip()
        assert phrase.start is not None or phrase.end is not None
        assert phrase.start is None or phrase.end is None or phrase.start < phrase.end


def calls_for(query: str) -> int:
    """Return the number of calls of functions in which a query is read."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        time_phrases_in(query, NOW)
    finally:
        sys.setprofile(None)
    return calls


HOSTILE = ("a year and ", "in the ", "last ", "may 3 - ", "1-", "2024-", "end of ", "from may to ", "9", "上", "\u0301")


@pytest.mark.parametrize("part", HOSTILE)
def test_the_cost_of_a_query_grows_no_faster_than_its_length(part: str) -> None:
    short, long = (part * QUERY_BYTES_MAX)[: QUERY_BYTES_MAX // 8], (part * QUERY_BYTES_MAX)[:QUERY_BYTES_MAX]
    assert calls_for(long) < 12 * calls_for(short) + 1_000
