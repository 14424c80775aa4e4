"""Use cases of snapshots: create snapshots of agents, and restore agents from them."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from weakref import WeakValueDictionary

import msgspec

from memoryd_server.domain import validation
from memoryd_server.domain.agent.part import Records
from memoryd_server.domain.agent.precondition import Precondition, check_agent, check_agent_revision
from memoryd_server.domain.error import (
    AgentNotFound,
    InvalidField,
    RequestIdReused,
    SnapshotAgentMismatch,
    SnapshotNotFound,
)
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.lifecycle.agent_change import EndAgent, RestoreAgent
from memoryd_server.domain.lifecycle.record import decode_record, image_of
from memoryd_server.domain.limit import PAGE_SIZE_MAX, REQUESTS_REMEMBERED_NS_MAX, SECOND_NS
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.limit import RESTORES_REMEMBERED_MAX, SNAPSHOT_CLOCKS_NS
from memoryd_server.engine.operations import progress
from memoryd_server.ports.engine_telemetry import EngineTelemetry
from memoryd_server.ports.snapshot import LATEST, SnapshotInfo, SnapshotRepository, SnapshotTrigger
from memoryd_server.ports.store import AgentQuery, Store, StoredAgent, all_agents

log = logging.getLogger("memoryd.snapshots")


class Restored(msgspec.Struct, frozen=True):
    """The result of a restore. ``revision`` is 0 unless one agent was restored."""

    snapshot: SnapshotInfo
    restored_agent_count: int
    ended_agent_count: int
    revision: int


class RestoreOptions(msgspec.Struct, frozen=True):
    """The agents to restore, and how; see RestoreSnapshotRequest of the wire contract."""

    agent_id: str = ""
    as_agent_id: str = ""
    dry_run: bool = False


WHOLE = RestoreOptions()
"""Restore all agents that the snapshot contains."""


class Snapshots:
    """The snapshots of all agents. Every method raises what the repository and the store raise."""

    def __init__(
        self,
        repository: SnapshotRepository,
        store: Store,
        agents: AgentCache,
        erasures: JournalErasures,
        clock: Clock,
        telemetry: EngineTelemetry | None = None,
    ) -> None:
        self._repository = repository
        self._store = store
        self._agents = agents
        self._erasures = erasures
        self._clock = clock
        self._telemetry = telemetry or EngineTelemetry()
        self._restoring = asyncio.Lock()
        self._creating: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._restored: WeightedLru[str, tuple[int, RequestKey, Restored]] = WeightedLru(RESTORES_REMEMBERED_MAX)

    async def create(
        self, agent_id: str, snapshot_id: str, trigger: SnapshotTrigger, label: str = "", write: Write = UNCONDITIONAL
    ) -> SnapshotInfo:
        """Create a snapshot of an agent, or of all agents for an empty id.

        A request id is kept in the snapshot: while it exists, the same request returns it again. Raises AgentNotFound,
        RevisionMismatch and RequestIdReused.
        """
        info = SnapshotInfo(snapshot_id, agent_id, self._clock(), trigger, label=label)
        if write.request is None:
            return await self._create(info, write.precondition)
        info = msgspec.structs.replace(info, request_id=write.request.request_id)
        # Only repetitions wait for each other: a snapshot of all agents may take hours.
        async with self._creating.setdefault((agent_id, info.request_id), asyncio.Lock()):
            first = await self._first_of(info)
            return first or await self._create(info, write.precondition)

    async def _first_of(self, info: SnapshotInfo) -> SnapshotInfo | None:
        """Return the snapshot that a request created before. Raises RequestIdReused if it was another request."""
        for each in await self._repository.list():
            # A request id belongs to its agent, or to all agents together, as it does for every other change.
            same = (each.request_id, each.agent_id, each.trigger) == (info.request_id, info.agent_id, info.trigger)
            if same:
                if info.snapshot_id not in ("", each.snapshot_id) or each.label != info.label:
                    raise RequestIdReused(info.request_id)
                return each
        return None

    async def measure(self) -> None:
        """Set the gauge of the newest snapshot of all agents."""
        times = [each.create_time for each in await self._repository.list() if not each.agent_id]
        self._telemetry.snapshot_time.set(max(times, default=0) // SECOND_NS)

    async def _create(self, info: SnapshotInfo, precondition: Precondition | None) -> SnapshotInfo:
        started = time.perf_counter()
        try:
            snapshot = await self._written(info, precondition)
        except Exception:
            self._telemetry.snapshot_failures.add()
            raise
        if not info.agent_id:
            self._telemetry.snapshot_duration.observe(time.perf_counter() - started)
        log.info("snapshot created", extra={"snapshot_id": snapshot.snapshot_id, "count": snapshot.record_count})
        return snapshot

    async def _written(self, info: SnapshotInfo, precondition: Precondition | None) -> SnapshotInfo:
        # The snapshot is read from the store, which lacks the counts that are only in memory.
        await self._agents.record_accesses()
        agent_id = info.agent_id
        if not agent_id:
            total = await self._agent_count() if progress.is_wanted() else None
            async with contextlib.aclosing(self._store.scan()) as agents:
                snapshot = await self._repository.create(info, _counted(agents, total))
        else:
            stored = await self._store.load(agent_id)
            if stored is None or stored.head.ended:
                raise AgentNotFound(agent_id)
            revision = stored.head.revision
            check_agent_revision(precondition, agent_id, revision)
            info = msgspec.structs.replace(info, revision=stored.head.revision)
            snapshot = await self._repository.create(info, _counted(_one(stored), 1))
        return snapshot

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        """Return the description of a snapshot. LATEST is the newest one of all agents. Raises SnapshotNotFound."""
        if snapshot_id != LATEST:
            return await self._repository.get(snapshot_id)
        for info in await self._repository.list():
            if not info.agent_id:
                return info
        raise SnapshotNotFound(LATEST)

    async def list(self) -> Sequence[SnapshotInfo]:
        """Return all snapshots, the newest first."""
        return await self._repository.list()

    async def before(self, agent_id: str, revision: int, time: int) -> Sequence[SnapshotInfo]:
        """Return the snapshots that may contain what an agent had before a revision, and before the time of that one.

        A snapshot of all agents does not say which revisions it has. Its time may be that of another clock.
        """
        return [
            each
            for each in await self.list()
            if (each.agent_id == agent_id and each.revision < revision)
            or (each.agent_id == "" and each.create_time < time + SNAPSHOT_CLOCKS_NS)
        ]

    async def delete(self, snapshot_id: str) -> None:
        """Delete a snapshot. Raises SnapshotNotFound."""
        await self._repository.delete(snapshot_id)

    def export(self, snapshot_id: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        """Return the bytes of a snapshot's file from an offset, in chunks."""
        return self._repository.export(snapshot_id, offset)

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes], sha256: str = "") -> SnapshotInfo:
        """Store a snapshot file received in chunks, after all of it was verified."""
        return await self._repository.import_(snapshot_id, chunks, sha256)

    async def prune(self, keep: int) -> int:
        """Delete the automatic snapshots except the newest ``keep``. Return the number of deleted ones."""
        return await self._repository.prune(keep)

    async def restore(
        self, snapshot_id: str, options: RestoreOptions = WHOLE, write: Write = UNCONDITIONAL
    ) -> Restored:
        """Restore one agent, or all, from a snapshot, or from the newest one of all agents (LATEST).

        The whole snapshot is read and decoded before anything changes. One restore runs at a time. Raises
        SnapshotAgentMismatch, InvalidField, and what the precondition raises.
        """
        async with self._restoring:
            info = await self.get(snapshot_id)
            wanted = options.agent_id or info.agent_id
            if info.agent_id not in ("", wanted):
                raise SnapshotAgentMismatch(info.snapshot_id, options.agent_id)
            if not wanted:
                return await self._restore_all(info, options, write)
            if wanted not in await self._agents_in(info.snapshot_id):
                raise SnapshotAgentMismatch(info.snapshot_id, wanted)
            if options.dry_run:
                state = (await self._agents.current(options.as_agent_id or wanted)).state
                check_agent(write.precondition, state)
                return Restored(info, 1, 0, state.revision)
            return Restored(info, 1, 0, await self._restore_one(info, wanted, options.as_agent_id, write))

    async def _restore_one(self, info: SnapshotInfo, wanted: str, as_agent_id: str, write: Write) -> int:
        revision = 0
        async with contextlib.aclosing(self._images(info.snapshot_id)) as images:
            async for name, image in images:
                if name == wanted:
                    writer = await self._agents.writer(as_agent_id or name)
                    restoring = RestoreAgent(image, info.snapshot_id, is_limited=self._agents.tiers.is_enforced)
                    revision = (await writer.submit(restoring, write)).revision
        log.info("snapshot restored", extra={"snapshot_id": info.snapshot_id, "count": 1})
        return revision

    async def _restore_all(self, info: SnapshotInfo, options: RestoreOptions, write: Write) -> Restored:
        if options.as_agent_id:
            raise InvalidField("as_agent_id", "requires agent_id, because the snapshot is of all agents")
        if write.precondition is not None:
            raise InvalidField("agent_precondition", "requires agent_id, because the snapshot is of all agents")
        if write.request is not None and (first := self._remembered(write.request)) is not None:
            return first
        held = await self._agents_in(info.snapshot_id)
        if options.dry_run:
            return Restored(info, len(held), len([each async for each in self._others(held)]), 0)
        author, restored_count = Write(write.author, new_tier=write.new_tier), 0
        progress.report(RecordKind.AGENT, 0, len(held))
        async with contextlib.aclosing(self._images(info.snapshot_id)) as images:
            async for name, image in images:
                writer = await self._agents.writer(name)
                await writer.submit(RestoreAgent(image, info.snapshot_id), author)
                restored_count += 1
                progress.report(RecordKind.AGENT, restored_count, len(held))
        ended = 0
        async for name in self._others(held):
            await self._erasures.end(name, EndAgent(cause=EventCause.RESTORE), author)
            ended += 1
        log.info("snapshot restored", extra={"snapshot_id": info.snapshot_id, "count": len(held)})
        restored = Restored(info, len(held), ended, 0)
        if write.request is not None:
            self._restored.put(write.request.request_id, (self._clock(), write.request, restored))
        return restored

    def _remembered(self, request: RequestKey) -> Restored | None:
        """Return the first result of a restore of all agents. Raises RequestIdReused if it was another request."""
        kept = self._restored.peek(request.request_id)
        if kept is None or self._clock() - kept[0] > REQUESTS_REMEMBERED_NS_MAX:
            return None
        if kept[1] != request:
            raise RequestIdReused(request.request_id)
        return kept[2]

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

    async def _agent_count(self) -> int:
        """Return the number of agents that exist."""
        return len([each async for each in self._others(set())])

    async def _others(self, held: set[str]) -> AsyncGenerator[str, None]:
        """Yield the agents that exist and are not among these."""
        async for each in all_agents(self._store, AgentQuery(PAGE_SIZE_MAX)):
            if each.head.agent_id not in held:
                yield each.head.agent_id


async def _counted(agents: AsyncIterator[StoredAgent], total: int | None) -> AsyncIterator[StoredAgent]:
    """Yield the agents of a snapshot. Those before the last one are written once the next one is wanted."""
    done = 0
    progress.report(RecordKind.AGENT, done, total)
    async for agent in agents:
        yield agent
        done += 1
        progress.report(RecordKind.AGENT, done, total)


async def _one(stored: StoredAgent) -> AsyncIterator[StoredAgent]:
    yield stored
