import pytest

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import FILTER_TERMS_MAX
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.transport.fields.agent_filter import agent_filter_of, owner_filter_of


def test_without_patterns_all_agents_are_named() -> None:
    assert agent_filter_of("agent_ids", []) == ALL_AGENTS
    assert agent_filter_of("agent_ids", ["a", "team-*"]) == AgentPatterns.of(["a", "team-*"])


@pytest.mark.parametrize("patterns", [[f"agent-{number}" for number in range(FILTER_TERMS_MAX + 1)], ["a*b"], [" "]])
def test_too_many_patterns_and_bad_ones_are_refused_with_their_field(patterns: list[str]) -> None:
    for read in (agent_filter_of, owner_filter_of):
        with pytest.raises(InvalidField) as refused:
            read("agent_ids", patterns)
        assert refused.value.field == "agent_ids"


@pytest.mark.parametrize(
    ("patterns", "of_all", "of_a", "of_b"),
    [
        ([], True, True, True),
        (["a"], False, True, False),
        (["", "a"], True, True, False),
        ([""], True, False, False),
        (["*"], False, True, True),
    ],
)
def test_an_empty_pattern_names_what_is_of_all_agents_together(
    patterns: list[str], of_all: bool, of_a: bool, of_b: bool
) -> None:
    wanted = owner_filter_of("agent_ids", patterns)
    assert [wanted(agent_id) for agent_id in ("", "a", "b")] == [of_all, of_a, of_b]
