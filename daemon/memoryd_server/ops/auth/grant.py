"""The rights of a caller."""

from collections.abc import Iterable

from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX


def check_pattern(pattern: str) -> str:
    """Return a valid pattern of agent ids: an id, a prefix that ends with ``*``, or ``*``. Raises ValueError."""
    if not pattern or not pattern.isprintable() or len(pattern.encode()) > AGENT_ID_BYTES_MAX:
        raise ValueError(f"{pattern!r} is neither an agent's id nor a prefix such as team-*")
    if "*" in pattern[:-1]:
        raise ValueError(f"{pattern!r} contains * before its end")
    return pattern


class Grant:
    """A caller, and the agents that it may use. Implements ports.auth.Caller."""

    __slots__ = ("_agent_ids", "_prefixes", "all_agents", "name")

    def __init__(self, name: str, patterns: Iterable[str]) -> None:
        agents = [check_pattern(pattern) for pattern in patterns]
        self.name = name
        self.all_agents = "*" in agents
        self._agent_ids = frozenset(pattern for pattern in agents if not pattern.endswith("*"))
        self._prefixes = tuple(pattern[:-1] for pattern in agents if pattern.endswith("*"))

    def may_use(self, agent_id: str) -> bool:
        """Return True if the caller may use the agent."""
        return agent_id in self._agent_ids or agent_id.startswith(self._prefixes)
