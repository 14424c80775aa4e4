import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX
from memoryd_server.domain.values.agent_pattern import (
    ALL_AGENTS,
    NO_AGENTS,
    AgentPatterns,
    check_pattern,
    patterns_of,
)

IDS = st.text("ab", max_size=4)
PATTERNS = st.one_of(IDS, IDS.map(lambda each: f"{each}*"))


def literally(pattern: str, agent_id: str) -> bool:
    return agent_id.startswith(pattern[:-1]) if pattern.endswith("*") else agent_id == pattern


@given(st.lists(PATTERNS), st.lists(PATTERNS), IDS)
def test_patterns_match_what_each_of_them_matches(some: list[str], others: list[str], agent_id: str) -> None:
    first, second = AgentPatterns.of(some), AgentPatterns.of(others)
    matched = any(literally(each, agent_id) for each in some)
    also = any(literally(each, agent_id) for each in others)
    assert first.matches(agent_id) is matched
    assert first.shared_with(second).matches(agent_id) is (matched and also)
    assert AgentPatterns.of(first.patterns) == first
    assert sum(literally(each, agent_id) for each in first.patterns) == matched
    if first.uncovered(second) is None:
        assert matched or not also
    elif first == ALL_AGENTS:
        pytest.fail("all agents cover every pattern")


def test_patterns_cover_ids_and_longer_prefixes() -> None:
    granted = AgentPatterns.of(["a", "support-*"])
    assert granted.uncovered(AgentPatterns.of(["a", "support-*", "support-a*", "support-1", "support-"])) is None
    for pattern in ("*", "support*", "a*", "b"):
        assert granted.uncovered(AgentPatterns.of([pattern, "a"])) == pattern
    assert ALL_AGENTS.uncovered(ALL_AGENTS) is None
    assert NO_AGENTS.uncovered(ALL_AGENTS) == "*"


def test_only_one_id_names_one_agent() -> None:
    assert AgentPatterns.of(["a", "a"]).one_agent == "a"
    for patterns in ([], ["a", "b"], ["a*"], ["a", "b*"], ["*"]):
        assert AgentPatterns.of(patterns).one_agent is None
    assert [AgentPatterns.of(each).is_all for each in (["*", "a", "b*"], ["a*"], [])] == [True, False, False]


@pytest.mark.parametrize("pattern", ["", "a*b", "**", "*a", "a\n", "a" * (AGENT_ID_BYTES_MAX + 1)])
def test_an_invalid_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"contains|neither"):
        check_pattern(pattern)
    with pytest.raises(InvalidField, match="agent_ids"):
        patterns_of("agent_ids", [pattern])


def test_a_valid_pattern_is_kept() -> None:
    for pattern in ("*", "a*", "a", "team/ä*"):
        assert check_pattern(pattern) == pattern
        assert patterns_of("agent_ids", [pattern]).patterns == [pattern]
