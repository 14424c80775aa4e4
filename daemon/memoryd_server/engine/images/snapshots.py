"""Use cases of snapshots: create snapshots of agents, and restore agents from them."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from memoryd_server.domain import validation
from memoryd_server.domain.agent.part import Records
from memoryd_server.domain.error import AgentNotFound, InvalidField, SnapshotAgentMismatch, SnapshotNotFound
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.lifecycle.agent_change import EndAgent, RestoreAgent
from memoryd_server.domain.lifecycle.record import decode_record, image_of
from memoryd_server.domain.limit import PAGE_SIZE_MAX
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.memories.purges import Purges
from memoryd_server.ports.snapshot import SnapshotInfo, SnapshotRepository, SnapshotTrigger
from memoryd_server.ports.store import Store, StoredAgent

log = logging.getLogger("memoryd.snapshots")

LATEST = "latest"
"""A value of the setting ``restore``: the newest snapshot of all agents."""


class Restored(msgspec.Struct, frozen=True):
    """The result of a restore. ``revision`` is 0 unless one agent was restored."""

    agents_restored: int
    agents_ended: int
    revision: int


class Snapshots:
    """The snapshots of all agents. Every method raises what the repository and the store raise."""

    def __init__(
        self, repository: SnapshotRepository, store: Store, agents: AgentCache, purges: Purges, clock: Clock
    ) -> None:
        self._repository = repository
        self._store = store
        self._agents = agents
        self._purges = purges
        self._clock = clock
        self._restoring = asyncio.Lock()

    async def create(self, agent_id: str, snapshot_id: str, trigger: SnapshotTrigger) -> SnapshotInfo:
        """Create a snapshot of an agent, or of all agents for an empty id. Raises AgentNotFound."""
        # The snapshot is read from the store, which lacks the counts that are only in memory.
        await self._agents.record_accesses()
        info = SnapshotInfo(snapshot_id, agent_id, self._clock(), trigger)
        if not agent_id:
            async with contextlib.aclosing(self._store.scan()) as agents:
                snapshot = await self._repository.create(info, agents)
        else:
            stored = await self._store.load(agent_id)
            if stored is None or stored.head.ended:
                raise AgentNotFound(agent_id)
            info = msgspec.structs.replace(info, revision=stored.head.revision)
            snapshot = await self._repository.create(info, _one(stored))
        log.info("snapshot created", extra={"snapshot_id": snapshot.snapshot_id, "count": snapshot.record_count})
        return snapshot

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        """Return the description of a snapshot."""
        return await self._repository.get(snapshot_id)

    async def list(self, agent_id: str) -> list[SnapshotInfo]:
        """Return all snapshots, or only those of one agent, newest first."""
        return [each for each in await self._repository.list() if not agent_id or each.agent_id == agent_id]

    async def delete(self, snapshot_id: str) -> None:
        """Delete a snapshot."""
        await self._repository.delete(snapshot_id)

    def export(self, snapshot_id: str) -> AsyncGenerator[bytes, None]:
        """Return the bytes of a snapshot's file, in chunks."""
        return self._repository.export(snapshot_id)

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes]) -> SnapshotInfo:
        """Store a snapshot file received in chunks, after all of it was verified."""
        return await self._repository.import_(snapshot_id, chunks)

    async def prune(self, keep: int) -> int:
        """Delete the automatic snapshots except the newest ``keep``. Return the number of deleted ones."""
        return await self._repository.prune(keep)

    async def latest(self) -> str:
        """Return the id of the newest snapshot of all agents. Raises SnapshotNotFound."""
        for info in await self._repository.list():
            if not info.agent_id:
                return info.snapshot_id
        raise SnapshotNotFound(LATEST)

    async def restore(self, snapshot_id: str, agent_id: str, as_agent_id: str, origin: str = "") -> Restored:
        """Restore one agent, or all, from a snapshot; see RestoreSnapshotRequest of the wire contract.

        The whole snapshot is read and decoded before anything changes. One restore runs at a time.
        """
        async with self._restoring:
            info = await self._repository.get(snapshot_id)
            wanted = agent_id or info.agent_id
            if info.agent_id not in ("", wanted):
                raise SnapshotAgentMismatch(snapshot_id, agent_id)
            if as_agent_id and not wanted:
                raise InvalidField("as_agent_id", "requires agent_id, because the snapshot is of all agents")
            held = await self._agents_in(snapshot_id)
            if wanted and wanted not in held:
                raise SnapshotAgentMismatch(snapshot_id, wanted)
            revision = 0
            async with contextlib.aclosing(self._images(snapshot_id)) as images:
                async for name, image in images:
                    if wanted in ("", name):
                        writer = await self._agents.writer(as_agent_id or name)
                        revision = (await writer.submit(RestoreAgent(image, snapshot_id), origin)).revision
            ended = 0 if wanted else await self._end_all_but(held, origin)
        log.info("snapshot restored", extra={"snapshot_id": snapshot_id, "count": 1 if wanted else len(held)})
        return Restored(1 if wanted else len(held), ended, revision if wanted else 0)

    async def _agents_in(self, snapshot_id: str) -> set[str]:
        """Return the agents of a snapshot. Decodes every record, and raises if one cannot be decoded."""
        held: set[str] = set()
        async with contextlib.aclosing(self._images(snapshot_id)) as images:
            async for name, _ in images:
                held.add(validation.agent_id(name))
        return held

    async def _images(self, snapshot_id: str) -> AsyncGenerator[tuple[str, Records]]:
        async with contextlib.aclosing(self._repository.read(snapshot_id)) as agents:
            async for stored in agents:
                values = (decode_record(record.kind, record.data) for record in stored.records)
                yield stored.head.agent_id, image_of(stored.head.agent_id, values)

    async def _end_all_but(self, kept: set[str], origin: str) -> int:
        ended, last = 0, ""
        while heads := await self._store.list_agents("", last, PAGE_SIZE_MAX):
            for head in heads:
                if head.agent_id not in kept:
                    await self._purges.end(head.agent_id, EndAgent(cause=EventCause.RESTORE), origin)
                    ended += 1
            last = heads[-1].agent_id
        return ended


async def _one(stored: StoredAgent) -> AsyncIterator[StoredAgent]:
    yield stored
