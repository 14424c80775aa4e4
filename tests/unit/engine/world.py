"""An engine for tests: over a store that can be blocked, with a manual clock, and without scheduled maintenance."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable

from tests.unit.engine.document_source import ListedUploads, PlainExtractor, PlainFetcher
from tests.unit.engine.plain_index import PlainIndex
from tests.unit.engine.repository import DictionaryRepository
from tests.unit.engine.segment_drafts import DictionaryDrafts
from tests.unit.engine.store import HeldStore
from tests.wait import WAIT_S_MAX

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import EventFilter, EventSelection
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.entries.entry import ROOT, EntryDraft
from memoryd_server.domain.entries.entry_change import SetEntry, SetOperation, WriteEntries
from memoryd_server.domain.limit import SECOND_NS, Limits
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.agent_cache import CacheSize
from memoryd_server.engine.agents.consistency import Consistency
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.documents.documents import DocumentSources
from memoryd_server.engine.engine import Engine, EngineSettings
from memoryd_server.engine.entries.working_memory import WorkingMemory
from memoryd_server.engine.fragments.fragments import FragmentPolicy
from memoryd_server.engine.images.initial_restore import RestoreMark
from memoryd_server.engine.upkeep.maintenance import Schedule
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchRequest, WatchStep
from memoryd_server.ports.proposing import Proposer
from memoryd_server.ports.retrieval import Embedder
from memoryd_server.ports.store import Store
from memoryd_server.ports.summarizing import Summarizer
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.retrieval.table.selector import Selector
from memoryd_server.retrieval.time.mention import mentioned_times_of

NOW = 1_800_000_000 * SECOND_NS
NEVER_S = 1e9
QUIET = Schedule(expiry_interval_s=NEVER_S, access_interval_s=NEVER_S, journal_interval_s=NEVER_S)


class ManualClock:
    """A clock that advances only when a test sets it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


def draft(key: str, value_json: str = "1", expire_time: int | None = None) -> EntryDraft:
    """Return the draft of an entry."""
    return EntryDraft(key, value_json, len(key) + len(value_json), expire_time=expire_time)


def request(request_id: str, body: bytes = b"body") -> Write:
    """Return what a change with a request id and the digest of its body is submitted with."""
    return Write(request=RequestKey(request_id, body))


async def until(condition: Callable[[], object]) -> None:
    """Let other tasks run until the condition holds."""
    async with asyncio.timeout(WAIT_S_MAX):
        while not condition():  # noqa: ASYNC110 - any condition, not an event of ours
            await asyncio.sleep(0)


async def settle() -> None:
    """Let all other tasks run until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


class World:
    """One engine, with shortcuts to use it."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        limits: Limits | None = None,
        cache: CacheSize | None = None,
        clock: ManualClock | None = None,
        repository: DictionaryRepository | None = None,
        schedule: Schedule = QUIET,
        restore: str = "",
        snapshot_on_shutdown: bool = False,
        name: str = "",
        embedder: Embedder | None = None,
        memories: MemoryPolicy | None = None,
        consolidates: bool = False,
        query_timeout_s: float = 5.0,
        summarizer: Summarizer | None = None,
        proposer: Proposer | None = None,
        restore_mark: RestoreMark | None = None,
        ingest_ns: int | None = None,
    ) -> None:
        self.clock = clock or ManualClock()
        self.held = HeldStore()
        self.store: Store = store or self.held
        self.repository = repository or DictionaryRepository()
        self.uploads = ListedUploads()
        self.extractor = PlainExtractor(self.uploads)
        self.fetcher = PlainFetcher()
        self.telemetry = WorkingMemoryTelemetry()
        settings = EngineSettings(
            limits or Limits(),
            cache or CacheSize(),
            schedule,
            snapshot_on_shutdown,
            restore,
            restore_mark,
            FragmentPolicy(consolidates=consolidates),
            memories or MemoryPolicy(),
            query_timeout_s,
            ingest_ns=ingest_ns,
        )
        self.engine = Engine(
            settings,
            store=self.store,
            snapshot_repository=self.repository,
            segment_drafts=DictionaryDrafts(),
            telemetry=self.telemetry,
            new_index=self._new_index,
            new_document_index=self._new_document_index,
            new_selector=Selector,
            mentioned_times=mentioned_times_of,
            document_sources=DocumentSources(self.uploads, self.extractor, self.fetcher),
            embedder=embedder,
            summarizer=summarizer,
            proposer=proposer,
            clock=self.clock,
        )
        self.indexes: list[PlainIndex] = []
        self.document_indexes: list[PlainIndex] = []
        self._name = name
        self._ids = itertools.count()

    async def __aenter__(self) -> "World":
        await self.engine.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.engine.close(take_snapshot=False)

    def _new_document_index(self) -> PlainIndex:
        self.document_indexes.append(PlainIndex())
        return self.document_indexes[-1]

    def _new_index(self) -> PlainIndex:
        self.indexes.append(PlainIndex())
        return self.indexes[-1]

    @property
    def memory(self) -> WorkingMemory:
        return self.engine.working_memory

    @property
    def cache(self):  # type: ignore[no-untyped-def]
        return self.engine.cache

    async def do(self, requested: Command, agent_id: str = "a", write: Write = UNCONDITIONAL) -> Result:
        return await self.cache.submit(agent_id, requested, write)

    async def set(
        self, key: str, value_json: str = "1", agent_id: str = "a", scope_id: str = ROOT, ttl_ns: int | None = None
    ) -> Result:
        expire_time = None if ttl_ns is None else self.clock.now + ttl_ns
        return await self.do(SetEntry(scope_id, draft(key, value_json, expire_time), self.new_id()), agent_id)

    async def fill(self, keys: list[str], value_json: str = "1", agent_id: str = "a") -> Result:
        """Set many keys in one revision."""
        operations = tuple(SetOperation(draft(key, value_json)) for key in keys)
        return await self.do(WriteEntries(ROOT, operations, self.new_id()), agent_id)

    async def value(self, key: str, agent_id: str = "a", scope_id: str = ROOT, max_staleness_ns: int = 0) -> str | None:
        found, _ = await self.memory.get_entry(
            agent_id, scope_id, key, local_only=False, consistency=Consistency(max_staleness_ns)
        )
        return None if found is None else found.entry.value_json

    def new_id(self) -> str:
        return f"{self._name}id{next(self._ids)}"

    def watch(self, *agent_ids: str, **fields: object) -> "Watcher":
        """Return a watch of these agents, or of all."""
        filters = (EventFilter(AgentPatterns.of(agent_ids)),) if agent_ids else ()
        selection = fields.pop("selection", EventSelection(filters))
        interval_ns = fields.pop("progress_interval_ns", round(NEVER_S) * SECOND_NS)
        return Watcher(self.engine.events.watch(WatchRequest(selection, interval_ns, **fields)))  # type: ignore[arg-type]


class Watcher:
    """A reader of a watch, step by step."""

    def __init__(self, steps: AsyncGenerator[WatchStep, None]) -> None:
        self._steps = steps
        self.last: WatchStep

    async def __aenter__(self) -> "Watcher":
        assert (await self.next()).phase is WatchPhase.OPENED
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._steps.aclose()

    async def next(self) -> WatchStep:
        async with asyncio.timeout(WAIT_S_MAX):
            self.last = await anext(self._steps)
        return self.last

    async def keys(self, count: int) -> list[str]:
        """Return the keys of the next events, of which there must be exactly ``count``."""
        found: list[str] = []
        while len(found) < count:
            found += keys_of(await self.next())
        assert len(found) == count
        return found


def keys_of(step: WatchStep) -> list[str]:
    """Return the keys of a step's events."""
    return [event.subject.key for each in step.slices for event in each.events]
