"""Embedding of memories again: those that have no vector of the server's embedder get one."""

import logging
from collections.abc import Sequence
from typing import cast

import msgspec

from memoryd_server.domain.agent.precondition import check_agent
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.changes.embedding_change import FinishReembedding, MemoriesReembedded
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.indexes.vectors import Vectors
from memoryd_server.engine.operations import progress
from memoryd_server.ports.retrieval import EmbedderUnavailable

log = logging.getLogger("memoryd.long_term_memory")


class Reembedding:
    """Embeds the memories of all agents again, a bounded number at a time."""

    def __init__(self, agents: AgentCache, vectors: Vectors) -> None:
        self._agents = agents
        self._vectors = vectors

    async def reembed(self, agent_id: str, count_max: int, write: Write, *, replaces_given: bool) -> MemoriesReembedded:
        """Embed at most ``count_max`` memories that have no vector, or one of another embedder.

        If ``replaces_given`` is true, vectors that writers gave are replaced, too. Stops if the embedder is
        unavailable. The condition on the agent is checked at the beginning.
        """
        if write.request is not None:
            first = await self._agents.remembered(agent_id, write.request)
            if first is not None:
                return cast("MemoriesReembedded", first)
        state = (await self._agents.current(agent_id)).state
        check_agent(write.precondition, state)
        embedded = 0
        try:
            while embedded < count_max:
                lacking = await self._lacking(state, replaces_given=replaces_given)
                total = embedded + min(len(lacking), count_max - embedded)
                progress.report(RecordKind.MEMORY, embedded, total)
                part = lacking[: count_max - embedded]
                made = await self._vectors.renew(agent_id, part, replaces_given=replaces_given)
                state = (await self._agents.writer(agent_id)).state
                if not made:
                    break
                embedded += made
                progress.report(RecordKind.MEMORY, embedded, total)
        except EmbedderUnavailable as failure:
            log.warning("memories not embedded again", extra={"agent_id": agent_id, "error": str(failure)})
        left = await self._lacking(state, replaces_given=replaces_given)
        finishing = FinishReembedding(embedded, len(left))
        return await self._agents.submit(agent_id, finishing, msgspec.structs.replace(write, precondition=None))

    async def _lacking(self, state: AgentState, *, replaces_given: bool) -> Sequence[Memory]:
        """Return the memories without a vector of the embedder, oldest first."""
        identity, memories = self._vectors.identity, state.part(MEMORIES)
        if identity is None:
            return []

        def lacks(memory: Memory) -> bool:
            embedding = memories.embeddings.get(memory.memory_id)
            if embedding is None:
                return True
            return embedding.identity != identity and (replaces_given or not embedding.is_given)

        def found() -> Sequence[Memory]:
            return sorted(filter(lacks, memories.memories.values()), key=lambda each: each.sequence)

        return await offload(len(memories), found)
