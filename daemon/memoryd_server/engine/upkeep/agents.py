"""Use cases of whole agents: describe, list, clear and end them."""

from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import AgentNotFound, RevisionMismatch
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, ClearAgent, EndAgent
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.token import decode_text_page, encode_text_page
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

    async def get(self, agent_id: str, max_staleness_ns: int = 0) -> AgentHead:
        """Return the head of an agent. Raises AgentNotFound."""
        state = await self._existing(agent_id, max_staleness_ns)
        return AgentHead(agent_id, state.revision, state.create_time, state.update_time, state.record_count)

    async def page(self, prefix: str, request: PageRequest) -> tuple[list[AgentHead], str]:
        """Return a page of agents in order of their ids, and the token of the next page."""
        after = decode_text_page(request.listing, request.token) if request.token else ""
        heads = await self._store.list_agents(prefix, after, request.size + 1)
        if len(heads) <= request.size:
            return heads, ""
        return heads[: request.size], encode_text_page(request.listing, heads[request.size - 1].agent_id)

    async def statistics(self, agent_id: str, max_staleness_ns: int = 0) -> tuple[AgentStatistics, int]:
        """Return the figures of an agent's memory, and its revision. Raises AgentNotFound."""
        state, now = await self._existing(agent_id, max_staleness_ns), self._clock()

        def counted() -> AgentStatistics:
            figures = statistics_of(state, now, self._agents.limits)
            if not self._embeds:
                # Without an embedder, no memory is waiting for a vector.
                figures.counts["embedding_backlog"] = 0
            return figures

        return await offload(state.record_count, counted), state.revision

    async def clear(self, agent_id: str, command: ClearAgent, origin: str, request: RequestKey | None) -> AgentCleared:
        """Delete the records of an agent, of the kinds that the command names."""
        result = await self._agents.submit(agent_id, command, origin, request)
        log_change(agent_id, command, result)
        return result

    async def end(
        self, agent_id: str, command: EndAgent, origin: str, request: RequestKey | None, *, create_snapshot: bool
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
            ending = EndAgent(Precondition(expected_revision=snapshot.revision), command.cause)
            try:
                _check(command.precondition, snapshot.revision)
                result = await self._end(agent_id, ending, origin, request)
            except RevisionMismatch:
                await self._snapshots.delete(snapshot.snapshot_id)
                if not tries_left or command.precondition is not None:
                    raise
            else:
                if result.revision > snapshot.revision:
                    return result, snapshot
                await self._snapshots.delete(snapshot.snapshot_id)
                return result, None
        return await self._end(agent_id, command, origin, request), None

    async def _end(self, agent_id: str, command: EndAgent, origin: str, request: RequestKey | None) -> AgentCleared:
        result = await self._purges.end(agent_id, command, origin, request)
        log_change(agent_id, command, result)
        return result

    async def _existing(self, agent_id: str, max_staleness_ns: int) -> AgentState:
        state = (await self._agents.current(agent_id, max_staleness_ns)).state
        if not state.exists:
            raise AgentNotFound(agent_id)
        return state


def _check(precondition: Precondition | None, revision: int) -> None:
    if precondition is not None and precondition.expected_revision not in (None, revision):
        assert precondition.expected_revision is not None
        raise RevisionMismatch(precondition.expected_revision, revision)
