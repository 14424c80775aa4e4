"""The rights of a caller."""

from collections.abc import Iterable

from memoryd_server.domain.values.agent_pattern import AgentPatterns, check_pattern


class Grant:
    """A caller, and the agents that it may use. Implements ports.auth.Caller."""

    __slots__ = ("agents", "all_agents", "may_use", "name")

    def __init__(self, name: str, patterns: Iterable[str]) -> None:
        """Raises ValueError for an invalid pattern."""
        self.name = name
        self.agents = AgentPatterns.of(check_pattern(pattern) for pattern in patterns)
        self.all_agents = self.agents.is_all
        self.may_use = self.agents.matches
