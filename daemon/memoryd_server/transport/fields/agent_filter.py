"""Decoding of the patterns by which requests name several agents."""

from collections.abc import Callable, Sequence

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import FILTER_TERMS_MAX
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns, patterns_of


def agent_filter_of(field: str, patterns: Sequence[str]) -> AgentPatterns:
    """Return the agents that a field of a request names: all of them if it is empty. Raises InvalidField."""
    if len(patterns) > FILTER_TERMS_MAX:
        raise InvalidField(field, f"must be at most {FILTER_TERMS_MAX}")
    return patterns_of(field, patterns) if patterns else ALL_AGENTS


def owner_filter_of(field: str, patterns: Sequence[str]) -> Callable[[str], bool]:
    """Return a predicate on the agent of a thing that the server keeps, such as a snapshot: true if a list includes it.

    An empty pattern stands for the things of all agents together, whose agent id is empty. Raises InvalidField.
    """
    named = agent_filter_of(field, [each for each in patterns if each])
    of_all = not patterns or "" in patterns
    of_one = not patterns or any(patterns)
    return lambda agent_id: of_one and named.matches(agent_id) if agent_id else of_all
