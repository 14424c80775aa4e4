"""The engine: all use cases over one store."""

import asyncio
import logging
from collections.abc import Callable

import msgspec

from memoryd_server.domain.agents.agent import AGENT
from memoryd_server.domain.agents.tier import Tier
from memoryd_server.domain.conversations.due_ingestion import DUE_INGESTIONS
from memoryd_server.domain.conversations.ingestion_change import IngestMode
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.fragments.fragment_editor import FragmentSweep
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.engine.agents.agent_cache import AgentCache, CacheSize
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.collections import Collections
from memoryd_server.engine.agents.feed import Feed, OwnFeed
from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.engine.agents.watch_memory import WatchMemory
from memoryd_server.engine.context.contexts import Contexts
from memoryd_server.engine.conversations.background_ingestion import BackgroundIngestion
from memoryd_server.engine.conversations.compactor import Compaction
from memoryd_server.engine.conversations.ingestion import Ingestion
from memoryd_server.engine.documents.documents import Documents, DocumentSources
from memoryd_server.engine.entries.working_memory import WorkingMemory
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.erasure.leftovers import Leftovers
from memoryd_server.engine.fragments.fragments import FragmentPolicy, Fragments
from memoryd_server.engine.images.initial_restore import RestoreMark, restore_initially
from memoryd_server.engine.images.journal_export import JournalExport
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.engine.indexes.chunk_indexes import ChunkIndexes
from memoryd_server.engine.indexes.index_group import IndexGroup
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes, MemorySelectors
from memoryd_server.engine.indexes.vectors import Vectors
from memoryd_server.engine.memories.consolidation import Consolidation
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.engine.memories.memory_proposals import MemoryProposals
from memoryd_server.engine.memories.memory_selection import MemorySelection
from memoryd_server.engine.operations.operations import Operations
from memoryd_server.engine.upkeep.agents import Agents
from memoryd_server.engine.upkeep.maintenance import Maintenance, Schedule
from memoryd_server.engine.watching.events import Events
from memoryd_server.engine.watching.follower import Follower
from memoryd_server.ports.component import Components
from memoryd_server.ports.proposing import Proposer
from memoryd_server.ports.retrieval import Embedder, MemoryIndex, MemorySelector, MentionedTimes
from memoryd_server.ports.saved_indexes import SavedIndexes
from memoryd_server.ports.segment import SegmentDrafts
from memoryd_server.ports.snapshot import SnapshotRepository
from memoryd_server.ports.store import Store
from memoryd_server.ports.store_factory import UnfitStore
from memoryd_server.ports.summarizing import Summarizer
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.ports.tokenization import TokenCounter

log = logging.getLogger("memoryd.engine")


class EngineSettings(msgspec.Struct, frozen=True):
    """The engine's settings.

    ``restore`` is the id of the snapshot to restore into an empty store; empty restores none. ``restore_mark`` is None
    for a store that loses its memory with the process. ``tiers`` are those of the policy at the start; None without
    one. ``ingest_ns`` is the time at rest after which a conversation is ingested in the background; None for never.
    """

    limits: Limits = Limits()
    cache: CacheSize = CacheSize()
    schedule: Schedule = Schedule()
    snapshot_on_shutdown: bool = False
    restore: str = ""
    restore_mark: RestoreMark | None = None
    fragments: FragmentPolicy = FragmentPolicy()
    memories: MemoryPolicy = MemoryPolicy()
    query_timeout_s: float = 2.0
    tiers: tuple[Tier, ...] | None = None
    ingest_mode: IngestMode = IngestMode.STORE
    ingest_ns: int | None = None


class IndexFiles(msgspec.Struct, frozen=True):
    """The saved indexes of the agents' memories, and of their documents; None for none."""

    memories: SavedIndexes | None = None
    chunks: SavedIndexes | None = None


NO_INDEX_FILES = IndexFiles()


class Engine:
    """Composes the use cases. Opens and closes their parts in an order that loses no acknowledged change."""

    _last_snapshot: asyncio.Task[None] | None

    def __init__(
        self,
        settings: EngineSettings,
        *,
        store: Store,
        snapshot_repository: SnapshotRepository,
        segment_drafts: SegmentDrafts,
        telemetry: WorkingMemoryTelemetry,
        new_index: Callable[[], MemoryIndex],
        new_document_index: Callable[[], MemoryIndex],
        new_selector: Callable[[], MemorySelector],
        mentioned_times: MentionedTimes,
        document_sources: DocumentSources,
        clock: Clock,
        saved_indexes: IndexFiles = NO_INDEX_FILES,
        embedder: Embedder | None = None,
        token_counter: TokenCounter | None = None,
        summarizer: Summarizer | None = None,
        proposer: Proposer | None = None,
    ) -> None:
        self.settings, self.store, self.clock = settings, store, clock
        self.tiers = Tiers(settings.limits, settings.tiers)
        self.components = components = Components(clock)
        self.hub, self.telemetry = _hub(settings.limits, telemetry), telemetry
        self._last_snapshot, self._skips_snapshot = None, False
        self._repository, self._document_sources = snapshot_repository, document_sources
        self._feed = _feed(store, self.hub)
        self.cache = cache = AgentCache(store, self._feed, clock, self.tiers, settings.cache, telemetry.engine)
        self._feed.connect(self.cache)
        self.working_memory = WorkingMemory(self.cache, clock, telemetry)
        self.collections, self._selectors = Collections(cache, clock), MemorySelectors(new_selector)
        self.fragments = Fragments(self.cache, settings.fragments, clock, telemetry)
        self._indexes = MemoryIndexes(new_index, saved_indexes.memories)
        self._chunk_indexes = ChunkIndexes(new_document_index, saved_indexes.chunks)
        self._saved_indexes = IndexGroup(self._indexes, self._chunk_indexes)
        self._vectors = Vectors(embedder, self.cache, telemetry, components, query_timeout_s=settings.query_timeout_s)
        self.events = Events(store, self.hub, self._feed, self.cache, clock)
        forget_pages, forget_indexes = self.events.forget_pages, self._saved_indexes.forget
        self.erasures = erasures = JournalErasures(store, self.cache, clock, forget_pages, forget_indexes)
        for derived in (self._indexes, self._selectors, self._vectors):
            self.cache.observe(derived, MEMORIES)
        self.memories = LongTermMemories(
            self.cache,
            settings.memories,
            indexes=self._indexes,
            selection=MemorySelection(self._selectors, settings.memories),
            vectors=self._vectors,
            mentioned_times=mentioned_times,
            erasures=erasures,
            clock=clock,
            telemetry=telemetry,
        )
        self.cache.observe(self._chunk_indexes, DOCUMENT, DOCUMENT_CHUNK)
        self.documents = Documents(
            self.cache, settings.limits, indexes=self._chunk_indexes, vectors=self._vectors, sources=document_sources
        )
        self.contexts = Contexts(self.cache, self.memories, self.documents, token_counter, clock)
        self.compaction = Compaction(self.cache, summarizer)
        self.ingestion = Ingestion(self.cache, self.memories, proposer, settings.ingest_mode)
        self._background_ingestion = self._new_background_ingestion()
        self._consolidation = self._new_consolidation()
        self.snapshots = Snapshots(snapshot_repository, store, self.cache, erasures, clock, telemetry.engine)
        use_cases = (self.working_memory, self.collections, self.fragments, self.memories)
        self.journal_export = JournalExport(store, self._feed, segment_drafts, clock)
        self.leftovers = Leftovers(self.cache, (each.drop_listings for each in use_cases))
        self.cache.observe(self.leftovers, ERASURES, MEMORIES)
        self.agents = Agents(store, self.cache, self.snapshots, erasures, clock, embeds=embedder is not None)
        self.operations = Operations(settings.limits, clock, telemetry.operations)
        self.maintenance = self._maintenance(erasures, clock)

    @property
    def proposals(self) -> MemoryProposals:
        """The review queue."""
        return MemoryProposals(self.cache, self.memories, self.clock)

    async def open(self) -> None:
        """Open the store, restore a snapshot if that is due, start the background tasks. On failure, close again."""
        self.store.measure(self.telemetry.engine.transaction_duration)
        await self.store.open()
        self.components.of("store")
        self.components.look(self._look_at_watches)
        if self.store.room is not None:
            self.store.room.observe(self._note_room)
            self.store.room.observe_failures(self._note_failure)
        try:
            if self.store.sharing is not None and await self.store.sharing.is_restoring():
                raise UnfitStore("the restore of a backup into it did not end: run memoryd backup restore again")
            await self._repository.open()
            await self._document_sources.uploads.open()
            await self._saved_indexes.open()
            await self._feed.open()
            wanted, mark = self.settings.restore, self.settings.restore_mark
            await restore_initially(wanted, self.snapshots, self.store, mark)
        except BaseException:
            await self._feed.close()
            await self.store.close()
            raise
        self._vectors.start()
        if self._consolidation is not None:
            self._consolidation.start()
        if self._background_ingestion is not None:
            self._background_ingestion.start()
        self.maintenance.start()

    async def close(self, *, take_snapshot: bool) -> None:
        """Stop the background tasks, write the access counts, take a last snapshot if configured, and close the store.

        A failure of the snapshot is only logged: no acknowledged change depends on it.
        """
        try:
            await self._document_sources.close()
            await self.maintenance.stop()
            if self._consolidation is not None:
                await self._consolidation.stop()
            if self._background_ingestion is not None:
                await self._background_ingestion.stop()
            await self._vectors.stop()
            await self.compaction.close()
            await self.ingestion.close()
            # After all background tasks: they may still count reads and commit.
            await self.cache.record_accesses()
            await self._saved_indexes.save_all()
            await self._feed.close()
            if take_snapshot and self.settings.snapshot_on_shutdown and not self._skips_snapshot:
                self._last_snapshot = asyncio.create_task(self.maintenance.snapshot("shutdown"))
                await asyncio.wait((self._last_snapshot,))
                self._log_last_snapshot(self._last_snapshot)
        finally:
            self._indexes.close()
            self._selectors.close()
            self._chunk_indexes.close()
            await self.store.close()

    async def measure(self) -> None:
        """Set the gauges that cost a look: at the cache, the watches, the store and the snapshots.

        Raises what the store raises; those that it has no part in are set before.
        """
        telemetry, engine = self.telemetry, self.telemetry.engine
        self.cache.measure()
        parked, lag = self.hub.parked_and_lag()
        engine.watches_parked.set(parked)
        engine.watch_lag.set(lag)
        await self.snapshots.measure()
        totals = await self.store.totals()
        telemetry.entries.set(totals.entries)
        telemetry.scopes.set(totals.scopes)
        telemetry.fragments.set(totals.fragments)
        telemetry.memories.set(totals.memories)
        shards = range(self.store.shard_count)
        ends = await asyncio.gather(*map(self.store.journal_end, shards))
        starts = await asyncio.gather(*map(self.store.journal_start, shards))
        engine.journal_rows.set(sum(ends) - sum(starts) + len(shards))

    def _note_room(self, has_room: bool) -> None:
        self.telemetry.read_only.set(int(not has_room))
        disk = self.components.of("disk")
        if has_room:
            disk.ok()
        else:
            disk.degrade("the store is full: of changes, only removals are accepted", stops_changes=True)
            self._saved_indexes.make_room()

    def _note_failure(self, is_failing: bool) -> None:
        store = self.components.of("store")
        if is_failing:
            store.degrade("the last write failed: see the log", stops_changes=True)
        else:
            store.ok()

    def _look_at_watches(self) -> None:
        watches = self.components.of("watches")
        if self.hub.memory.is_full:
            watches.degrade("their memory is full, since clients do not read")
        else:
            watches.ok()

    def end_waits(self) -> None:
        """End all waits for a reservation or for fragments without a result. Later calls do not wait at all."""
        self.cache.end_waits()

    def skip_snapshot(self) -> None:
        """Cancel the last snapshot, or do not start it."""
        self._skips_snapshot = True
        if self._last_snapshot is not None:
            self._last_snapshot.cancel()

    def _new_background_ingestion(self) -> BackgroundIngestion | None:
        if self.settings.ingest_ns is None:
            return None
        return BackgroundIngestion(self.cache, self.ingestion, self.telemetry)

    def _new_consolidation(self) -> Consolidation | None:
        if not self.settings.fragments.consolidates:
            return None
        consolidation = Consolidation(self.cache, self.memories, self.telemetry)
        self.cache.observe(consolidation, FRAGMENTS, AGENT)
        return consolidation

    def _maintenance(self, erasures: JournalErasures, clock: Clock) -> Maintenance:
        ingestion = self._background_ingestion
        return Maintenance(
            self.settings.schedule,
            store=self.store,
            agents=self.cache,
            snapshots=self.snapshots,
            erasures=erasures,
            sweep_rules={
                MEMORIES.name: self.settings.memories,
                FRAGMENTS.name: FragmentSweep(consolidates=self.settings.fragments.consolidates),
                DUE_INGESTIONS.name: ingestion,
            },
            indexes=self._saved_indexes,
            clock=clock,
            telemetry=self.telemetry,
            components=self.components,
            note_due=None if ingestion is None else ingestion.note_due,
        )

    def _log_last_snapshot(self, snapshot: "asyncio.Task[None]") -> None:
        if snapshot.cancelled():
            log.warning("snapshot on shutdown skipped")
        elif (failure := snapshot.exception()) is not None:
            log.error("snapshot on shutdown failed", exc_info=failure)


def _hub(limits: Limits, telemetry: WorkingMemoryTelemetry) -> Hub:
    return Hub(WatchMemory(limits.watch_bytes, telemetry.watch_bytes, telemetry.engine.watch_messages))


def _feed(store: Store, hub: Hub) -> Feed:
    if store.sharing is None:
        return OwnFeed(store, hub)
    return Follower(store, store.sharing, hub)
