from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.retrieval.sample import NOW

from memoryd_server.retrieval.time_phrase import TimePhrase, time_phrase_in


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


@pytest.mark.parametrize(
    ("query", "phrase", "start", "end"),
    [
        ("what was yesterday?", "yesterday", "2023-05-16", "2023-05-17"),
        ("Last night", "last night", "2023-05-16", "2023-05-17"),
        ("today", "today", "2023-05-17", "2023-05-18"),
        ("the plan for tomorrow", "tomorrow", "2023-05-18", "2023-05-19"),
        ("last week", "last week", "2023-05-08", "2023-05-15"),
        ("last weekend", "last weekend", "2023-05-13", "2023-05-15"),
        ("this month", "this month", "2023-05-01", "2023-06-01"),
        ("next year", "next year", "2024-01-01", "2025-01-01"),
        ("two months ago", "two months ago", "2023-03-01", "2023-04-01"),
        ("5 months ago", "5 months ago", "2022-12-01", "2023-01-01"),
        ("a couple of weeks ago", "a couple of weeks ago", "2023-05-01", "2023-05-08"),
        ("3 days ago", "3 days ago", "2023-05-14", "2023-05-15"),
        ("on Wednesday", "on wednesday", "2023-05-10", "2023-05-11"),
        ("last monday", "last monday", "2023-05-15", "2023-05-16"),
        ("on 8 May", "8 may", "2023-05-08", "2023-05-09"),
        ("the 18th of May", "18th of may", "2022-05-18", "2022-05-19"),
        ("on May 8th, 2021", "may 8th, 2021", "2021-05-08", "2021-05-09"),
        ("at 2023-02-03", "2023-02-03", "2023-02-03", "2023-02-04"),
        ("in May 2023", "may 2023", "2023-05-01", "2023-06-01"),
        ("in December", "in december", "2022-12-01", "2023-01-01"),
        ("in May 2021", "may 2021", "2021-05-01", "2021-06-01"),
        ("last May", "last may", "2023-05-01", "2023-06-01"),
        ("in 2022", "in 2022", "2022-01-01", "2023-01-01"),
        ("31 February or in 2022", "in 2022", "2022-01-01", "2023-01-01"),
    ],
)
def test_a_phrase_names_a_time(query: str, phrase: str, start: str, end: str) -> None:
    assert time_phrase_in(query, NOW) == TimePhrase(phrase, at(start), at(end))


@pytest.mark.parametrize(
    "query", ["", "it may rain", "march on", "the last one", "2022 dogs", "9999 years ago", "weeks ago"]
)
def test_a_query_without_a_time_has_no_phrase(query: str) -> None:
    assert time_phrase_in(query, NOW) is None


PARTS = "0 1 31 999 9999 last next on in a may february monday day week month year s ago st , of -"
words = st.sampled_from(PARTS.split())


@given(st.lists(words, max_size=6).map(" ".join), st.integers(-(2**63), 2**63 - 1))
def test_a_time_ends_after_it_begins_for_any_query_at_any_time(query: str, now: int) -> None:
    phrase = time_phrase_in(query, now)
    assert phrase is None or (phrase.start < phrase.end and phrase.text in query)
