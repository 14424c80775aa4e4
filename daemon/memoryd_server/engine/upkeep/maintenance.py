"""Background maintenance: expiry, compaction of the journal, writing of access counts, periodic snapshots."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from memoryd_server.domain.error import Refusal, StorageFull
from memoryd_server.domain.lifecycle.agent_change import ExpireRecords
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.engine.indexes.index_group import IndexGroup
from memoryd_server.engine.limit import DUE_AGENTS_PER_SWEEP_MAX
from memoryd_server.ports.component import Components
from memoryd_server.ports.snapshot import SnapshotTrigger
from memoryd_server.ports.store import Store
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.maintenance")

JOURNAL, SNAPSHOT = "journal retention", "snapshot"
"""The tasks whose failures are those of a component."""


_Outcome = TypeVar("_Outcome")


class Schedule(msgspec.Struct, frozen=True):
    """The intervals of maintenance, and what is retained. A snapshot interval of 0 disables periodic snapshots."""

    expiry_interval_s: float = 1.0
    access_interval_s: float = 30.0
    journal_interval_s: float = 10.0
    journal_rows_max: int = 1_000_000
    journal_age_max_s: float = 7 * 86_400.0
    retire_interval_s: float = 3_600.0
    snapshot_interval_s: float = 0.0
    snapshots_kept_max: int = 5


class Maintenance:
    """Runs the tasks of the schedule. A failure is logged, and the task runs again after its interval.

    ``note_due`` gets the ids of agents with conversations that are due to be ingested; None if none are.
    """

    def __init__(
        self,
        schedule: Schedule,
        *,
        store: Store,
        agents: AgentCache,
        snapshots: Snapshots,
        erasures: JournalErasures,
        sweep_rules: Mapping[str, Any],
        indexes: IndexGroup,
        clock: Clock,
        telemetry: WorkingMemoryTelemetry,
        components: Components,
        note_due: Callable[[str], None] | None = None,
    ) -> None:
        self._schedule = schedule
        self._store = store
        self._agents = agents
        self._snapshots = snapshots
        self._erasures = erasures
        self._sweep_rules = sweep_rules
        self._indexes = indexes
        self._clock = clock
        self._telemetry = telemetry
        self._note_due = note_due
        self._components = {JOURNAL: components.of("journal")}
        if schedule.snapshot_interval_s:
            self._components[SNAPSHOT] = components.of("snapshots")
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the tasks; ``stop`` must follow."""
        schedule = self._schedule
        self._begin("expiry", schedule.expiry_interval_s, self.expire)
        self._begin("access counts", schedule.access_interval_s, self._agents.record_accesses)
        self._begin(JOURNAL, schedule.journal_interval_s, self.prune_journal)
        self._begin("saved indexes", schedule.retire_interval_s, self.retire_indexes)
        if schedule.snapshot_interval_s:
            self._begin(SNAPSHOT, schedule.snapshot_interval_s, self.snapshot)

    async def stop(self) -> None:
        """Cancel the tasks."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def expire(self) -> None:
        """Remove expired records from all agents, loaded or not, and complete their erasures."""
        _raise_failure(await self._in_each_shard(self._expire))

    async def _expire(self, shards: Collection[int] | None) -> None:
        for agent_id in await self._store.due_agents(self._clock(), DUE_AGENTS_PER_SWEEP_MAX, shards):
            try:
                # A memory that was recalled since must not be archived.
                self._agents.submit_accesses(agent_id)
                result = await self._agents.submit(agent_id, ExpireRecords(self._sweep_rules))
                await self._erasures.finish(agent_id)
            except Refusal as refusal:
                fields = {"agent_id": agent_id, "reason": refusal.reason, "error": str(refusal)}
                log.log(_level_of(refusal), "expiry failed", extra=fields)
            else:
                self._telemetry.fragments_lost_total["expiry"].add(result.counts.get("fragments", 0))
                if self._note_due is not None and result.counts.get("due_ingestions"):
                    self._note_due(agent_id)
                log.debug("records expired", extra={"agent_id": agent_id, "revision": result.revision})

    async def prune_journal(self) -> None:
        """Delete the oldest journal rows, beyond the maximum count or age.

        This may delete the heads of ended agents in the store; their states are evicted from memory, too.
        """
        outcomes = await self._in_each_shard(self._prune)
        pruned = sum(outcome for outcome in outcomes if isinstance(outcome, int))
        if pruned:
            self._agents.forget_ended()
            log.debug("journal pruned", extra={"count": pruned})
        _raise_failure(outcomes)

    async def _prune(self, shards: Collection[int] | None) -> int:
        since_time = self._clock() - round(self._schedule.journal_age_max_s * SECOND_NS)
        return await self._store.prune_journal(self._schedule.journal_rows_max, max(since_time, 0), shards)

    async def retire_indexes(self) -> None:
        """Remove saved indexes that may have words of what was removed before the oldest row of the journal."""
        await self._indexes.retire(self._store, self._schedule.journal_age_max_s)

    async def snapshot(self, trigger: SnapshotTrigger = "periodic") -> None:
        """Take a snapshot of all agents, and delete the oldest automatic snapshots beyond the maximum."""
        await self._snapshots.create("", "", trigger)
        await self._snapshots.prune(self._schedule.snapshots_kept_max)

    async def _in_each_shard(
        self, work: Callable[[Collection[int] | None], Awaitable[_Outcome]]
    ) -> list[_Outcome | BaseException]:
        """Run ``work`` for each shard that this daemon maintains. An unavailable shard does not affect the others."""
        sharing = self._store.sharing
        parts: list[Collection[int] | None] = [None]
        if sharing is not None:
            parts = [(shard,) for shard in await sharing.duties()]
        return await asyncio.gather(*map(work, parts), return_exceptions=True)

    def _begin(self, name: str, interval_s: float, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks.append(asyncio.create_task(self._repeat(name, interval_s, work), name=name))

    async def _repeat(self, name: str, interval_s: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(interval_s)
            try:
                await work()
            except Refusal as refusal:
                fields = {"task": name, "reason": refusal.reason, "error": str(refusal)}
                log.log(_level_of(refusal), "maintenance failed", extra=fields)
                self._note(name, f"the last {name} failed ({refusal.reason}): see the log")
            except Exception:
                log.exception("maintenance failed", extra={"task": name})
                self._note(name, f"the last {name} failed: see the log")
            else:
                self._note(name, "")

    def _note(self, name: str, fault: str) -> None:
        component = self._components.get(name)
        if component is None:
            return
        if fault:
            component.degrade(fault)
        else:
            component.ok()


def _level_of(refusal: Refusal) -> int:
    """Return the level of a failure's log line. A full store is logged once, by the store."""
    return logging.DEBUG if isinstance(refusal, StorageFull) else logging.WARNING


def _raise_failure(outcomes: Iterable[object]) -> None:
    """Raise one failure of the outcomes, if there is one: a defect rather than a Refusal."""
    failures = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    if failures:
        raise min(failures, key=lambda failure: isinstance(failure, Refusal))
