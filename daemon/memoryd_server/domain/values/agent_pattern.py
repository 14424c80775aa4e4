"""Patterns of agents: the one language in which tokens, filters and lists name several agents.

A pattern is an agent's id, a prefix followed by ``*``, or ``*`` for all agents. An agent's id has no ``*``.
"""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX

WILDCARD = "*"


class AgentPatterns(msgspec.Struct, frozen=True):
    """The agents that any of some patterns matches. ``of`` makes it, without patterns that another one covers.

    ``prefixes`` are in the order of their texts; the empty one matches all agents.
    """

    ids: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "AgentPatterns":
        """Return what these valid patterns match together."""
        ids: set[str] = set()
        prefixes: set[str] = set()
        for pattern in patterns:
            (prefixes if pattern.endswith(WILDCARD) else ids).add(pattern.removesuffix(WILDCARD))
        kept: list[str] = []
        # A prefix comes before all texts that begin with it, and those follow it without others between them.
        for prefix in sorted(prefixes):
            if not kept or not prefix.startswith(kept[-1]):
                kept.append(prefix)
        found = tuple(kept)
        return cls(frozenset(each for each in ids if not each.startswith(found)), found)

    @property
    def is_all(self) -> bool:
        """True if every agent matches."""
        return self.prefixes == ("",)

    @property
    def one_agent(self) -> str | None:
        """The only agent that matches, if the patterns are one id; None otherwise."""
        return next(iter(self.ids)) if len(self.ids) == 1 and not self.prefixes else None

    @property
    def patterns(self) -> list[str]:
        """The patterns, in the order of their texts."""
        return sorted([*self.ids, *(prefix + WILDCARD for prefix in self.prefixes)])

    def matches(self, agent_id: str) -> bool:
        """Return True if the agent matches a pattern."""
        return agent_id in self.ids or agent_id.startswith(self.prefixes)

    def uncovered(self, others: "AgentPatterns") -> str | None:
        """Return a pattern of ``others`` that matches agents which none of these patterns does; None if there is none.

        Whether several of these patterns cover it together is not considered: ids never cover a prefix.
        """
        for pattern in others.patterns:
            if not pattern.removesuffix(WILDCARD).startswith(self.prefixes) and pattern not in self.ids:
                return pattern
        return None

    def shared_with(self, others: "AgentPatterns") -> "AgentPatterns":
        """Return what matches both these patterns and the others."""
        ids = {each for each in self.ids if others.matches(each)} | {each for each in others.ids if self.matches(each)}
        prefixes = {each for each in self.prefixes if each.startswith(others.prefixes)}
        prefixes |= {each for each in others.prefixes if each.startswith(self.prefixes)}
        return AgentPatterns(frozenset(ids), tuple(sorted(prefixes)))


ALL_AGENTS = AgentPatterns(prefixes=("",))
NO_AGENTS = AgentPatterns()


def check_pattern(pattern: str) -> str:
    """Return a valid pattern. Raises ValueError."""
    if not pattern or not pattern.isprintable() or len(pattern.encode()) > AGENT_ID_BYTES_MAX:
        raise ValueError(f"{pattern!r} is neither an agent's id nor a prefix such as team-*")
    if WILDCARD in pattern[:-1]:
        raise ValueError(f"{pattern!r} contains * before its end")
    return pattern


def patterns_of(field: str, patterns: Iterable[str]) -> AgentPatterns:
    """Return what patterns in a field of a request match. Raises InvalidField."""
    checked = {validation.text(field, pattern, AGENT_ID_BYTES_MAX) for pattern in patterns}
    if any(WILDCARD in pattern[:-1] for pattern in checked):
        raise InvalidField(field, "must not have * before the end of a pattern")
    return AgentPatterns.of(checked)
