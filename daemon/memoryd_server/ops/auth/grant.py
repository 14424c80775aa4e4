"""The rights of a caller."""

from collections.abc import Iterable, Sequence

import msgspec

from memoryd_server.domain.values.agent_pattern import NO_AGENTS, AgentPatterns, check_pattern
from memoryd_server.ops.auth.rate import Rate
from memoryd_server.ports.auth import Verb

ALL_VERBS = frozenset(Verb)


class GrantRow(msgspec.Struct, frozen=True):
    """Some verbs for the agents that some patterns match."""

    agents: tuple[str, ...]
    verbs: frozenset[Verb] = ALL_VERBS

    @classmethod
    def of(cls, agents: Iterable[str], verbs: Iterable[Verb]) -> "GrantRow":
        """Return a row of the policy file. No verbs stand for all. Raises ValueError for an invalid pattern."""
        return cls(tuple(check_pattern(pattern) for pattern in agents), frozenset(verbs) or ALL_VERBS)

    @property
    def names(self) -> list[str]:
        """The names of the verbs, in the order of their definition."""
        return [verb.value for verb in Verb if verb in self.verbs]


class Account:
    """The holder of a share of the places and calls: all tokens of one name have one."""

    __slots__ = ("__weakref__", "name", "rate")

    def __init__(self, name: str, calls_per_second: float | None = None) -> None:
        self.name = name
        self.rate = None if calls_per_second is None else Rate(calls_per_second)


class Grant:
    """A caller, and what it may do with which agents. Implements ports.auth.Caller.

    The rights change while calls of it are in progress: ``become``, ``end``.
    """

    __slots__ = ("account", "agents", "is_unlimited", "is_used", "is_valid", "rate", "tier")

    def __init__(self, account: Account, rows: Sequence[GrantRow], tier: str = "") -> None:
        self.is_used = False
        self.become(account, rows, tier)

    @property
    def name(self) -> str:
        """The name of the token or certificate."""
        return self.account.name

    def become(self, account: Account, rows: Sequence[GrantRow], tier: str = "") -> None:
        """Take other rights, and another tier, from now on."""
        by_verb: dict[Verb | None, AgentPatterns] = {verb: _agents(rows, {verb}) for verb in Verb}
        by_verb[None] = _agents(rows, ALL_VERBS)
        self.account = account
        self.rate = account.rate
        self.tier = tier
        self.agents = by_verb.__getitem__
        self.is_unlimited = all(agents.is_all for agents in by_verb.values())
        self.is_valid = True

    def end(self) -> None:
        """Lose all rights for good: the token was revoked, or has expired."""
        self.agents = _none
        self.is_unlimited = self.is_valid = False


def _agents(rows: Iterable[GrantRow], verbs: Iterable[Verb]) -> AgentPatterns:
    return AgentPatterns.of(pattern for row in rows if not row.verbs.isdisjoint(verbs) for pattern in row.agents)


def _none(_verb: Verb | None) -> AgentPatterns:
    return NO_AGENTS
