"""The proposer without a model: rules on the form of sentences."""

from collections.abc import Sequence

from memoryd_server.domain.memories.proposals.proposal import Proposal
from memoryd_server.domain.memories.proposals.statement import statements_in
from memoryd_server.engine.agents.lane import TEXTS


class RuleProposer:
    """Implements ``ports.proposing.Proposer`` with the rules of the domain."""

    metadata_json = ""

    async def propose(self, texts: Sequence[str]) -> Sequence[Sequence[Proposal]]:
        """Return the statements of each text."""
        return await TEXTS.run(lambda: [statements_in(text) for text in texts])

    async def close(self) -> None:
        """Close nothing."""
