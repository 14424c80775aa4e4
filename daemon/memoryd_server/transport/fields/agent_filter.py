"""Decoding of the patterns by which requests name several agents."""

from collections.abc import Sequence

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import FILTER_TERMS_MAX
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns, patterns_of


def agent_filter_of(field: str, patterns: Sequence[str]) -> AgentPatterns:
    """Return the agents that a field of a request names: all of them if it is empty. Raises InvalidField."""
    if len(patterns) > FILTER_TERMS_MAX:
        raise InvalidField(field, f"must be at most {FILTER_TERMS_MAX}")
    return patterns_of(field, patterns) if patterns else ALL_AGENTS
