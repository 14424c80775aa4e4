"""Use cases of whole agents: describe, list and end them."""

import msgspec

from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import AgentNotFound, RevisionMismatch, SnapshotNotFound
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.token import decode_text_page, encode_text_page
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.entries.entry_log import log_change
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.engine.limit import END_TRIES_MAX
from memoryd_server.engine.memories.purges import Purges
from memoryd_server.engine.upkeep.statistics import AgentStatistics, statistics_of
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.ports.store import AgentHead, Store


class Agents:
    """The use cases of whole agents. Every method raises what the domain and the store raise."""

    def __init__(
        self,
        store: Store,
        agents: AgentCache,
        snapshots: Snapshots,
        purges: Purges,
        clock: Clock,
        *,
        embeds: bool = False,
    ) -> None:
        self._store = store
        self._agents = agents
        self._snapshots = snapshots
        self._purges = purges
        self._clock = clock
        self._embeds = embeds

    async def get(self, agent_id: str, consistency: Consistency = CURRENT) -> AgentHead:
        """Return the head of an agent. Raises AgentNotFound."""
        state = await self._existing(agent_id, consistency)
        return AgentHead(agent_id, state.revision, state.create_time, state.update_time, state.record_count)

    async def page(self, prefix: str, request: PageRequest) -> tuple[list[AgentHead], str]:
        """Return a page of agents in order of their ids, and the token of the next page."""
        after = decode_text_page(request.listing, request.token) if request.token else ""
        heads = await self._store.list_agents(prefix, after, request.size + 1)
        if len(heads) <= request.size:
            return heads, ""
        return heads[: request.size], encode_text_page(request.listing, heads[request.size - 1].agent_id)

    async def statistics(self, agent_id: str, consistency: Consistency = CURRENT) -> tuple[AgentStatistics, int]:
        """Return the figures of an agent's memory, and its revision. Raises AgentNotFound."""
        state, now = await self._existing(agent_id, consistency), self._clock()

        def counted() -> AgentStatistics:
            figures = statistics_of(state, now, self._agents.limits)
            if not self._embeds:
                # Without an embedder, no memory is waiting for a vector.
                figures.counts["unembedded_memories"] = 0
            return figures

        return await offload(state.record_count, counted), state.revision

    async def end(
        self, agent_id: str, command: EndAgent, write: Write, *, create_snapshot: bool
    ) -> tuple[AgentCleared, SnapshotInfo | None]:
        """End an agent. With ``create_snapshot``, take a snapshot before that has all of its changes.

        The agent ends only at the revision of the snapshot. If it changed since, the snapshot is deleted and both are
        tried again, unless the caller gave a precondition.
        """
        for tries_left in reversed(range(END_TRIES_MAX)):
            state = (await self._agents.current(agent_id)).state
            if not create_snapshot or not state.exists:
                break
            snapshot = await self._snapshots.create(agent_id, "", "end_agent")
            at_snapshot = Precondition(expected_revision=snapshot.revision)
            at_its_revision = msgspec.structs.replace(write, precondition=at_snapshot)
            try:
                check_agent(write.precondition, state)
                ending = msgspec.structs.replace(command, snapshot_id=snapshot.snapshot_id)
                result = await self._end(agent_id, ending, at_its_revision)
            except RevisionMismatch:
                await self._snapshots.delete(snapshot.snapshot_id)
                if not tries_left or write.precondition is not None:
                    raise
            else:
                if result.snapshot_id == snapshot.snapshot_id:
                    return result, snapshot
                # The request was repeated: its first result names the snapshot of then.
                await self._snapshots.delete(snapshot.snapshot_id)
                return result, await self._snapshot_of(result)
        result = await self._end(agent_id, command, write)
        return result, await self._snapshot_of(result)

    async def _snapshot_of(self, result: AgentCleared) -> SnapshotInfo | None:
        """Return the snapshot that a result names, None if it names none or the snapshot was deleted since."""
        if not result.snapshot_id:
            return None
        try:
            return await self._snapshots.get(result.snapshot_id)
        except SnapshotNotFound:
            return None

    async def _end(self, agent_id: str, command: EndAgent, write: Write) -> AgentCleared:
        result = await self._purges.end(agent_id, command, write)
        log_change(agent_id, command, result)
        return result

    async def _existing(self, agent_id: str, consistency: Consistency) -> AgentState:
        state = (await self._agents.current(agent_id, consistency)).state
        if not state.exists:
            raise AgentNotFound(agent_id)
        return state
