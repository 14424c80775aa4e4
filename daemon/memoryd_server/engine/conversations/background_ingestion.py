"""Ingestion in the background: memories of conversations that were at rest for some time, without a call."""

import asyncio
import logging

from memoryd_server.domain.agents.tier import Feature
from memoryd_server.domain.conversations.ingestion_lease import LeaseIngestions, ReleaseIngestions, SettleIngestion
from memoryd_server.domain.error import RecordNotFound, Refusal
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.conversations.ingestion import Ingestion, IngestionRequest
from memoryd_server.engine.limit import INGESTIONS_LEASED_MAX, INGESTIONS_WAITING_MAX
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.ingestion")


class BackgroundIngestion:
    """Ingests the conversations of agents that maintenance found due.

    Each message is read once, whatever happens: the commit that creates the memories also advances the position, and is
    refused if another daemon was faster. The lease of a conversation only spares daemons from doing the same work.
    """

    def __init__(self, agents: AgentCache, ingestion: Ingestion, telemetry: WorkingMemoryTelemetry) -> None:
        self._agents = agents
        self._ingestion = ingestion
        self._telemetry = telemetry
        self._waiting: dict[str, None] = {}
        self._has_waiting = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start; ``stop`` must follow."""
        self._task = asyncio.create_task(self._work(), name="ingestion")

    async def stop(self) -> None:
        """Stop. The conversations that are leased are due again at once, for the next daemon."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def note_due(self, agent_id: str) -> None:
        """Queue an agent with conversations that are due. If too many wait, it is found due again later."""
        if len(self._waiting) < INGESTIONS_WAITING_MAX:
            self._waiting[agent_id] = None
            self._has_waiting.set()

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                self._has_waiting.clear()
                await self._has_waiting.wait()
            agent_id = next(iter(self._waiting))
            del self._waiting[agent_id]
            try:
                if await self.ingest_due(agent_id) == INGESTIONS_LEASED_MAX:
                    # Perhaps more are due, after a turn of the other agents.
                    self.note_due(agent_id)
            except Refusal as refusal:
                _log_postponed(agent_id, refusal)
            except Exception:
                log.exception("ingestion failed", extra={"agent_id": agent_id})

    async def ingest_due(self, agent_id: str) -> int:
        """Ingest some of an agent's conversations that are due. Return how many were leased.

        Those of an agent whose tier has no memories are left for later: the tier may be raised.
        """
        leased = await self._agents.submit(agent_id, LeaseIngestions(INGESTIONS_LEASED_MAX))
        tier = self._agents.tiers.of((await self._agents.writer(agent_id)).state)
        if tier is not None and Feature.LONG_TERM not in tier.features:
            return len(leased.conversation_ids)
        for index, conversation_id in enumerate(leased.conversation_ids):
            try:
                await self._ingest(agent_id, conversation_id)
            except Refusal as refusal:
                # The conversation is due again when its lease ends.
                _log_postponed(agent_id, refusal)
                self._telemetry.ingestions_total["postponed"].add()
            except asyncio.CancelledError:
                await self._release(agent_id, leased.conversation_ids[index:])
                raise
        return len(leased.conversation_ids)

    async def _release(self, agent_id: str, conversation_ids: tuple[str, ...]) -> None:
        try:
            await self._agents.submit(agent_id, ReleaseIngestions(conversation_ids))
        except Refusal as refusal:
            # They are due again when their leases end.
            _log_postponed(agent_id, refusal)

    async def _ingest(self, agent_id: str, conversation_id: str) -> None:
        # The tier may have been lowered meanwhile.
        write = Write(features=frozenset({Feature.LONG_TERM}))
        count, left = 0, 1
        while left:
            try:
                done = await self._ingestion.ingest(agent_id, IngestionRequest(conversation_id), write)
            except RecordNotFound:
                break
            count, left = count + done.message_count, done.remaining_count
        if not count:
            # Nothing was left to read; otherwise the commit has settled it.
            await self._agents.submit(agent_id, SettleIngestion(conversation_id))
        self._telemetry.ingestions_total["done"].add()
        log.info("conversation ingested", extra={"agent_id": agent_id, "count": count})


def _log_postponed(agent_id: str, refusal: Refusal) -> None:
    fields = {"agent_id": agent_id, "reason": refusal.reason, "error": str(refusal)}
    log.warning("ingestion postponed", extra=fields)
