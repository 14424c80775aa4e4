import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.memories.classification import type_of
from memoryd_server.domain.memories.memory import MemoryType

SEMANTIC, EPISODIC, PROCEDURAL, WORKING = MemoryType

INDICATORS = {
    SEMANTIC: "is, are, uses, prefers, requires, the, always, never, has, contains, means",
    EPISODIC: "yesterday, last week, on, when we, that time, remember when, earlier, ago, back when, that day",
    PROCEDURAL: "to do, how to, steps to, run, execute, first, then, finally, in order to, to accomplish",
}


@pytest.mark.parametrize(
    ("indicator", "kind"), [(each, kind) for kind, listed in INDICATORS.items() for each in listed.split(", ")]
)
def test_each_indicator_of_the_specification_decides_its_type(indicator: str, kind: MemoryType) -> None:
    assert type_of(f"Foxes {indicator} hens") is kind
    assert type_of(f"{indicator.upper()}, foxes") is kind
    assert type_of(f"foxes {indicator}.") is kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("User prefers PostgreSQL", SEMANTIC),
        ("The project uses .NET 8", SEMANTIC),
        ("On Jan 15, we debugged the auth module", EPISODIC),
        ("To deploy, run 'make prod'", PROCEDURAL),
        ("Ann: I moved to Oslo two years ago", EPISODIC),
        ("First stop the server, then run the migration", PROCEDURAL),
        ("Remember when we met on that day?", EPISODIC),
        ("The sky is blue", SEMANTIC),
        ("Yesterday the build was red", EPISODIC),
        # The words of the specification do not decide these.
        ("The server runs on port 8080 here", EPISODIC),
        ("Open the settings, choose a theme", SEMANTIC),
    ],
)
def test_the_type_with_the_most_indicators_is_taken(content: str, kind: MemoryType) -> None:
    assert type_of(content) is kind


@pytest.mark.parametrize(
    "content", ["", "   ", "foxes", "ontology thesis prune", "\U0001f600", "\u732b\u304c\u597d\u304d"]
)
def test_a_content_without_an_indicator_is_a_fact(content: str) -> None:
    assert type_of(content) is SEMANTIC


@pytest.mark.parametrize(
    ("content", "kind"),
    [("the first", PROCEDURAL), ("yesterday is over", EPISODIC), ("then, yesterday", PROCEDURAL)],
)
def test_of_types_with_as_many_indicators_the_words_of_facts_count_least(content: str, kind: MemoryType) -> None:
    assert type_of(content) is kind


def test_an_indicator_counts_once_however_often_it_is_there() -> None:
    assert type_of("the the the the run, then stop") is PROCEDURAL


def test_only_the_beginning_of_a_long_content_is_looked_at() -> None:
    assert type_of("x" * 9_991 + " yesterday") is SEMANTIC
    assert type_of("x" * 9_990 + " yesterday") is EPISODIC
    for unit in ("\U0001f600", "to ", "remember ", "a.", " ", "\u0301"):
        assert type_of(unit * 1_000_000) is SEMANTIC


@given(st.text())
def test_any_text_has_a_type_of_its_own_accord(content: str) -> None:
    assert type_of(content) is not WORKING
