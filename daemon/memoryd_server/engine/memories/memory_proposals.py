"""The review queue: proposals of memories, which are compared with the memories when they are accepted."""

from collections.abc import Sequence

from memoryd_server.domain.memories.changes.proposal_change import AcceptProposals
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL, MemoryProposal
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.memories.long_term_memories import LongTermMemories


class MemoryProposals:
    """The proposals of all agents."""

    def __init__(self, agents: AgentCache, memories: LongTermMemories, clock: Clock) -> None:
        self._agents = agents
        self._memories = memories
        self._clock = clock

    async def accept_command(self, agent_id: str, proposal_ids: tuple[str, ...]) -> AcceptProposals:
        """Return the command that accepts proposals, with the duplicates and contradictions of their memories.

        Proposals that do not exist are left for the command to refuse: its request may be repeated, and done.
        """
        found = [each for each in await self.found(agent_id, proposal_ids) if each is not None]
        policy, first_id = self._memories.policy, new_id()
        working_expire_time = self._clock() + policy.working_ns
        drafts = [each.draft(working_expire_time) for each in found]
        complete = await self._memories.completed(agent_id, drafts, first_id) if len(found) == len(proposal_ids) else ()
        prepared = {each.memory_proposal_id: draft for each, draft in zip(found, complete, strict=False)}
        return AcceptProposals(proposal_ids, prepared, first_id, policy)

    async def found(self, agent_id: str, proposal_ids: Sequence[str]) -> list[MemoryProposal | None]:
        """Return the proposals with these ids, in their order: None for each that does not exist."""
        proposals = (await self._agents.current(agent_id)).state.part(MEMORY_PROPOSAL)
        return [proposals.find("", each) for each in proposal_ids]
