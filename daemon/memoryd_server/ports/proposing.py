"""The proposing port: it finds what is worth a memory in what people state."""

from collections.abc import Sequence
from typing import Protocol

from memoryd_server.domain.memories.proposals.proposal import Proposal


class Proposer(Protocol):
    """Proposes memories of the messages of people."""

    @property
    def metadata_json(self) -> str:
        """The metadata by which the memories show who proposed them: a JSON object, empty for none."""
        ...

    async def propose(self, texts: Sequence[str]) -> Sequence[Sequence[Proposal]]:
        """Return the statements of each text of a conversation's messages, which are in their order.

        The result may be shorter than ``texts``, if those behind it are too much for one call; it has at least one
        element if ``texts`` has. Raises ProposerUnavailable, Overloaded: then no text was read.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...
