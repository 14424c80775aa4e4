"""The rights of a caller."""

from collections.abc import Hashable, Iterable

import msgspec

from memoryd_server.domain.values.agent_pattern import AgentPatterns, check_pattern
from memoryd_server.ports.auth import Verb

ALL_VERBS = frozenset(Verb)


class GrantRow(msgspec.Struct, frozen=True):
    """Some verbs for the agents that some patterns match."""

    agents: tuple[str, ...]
    verbs: frozenset[Verb] = ALL_VERBS


class Grant:
    """A caller, and what it may do with which agents. Implements ports.auth.Caller."""

    __slots__ = ("account", "agents", "is_unlimited", "name")

    def __init__(self, name: str, rows: Iterable[GrantRow], account: Hashable = None) -> None:
        """``account`` is the name by default. Raises ValueError for an invalid pattern."""
        rows = tuple(rows)
        self.name = name
        self.account = name if account is None else account
        by_verb: dict[Verb | None, AgentPatterns] = {verb: _agents(rows, {verb}) for verb in Verb}
        by_verb[None] = _agents(rows, ALL_VERBS)
        self.agents = by_verb.__getitem__
        self.is_unlimited = all(agents.is_all for agents in by_verb.values())


def _agents(rows: Iterable[GrantRow], verbs: Iterable[Verb]) -> AgentPatterns:
    return AgentPatterns.of(check_pattern(each) for row in rows if row.verbs & set(verbs) for each in row.agents)
