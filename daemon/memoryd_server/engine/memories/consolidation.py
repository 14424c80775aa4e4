"""Consolidation: flushed fragments become memories, by rules alone.

To use a language model instead, disable this and lease the fragments from a client. Both may run at the same time: a
fragment is in one lease at a time.
"""

import asyncio
import logging

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agents.tier import Feature
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import ConsolidateFragments, LeaseFragments
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import new_id, new_token
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.limit import CONSOLIDATED_FRAGMENTS_MAX, CONSOLIDATED_RELATIVES_MAX, CONSOLIDATION_LEASE_NS
from memoryd_server.engine.memories.fragment_memory import drafts_of
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.consolidation")


class Consolidation:
    """Turns flushed fragments into memories. An ``AgentObserver``.

    A crash loses nothing: the commit that creates the memories also removes the fragments from the buffer.
    """

    def __init__(self, agents: AgentCache, memories: LongTermMemories, telemetry: WorkingMemoryTelemetry) -> None:
        self._agents = agents
        self._memories = memories
        self._telemetry = telemetry
        self._waiting: dict[str, None] = {}
        self._has_waiting = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start; ``stop`` must follow."""
        self._task = asyncio.create_task(self._work(), name="consolidation")

    async def stop(self) -> None:
        """Stop. Leased fragments become available again when their lease expires."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Queue an agent that has fragments to consolidate; see ``AgentObserver``."""
        if after.part(FRAGMENTS).ready:
            self._waiting[after.agent_id] = None
            self._has_waiting.set()

    def note_gone(self, state: AgentState) -> None:
        """Do nothing: an evicted agent stays queued, and is loaded again for its fragments."""

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                self._has_waiting.clear()
                await self._has_waiting.wait()
            agent_id = next(iter(self._waiting))
            del self._waiting[agent_id]
            try:
                while await self.consolidate(agent_id):
                    pass
            except Refusal as refusal:
                # The fragments become available again when their lease expires.
                fields = {"agent_id": agent_id, "reason": refusal.reason, "error": str(refusal)}
                log.warning("consolidation postponed", extra=fields)
            except Exception:
                log.exception("consolidation failed", extra={"agent_id": agent_id})

    async def consolidate(self, agent_id: str) -> int:
        """Turn an agent's oldest flushed fragments into memories. Return the number of fragments.

        Those of an agent whose tier has no memories stay for clients that lease them.
        """
        tier = self._agents.tiers.of((await self._agents.writer(agent_id)).state)
        if tier is not None and Feature.LONG_TERM not in tier.features:
            return 0
        token = new_token()
        leasing = LeaseFragments(token, CONSOLIDATED_FRAGMENTS_MAX, CONSOLIDATION_LEASE_NS)
        leased = await self._agents.submit(agent_id, leasing)
        if leased.lease is None:
            return 0
        state = (await self._agents.writer(agent_id)).state
        fragments = [state.part(FRAGMENTS).fragments[sequence] for sequence in leased.lease.sequences]
        # Each memory's user is compared with names; a kilobyte of JSON takes as long as several memories.
        json_bytes = sum(len(each.metadata_json) + len(each.sources_json) for each in fragments)
        drafts = await offload(len(state.part(MEMORIES)) + json_bytes // 100, lambda: drafts_of(fragments, state))
        first_id = new_id()
        complete = await self._memories.completed(agent_id, drafts, first_id, CONSOLIDATED_RELATIVES_MAX)
        creating = CreateMemories(complete, first_id, self._memories.policy)
        fragment_ids = frozenset(fragment.fragment_id for fragment in fragments)
        # The tier may have been lowered meanwhile.
        write = Write(features=frozenset({Feature.LONG_TERM}))
        await self._memories.change(agent_id, ConsolidateFragments(token, fragment_ids, creating), write)
        self._telemetry.fragments_consolidated_total.add(len(fragments))
        log.info("fragments consolidated", extra={"agent_id": agent_id, "count": len(fragments)})
        return len(fragments)
