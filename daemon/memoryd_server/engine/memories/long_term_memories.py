"""Use cases of long-term memories: create, change, list and recall them."""

import logging
import time
from collections.abc import Callable, Sequence

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import MemoryNotFound
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryDraft
from memoryd_server.domain.memories.memory_change import MemoryPurged, PurgeMemory, UpdateMemory
from memoryd_server.domain.memories.memory_creation import CreateMemories, MemoriesCreated
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import salience_of
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.agents.listing import Listings, Page, PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.writer import AgentWriter
from memoryd_server.engine.indexes.history_index import PastMemories
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes
from memoryd_server.engine.indexes.relatives import with_kin
from memoryd_server.engine.indexes.vectors import Vector, Vectors
from memoryd_server.engine.memories.memory_log import log_memory_change, measure_memory_change
from memoryd_server.engine.memories.purges import Purges
from memoryd_server.ports.retrieval import Criteria, EmbedderUnavailable, Match, MemoryIndex, Query, Ranking
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.long_term_memory")


class KnownMemory(msgspec.Struct, frozen=True):
    """A memory as returned to a client, with its figures as of the call. ``embedding`` is set only on request."""

    memory: Memory
    salience: float
    linked_ids: tuple[str, ...]
    access_count: int
    last_access_time: int
    embedding: Embedding | None = None


class MemorySelection(msgspec.Struct, frozen=True):
    """The filters of a listing. Either only forgotten memories are listed, or all others."""

    criteria: Criteria
    min_salience: float = 0.0
    forgotten_only: bool = False


class RecallRequest(msgspec.Struct, frozen=True):
    """A recall; see RecallMemoriesRequest of the wire contract. ``vector`` is set if the caller gave one.

    If ``is_at_rest`` is true, no accesses are counted, and the ranking is as of the agent's last change: the result
    depends on the state alone.
    """

    text: str
    limit: int
    criteria: Criteria
    min_score: float = 0.0
    min_salience: float = 0.0
    vector: Vector | None = None
    as_of: int | None = None
    follow_links: bool = True
    include_embedding: bool = False
    is_at_rest: bool = False


class Recalled(msgspec.Struct, frozen=True):
    """The recalled memories, best first; the number of all matches; and the duration in ns."""

    found: Sequence[tuple[Match, KnownMemory]]
    total: int
    duration_ns: int
    uses_meaning: bool
    revision: int


class Reembedded(msgspec.Struct, frozen=True):
    """The number of memories that got a vector, and of those that still need one."""

    embedded: int
    left: int
    revision: int


class LongTermMemories:
    """The long-term memories of all agents. Every method raises what the domain and the store raise.

    Reads take ``max_staleness_ns``; see ``engine.entries.working_memory.WorkingMemory``.
    """

    def __init__(
        self,
        agents: AgentCache,
        policy: MemoryPolicy,
        *,
        indexes: MemoryIndexes,
        vectors: Vectors,
        purges: Purges,
        clock: Clock,
        telemetry: WorkingMemoryTelemetry,
    ) -> None:
        self.policy = policy
        self._agents = agents
        self._indexes = indexes
        self._vectors = vectors
        self._purges = purges
        self._clock = clock
        self._telemetry = telemetry
        self._past = PastMemories(indexes)
        self._memory_listings: Listings[Memory] = Listings()
        self._link_listings: Listings[MemoryLink] = Listings()

    @property
    def identity(self) -> EmbeddingIdentity | None:
        """The identity of the embedder, which each of its vectors has; None without an embedder."""
        return self._vectors.identity

    async def create(
        self,
        agent_id: str,
        drafts: Sequence[MemoryDraft],
        precondition: Precondition | None,
        origin: str,
        request: RequestKey | None,
    ) -> MemoriesCreated:
        """Create memories. A duplicate is not created: the existing memory is reinforced."""
        complete = await self.completed(agent_id, drafts)
        command = CreateMemories(complete, new_id(), self.policy, precondition)
        return await self.change(agent_id, command, origin, request)

    async def completed(
        self, agent_id: str, drafts: Sequence[MemoryDraft], relatives_max: int = 0
    ) -> tuple[MemoryDraft, ...]:
        """Return the drafts with their vectors, and with the existing memories that are duplicates or relatives."""
        complete = await self._vectors.given(drafts)
        if not any(draft.looks_for_kin for draft in complete):
            return complete
        state = (await self._agents.current(agent_id)).state
        memories = state.part(MEMORIES)
        if not memories:
            return complete

        def work(index: MemoryIndex) -> list[MemoryDraft]:
            return [with_kin(draft, index, memories, self.policy, relatives_max) for draft in complete]

        found, _ = await self._indexes.use(state, work)
        return tuple(found)

    async def change(self, agent_id: str, command: Command[R], origin: str, request: RequestKey | None) -> R:
        """Execute a command. Return its result once the change is committed."""
        result = await self._agents.submit(agent_id, command, origin, request)
        log_memory_change(agent_id, command, result)
        measure_memory_change(self._telemetry, result)
        return result

    async def update(self, agent_id: str, command: UpdateMemory, origin: str, request: RequestKey | None) -> Result:
        """Change a memory. A new content is embedded at once if the embedder is immediate."""
        content = command.patch.content
        if command.identity is None and isinstance(content, str):
            made = await self._vectors.of_content(content)
            if made is not None:
                command = command.with_vector(*made, is_given=False)
        return await self.change(agent_id, command, origin, request)

    async def purge(self, agent_id: str, command: PurgeMemory, origin: str, request: RequestKey | None) -> MemoryPurged:
        """Purge a memory. When this returns, its content is erased from the store and the journal."""
        result = await self.change(agent_id, command, origin, request)
        await self._purges.finish(agent_id)
        return result

    async def get(
        self,
        agent_id: str,
        memory_id: str,
        *,
        as_of: int | None = None,
        include_forgotten: bool = False,
        include_embedding: bool = False,
        max_staleness_ns: int = 0,
    ) -> tuple[KnownMemory, int]:
        """Return a memory and the agent's revision. Counts as an access unless ``as_of`` is set."""
        writer, now = await self._agents.current(agent_id, max_staleness_ns), self._clock()
        memories = writer.state.part(MEMORIES)
        memory = memories.find(memory_id, now) if as_of is None else memories.was(memory_id, as_of, now)
        if memory is None or (memory.is_forgotten and not include_forgotten):
            raise MemoryNotFound(agent_id, memory_id)
        if as_of is None:
            writer.accesses.note(f"memory/{memory.memory_id}", memory.memory_id, now)
        known = self._known(writer, memories, memory, now if as_of is None else as_of, include_embedding)
        return known, writer.state.revision

    async def list(
        self, agent_id: str, selection: MemorySelection, request: PageRequest, max_staleness_ns: int = 0
    ) -> Page[KnownMemory]:
        """Return a page of memories, newest first. Does not count as an access."""
        writer, now = await self._agents.current(agent_id, max_staleness_ns), self._clock()
        state = writer.state

        def items() -> Sequence[Memory]:
            found = [
                each
                for each in state.part(MEMORIES).live(now)
                if self._selects(selection, each, state.part(MEMORIES), now)
            ]
            return sorted(found, key=lambda each: each.sequence, reverse=True)

        def size_bytes(memory: Memory) -> int:
            return _answer_bytes(memory, state.part(MEMORIES))

        kept = self._memory_listings.keeps(request, now)
        listed = () if kept else await offload(len(state.part(MEMORIES)), items)
        page = self._memory_listings.page(request, state.revision, now, lambda: listed, size_bytes, PAGE_BYTES_MAX)
        known = [self._known(writer, state.part(MEMORIES), each, now) for each in page.items if each.is_live(now)]
        return Page(known, page.next_page_token, page.total_count, page.revision)

    async def list_links(
        self,
        agent_id: str,
        memory_id: str,
        link_type: LinkType | None,
        request: PageRequest,
        max_staleness_ns: int = 0,
    ) -> Page[MemoryLink]:
        """Return a page of the links of a memory, or of all memories, in order of their keys."""
        writer, now = await self._agents.current(agent_id, max_staleness_ns), self._clock()
        memories = writer.state.part(MEMORIES)
        known = memories.find(memory_id, now) if memory_id else None
        if memory_id and (known is None or known.is_forgotten):
            raise MemoryNotFound(agent_id, memory_id)

        def items() -> Sequence[MemoryLink]:
            ends = (memory_id,) if memory_id else memories.links
            links = {link.key: link for end in ends for link in memories.links_of(end)}
            return [link for _, link in sorted(links.items()) if link_type in (None, link.type)]

        revision = writer.state.revision
        listed = () if self._link_listings.keeps(request, now) else await offload(memories.link_count, items)
        return self._link_listings.page(request, revision, now, lambda: listed, _no_bytes, PAGE_BYTES_MAX)

    async def recall(self, agent_id: str, request: RecallRequest, max_staleness_ns: int = 0) -> Recalled:
        """Return the memories that match best. Counts as accesses unless ``as_of`` or ``is_at_rest`` is set."""
        started = time.perf_counter_ns()
        vector = request.vector or await self._vectors.of_query(request.text)
        writer = await self._agents.current(agent_id, max_staleness_ns)
        now, state = self._clock(), writer.state
        asked = state.update_time if request.is_at_rest else now
        query = _query_of(request, vector, asked if request.as_of is None else request.as_of)
        search = _searching(query)
        ranking = Ranking((), 0)
        if state.part(MEMORIES) and request.as_of is not None:
            ranking, past = await self._past.use(state.part(MEMORIES), request.as_of, now, search)
        elif state.part(MEMORIES):
            ranking, state = await self._indexes.use(state, search)
        memories = state.part(MEMORIES)
        found = []
        size_bytes = 0
        for match in ranking.matches:
            memory = (memories.memories if request.as_of is None else past).get(match.memory_id)
            if memory is None or (request.as_of is None and not memory.is_live(now)):
                continue
            if size_bytes >= PAGE_BYTES_MAX:
                break
            if request.as_of is None and not request.is_at_rest:
                writer.accesses.note(f"memory/{memory.memory_id}", memory.memory_id, now)
            known = self._known(writer, memories, memory, query.now, request.include_embedding)
            size_bytes += _answer_bytes(memory, memories)
            size_bytes += 0 if known.embedding is None else known.embedding.size_bytes
            found.append((match, known))
        duration_ns = time.perf_counter_ns() - started
        self._telemetry.recall_latency_ms.observe(duration_ns / 1_000_000)
        return Recalled(found, ranking.total, duration_ns, vector is not None, state.revision)

    async def reembed(self, agent_id: str, count_max: int, *, include_given: bool) -> Reembedded:
        """Embed at most ``count_max`` memories that have no vector, or one of another embedder.

        If ``include_given`` is true, vectors that writers gave are replaced, too. Stops if the embedder is unavailable.
        """
        state = (await self._agents.current(agent_id)).state
        embedded = 0
        try:
            while embedded < count_max:
                lacking = await self._lacking(state, include_given=include_given)
                part = lacking[: count_max - embedded]
                made = await self._vectors.renew(agent_id, part, replaces_given=include_given)
                state = (await self._agents.writer(agent_id)).state
                if not made:
                    break
                embedded += made
        except EmbedderUnavailable as failure:
            log.warning("memories not embedded again", extra={"agent_id": agent_id, "error": str(failure)})
        left = await self._lacking(state, include_given=include_given)
        return Reembedded(embedded, len(left), state.revision)

    async def _lacking(self, state: AgentState, *, include_given: bool) -> Sequence[Memory]:
        """Return the memories without a vector of the embedder, oldest first."""
        identity, memories = self._vectors.identity, state.part(MEMORIES)
        if identity is None:
            return []

        def lacks(memory: Memory) -> bool:
            embedding = memories.embeddings.get(memory.memory_id)
            if embedding is None:
                return True
            return embedding.identity != identity and (include_given or not embedding.is_given)

        def found() -> Sequence[Memory]:
            return sorted(filter(lacks, memories.memories.values()), key=lambda each: each.sequence)

        return await offload(len(memories), found)

    def _selects(self, selection: MemorySelection, memory: Memory, memories: LongTermMemory, now: int) -> bool:
        if memory.is_forgotten is not selection.forgotten_only or not selection.criteria.keeps(memory):
            return False
        return not selection.min_salience or self._salience(memory, memories, now) >= selection.min_salience

    def _salience(self, memory: Memory, memories: LongTermMemory, now: int) -> float:
        return salience_of(memory, memories.link_strength(memory.memory_id), now, self.policy.salience)

    def _known(
        self,
        writer: AgentWriter,
        memories: LongTermMemory,
        memory: Memory,
        now: int,
        include_embedding: bool = False,
    ) -> KnownMemory:
        memory_id = memory.memory_id
        others = (memories.find(link.other_end(memory_id), now) for link in memories.links_of(memory_id))
        linked_ids = {other.memory_id for other in others if other is not None and not other.is_forgotten}
        count, last_time = writer.accesses.counted(f"memory/{memory.memory_id}", memory.memory_id)
        access_count, last_access_time = memory.access_count + count, last_time or memory.last_access_time
        return KnownMemory(
            memory,
            self._salience(memory, memories, now),
            tuple(sorted(linked_ids)),
            access_count,
            last_access_time,
            memories.embeddings.get(memory_id) if include_embedding else None,
        )


def _query_of(request: RecallRequest, vector: Vector | None, now: int) -> Query:
    identity, data = (None, None) if vector is None else vector
    return Query(
        request.text,
        now,
        request.limit,
        data,
        identity,
        request.criteria,
        request.min_score,
        request.min_salience,
        request.follow_links,
    )


def _searching(query: Query) -> Callable[[MemoryIndex], Ranking]:
    return lambda index: index.search(query)


def _answer_bytes(memory: Memory, memories: LongTermMemory) -> int:
    """Return the size of a memory in a response: its texts, and the ids of linked memories."""
    memory_id = memory.memory_id
    return memory.size_bytes + sum(len(link.other_end(memory_id)) for link in memories.links_of(memory_id))


def _no_bytes(_: MemoryLink) -> int:
    return 0
