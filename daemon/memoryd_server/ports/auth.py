"""The authentication port: it identifies callers, and limits the agents that each may use."""

from collections.abc import Sequence
from typing import Protocol

from memoryd_server.domain.values.agent_pattern import AgentPatterns


class Caller(Protocol):
    """The authenticated client that made a call."""

    @property
    def name(self) -> str:
        """The caller's name in logs; never a secret."""

    @property
    def agents(self) -> AgentPatterns:
        """The agents that the caller may use."""

    @property
    def all_agents(self) -> bool:
        """True if the caller may use every agent, including those that do not exist yet."""

    def may_use(self, agent_id: str) -> bool:
        """Return True if the caller may use this agent."""


class Authenticator(Protocol):
    """Identifies callers. It is used on every call, so it neither blocks nor reads a file."""

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Return the caller.

        ``authorization`` is the call's metadata of that name, ``peer_identities`` are the subject alternative names and
        the common name of the client certificate that the transport verified; empty without one.

        Raises domain.error.Unauthenticated if neither identifies a known caller.
        """
