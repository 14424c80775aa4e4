"""The authentication port: who calls, and which agents they may use."""

from collections.abc import Sequence
from typing import Protocol


class Caller(Protocol):
    """Whoever made a call."""

    @property
    def name(self) -> str:
        """Names the caller in logs; never a secret."""

    @property
    def all_agents(self) -> bool:
        """Whether the caller may use every agent, also those that do not exist yet."""

    def may_use(self, agent_id: str) -> bool:
        """Whether the caller may use this agent."""


class Authenticator(Protocol):
    """Tells who calls. Asked on every call, so it neither waits nor reads a file."""

    def authenticate(self, authorization: str | None, peer_identities: Sequence[str]) -> Caller:
        """Answer the caller.

        ``authorization`` is the call's metadata of that name, ``peer_identities`` are the subject alternative names and
        the common name of the client certificate that the transport verified; empty without one.

        Raises domain.error.Unauthenticated when neither names a caller that is known.
        """
