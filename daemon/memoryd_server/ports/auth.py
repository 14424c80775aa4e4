"""The authentication port: it identifies callers, and limits the agents that each may use, and what for."""

import enum
from collections.abc import Hashable, Sequence
from typing import Protocol

from memoryd_server.domain.values.agent_pattern import AgentPatterns


class Verb(enum.Enum):
    """The kinds of what a call does to an agent's memory. ``MethodVerb`` in method_policy.proto defines each."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    WATCH = "watch"
    SNAPSHOT = "snapshot"
    ADMIN = "admin"


class Rate(Protocol):
    """The rate at which a caller may make calls."""

    def take(self) -> None:
        """Count a call. Raises domain.error.Overloaded if it is one too many."""


class Caller(Protocol):
    """The authenticated client that made a call. Its rights may change while the call is in progress."""

    @property
    def name(self) -> str:
        """The caller's name in logs; never a secret."""

    @property
    def account(self) -> Hashable:
        """The holder of the share of places that the caller takes: all tokens of one name have it in common."""

    @property
    def is_unlimited(self) -> bool:
        """True if the caller has all verbs for every agent, including those that do not exist yet."""

    @property
    def is_valid(self) -> bool:
        """False once the caller's token or certificate was revoked, or has expired. Then it stays so."""

    @property
    def rate(self) -> Rate | None:
        """Counts the caller's calls; None if it may make as many as it likes."""

    @property
    def tier(self) -> str:
        """The tier of agents that calls of the caller create; empty for none."""

    def agents(self, verb: Verb | None) -> AgentPatterns:
        """Return the agents for which the caller has this verb; for None, those for which it has any."""


class Authenticator(Protocol):
    """Identifies callers. It is used on every call, so it neither blocks nor reads a file."""

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the caller.

        ``authorization`` is the call's metadata of that name, ``peer_identities`` are the subject alternative names and
        the common name of the client certificate that the transport verified; empty without one.

        Raises domain.error.Unauthenticated if neither identifies a known caller.
        """
