"""Use cases of long-term memories: create, change, list and recall them."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import cast

import msgspec

from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.error import RecordNotFound
from memoryd_server.domain.limit import MEMORIES_PER_BATCH_MAX, PAGE_BYTES_MAX
from memoryd_server.domain.memories.changes.embedding_change import MemoriesReembedded
from memoryd_server.domain.memories.changes.memory_change import UpdateMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, new_memory_id
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemories
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.kinship.kinship import content_of
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryDraft, min_salience_of
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE, LinkType, MemoryLink, link_name
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
from memoryd_server.domain.values.response_size import response_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import Listings, Page, PageRequest
from memoryd_server.engine.agents.offload import offload
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.agents.writer import AgentWriter
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.indexes.batch_kin import with_earlier_drafts
from memoryd_server.engine.indexes.history_index import PastMemories
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes
from memoryd_server.engine.indexes.relatives import with_contradictions, with_kin
from memoryd_server.engine.indexes.vectors import Vector, Vectors
from memoryd_server.engine.memories.memory_log import log_memory_change, measure_memory_change
from memoryd_server.engine.memories.memory_selection import MemorySelection
from memoryd_server.engine.memories.reembedding import Reembedding
from memoryd_server.ports.retrieval import (
    Familiarity,
    Match,
    MemoryIndex,
    MentionedTimes,
    Query,
    Ranking,
    WithRecalls,
    as_stored,
)
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry


class KnownMemory(msgspec.Struct, frozen=True):
    """A memory as returned to a client, with its figures as of the call. ``embedding`` is set only on request."""

    memory: Memory
    salience: float
    link_count: int
    access_count: int
    last_access_time: int
    embedding: Embedding | None = None


class RecallRequest(msgspec.Struct, frozen=True):
    """A recall; see RecallMemoriesRequest of the wire contract. ``vector`` is set if the caller gave one.

    If ``is_at_rest`` is true, no accesses are counted, and the ranking is as of the agent's last change: the result
    depends on the state alone.
    """

    text: str
    limit: int
    filter: RecordFilter
    min_score: float | None = None
    vector: Vector | None = None
    read_time: int | None = None
    follow_links: bool = True
    include_embedding: bool = False
    is_at_rest: bool = False


class RecalledMemory(msgspec.Struct, frozen=True):
    """A recalled memory, and the agent that it belongs to."""

    agent_id: str
    match: Match
    known: KnownMemory


class Recalled(msgspec.Struct, frozen=True):
    """The recalled memories, best first; the number of all matches; and the duration in ns.

    ``further_revisions`` are those of the further agents, in their order.
    """

    found: Sequence[RecalledMemory]
    total: int
    duration_ns: int
    uses_meaning: bool
    revision: int
    further_revisions: Sequence[int] = ()


class _Ranked(msgspec.Struct, frozen=True):
    """The matches of one agent, best first, with the value that they are of. ``time`` is what figures are as of."""

    agent_id: str
    writer: AgentWriter
    memories: LongTermMemory
    matches: Sequence[tuple[Match, Memory]]
    ranking: Ranking
    time: int
    revision: int


class FoundMemories(msgspec.Struct, frozen=True):
    """The memories that were found of many, in the order of their ids.

    ``missing_ids`` do not exist, and ``remaining_ids`` were not looked up, since the response would be too large.
    """

    memories: Sequence[KnownMemory]
    missing_ids: Sequence[str]
    remaining_ids: Iterable[str]
    revision: int


class LongTermMemories:
    """The long-term memories of all agents. Every method raises what the domain and the store raise.

    Reads take ``consistency``; see ``engine.entries.working_memory.WorkingMemory``.
    """

    def __init__(
        self,
        agents: AgentCache,
        policy: MemoryPolicy,
        *,
        indexes: MemoryIndexes,
        selection: MemorySelection,
        vectors: Vectors,
        mentioned_times: MentionedTimes,
        erasures: JournalErasures,
        clock: Clock,
        telemetry: WorkingMemoryTelemetry,
    ) -> None:
        self.policy = policy
        self.mentioned_times = mentioned_times
        self._agents = agents
        self._indexes = indexes
        self._selection = selection
        self._vectors = vectors
        self._erasures = erasures
        self._clock = clock
        self._telemetry = telemetry
        self._past = PastMemories(indexes)
        self._reembedding = Reembedding(agents, vectors)
        self._memory_listings: Listings[Memory] = Listings()
        self._link_listings: Listings[MemoryLink] = Listings()

    @property
    def identity(self) -> EmbeddingIdentity | None:
        """The identity of the embedder, which each of its vectors has; None without an embedder."""
        return self._vectors.identity

    def drop_listings(self, agent_id: str) -> None:
        """Drop the records that are kept for the next pages of an agent's listings."""
        self._memory_listings.drop(agent_id)
        self._link_listings.drop(agent_id)

    async def create_command(
        self, agent_id: str, drafts: Sequence[MemoryDraft], *, returns_content: bool = False
    ) -> CreateMemories:
        """Return the command that creates memories, or reinforces those that they are duplicates of."""
        first_id = new_id()
        return CreateMemories(await self.completed(agent_id, drafts, first_id), first_id, self.policy, returns_content)

    async def completed(
        self, agent_id: str, drafts: Sequence[MemoryDraft], first_id: str, relatives_max: int = 0
    ) -> tuple[MemoryDraft, ...]:
        """Return the drafts with their vectors, their duplicates and relatives, and what they contradict.

        Drafts without an id will have ids that begin with ``first_id``.
        """
        complete = await self._vectors.given(drafts)
        if not any(draft.looks_for_kin for draft in complete):
            return complete
        state = (await self._agents.current(agent_id)).state
        memories = state.part(MEMORIES)
        if not memories and len(complete) == 1:
            return complete
        ids = [draft.memory_id or new_memory_id(first_id, index) for index, draft in enumerate(complete)]

        def work(index: MemoryIndex) -> list[MemoryDraft]:
            # Drafts of one batch are compared with the same memories again and again.
            read = cache(content_of)
            found = [with_kin(draft, index, memories, self.policy, relatives_max, read) for draft in complete]
            return with_earlier_drafts(found, ids, read)

        found, _ = await self._indexes.use(state, work)
        return tuple(found)

    async def change(self, agent_id: str, command: Command[R], write: Write = UNCONDITIONAL) -> R:
        """Execute a command. Return its result once the change is committed."""
        result = await self._agents.submit(agent_id, command, write)
        self.note_change(agent_id, command, result)
        return result

    def note_change(self, agent_id: str, command: Command, result: Result) -> None:
        """Log and count the result of a command."""
        log_memory_change(agent_id, command, result)
        measure_memory_change(self._telemetry, result)

    async def update_command(self, agent_id: str, command: UpdateMemory) -> UpdateMemory:
        """Return a change of a memory with what a new content contradicts, and its vector if that takes no waiting."""
        content = command.patch.content
        if not isinstance(content, str):
            return command
        made = await self._vectors.of_content(content) if command.identity is None else None
        if made is not None:
            command = command.with_vector(*made, is_given=False)
        state = (await self._agents.current(agent_id)).state
        memories = state.part(MEMORIES)
        if command.memory_id not in memories.memories:
            return command

        def work(index: MemoryIndex) -> UpdateMemory:
            return with_contradictions(command, index, memories, self.policy)

        found, _ = await self._indexes.use(state, work)
        return found

    async def forgetting(self, agent_id: str, chosen: RecordFilter) -> ForgetMemories:
        """Return the command that forgets the oldest memories that a filter keeps, at most MEMORIES_PER_BATCH_MAX."""
        writer = await self._agents.current(agent_id)
        selected, _ = await self._selection.select(
            writer.state, chosen, ListOrder.CREATE_TIME, self._clock(), with_recalls=_with_recalls(writer)
        )
        oldest = tuple(memory.memory_id for memory in selected[:MEMORIES_PER_BATCH_MAX])
        return ForgetMemories(oldest, self.policy, chosen, len(selected) - len(oldest))

    async def erase(self, agent_id: str) -> None:
        """Erase the content of an agent's purged memories from the store and the journal."""
        await self._erasures.finish(agent_id)

    async def known(self, agent_id: str, memory: Memory, *, as_it_is: bool = False) -> KnownMemory:
        """Return a memory that a change returned, with its figures; if ``as_it_is`` is true, with the current content.

        It has no content if it is gone: a repeated request must not bring back what was purged since.
        """
        writer, now = await self._agents.writer(agent_id), self._clock()
        memories = writer.state.part(MEMORIES)
        current = memories.find(memory.memory_id, now)
        if current is None or current.sequence != memory.sequence:
            memory, as_it_is = memory.without_content(), False
        return self._known(writer, memories, current if current and as_it_is else memory, now)

    async def get_many(
        self,
        agent_id: str,
        memory_ids: Sequence[str],
        *,
        include_forgotten: bool = False,
        include_embedding: bool = False,
        consistency: Consistency = CURRENT,
    ) -> FoundMemories:
        """Return memories by their ids, at most about PAGE_BYTES_MAX. Each counts as an access."""
        writer, now = await self._agents.current(agent_id, consistency), self._clock()
        memories = writer.state.part(MEMORIES)
        found, missing, size_bytes = list[KnownMemory](), list[str](), 0
        remaining = deque(memory_ids)
        while remaining and size_bytes < PAGE_BYTES_MAX:
            memory_id = remaining.popleft()
            memory = memories.find(memory_id, now)
            if memory is None or (memory.is_forgotten and not include_forgotten):
                missing.append(memory_id)
                continue
            writer.accesses.note(f"memory/{memory_id}", memory_id, now)
            found.append(self._known(writer, memories, memory, now, include_embedding))
            size_bytes += _answer_bytes(found[-1])
        return FoundMemories(found, missing, remaining, writer.state.revision)

    async def get(
        self,
        agent_id: str,
        memory_id: str,
        *,
        read_time: int | None = None,
        include_forgotten: bool = False,
        include_embedding: bool = False,
        consistency: Consistency = CURRENT,
    ) -> tuple[KnownMemory, int]:
        """Return a memory and the agent's revision. Counts as an access unless ``read_time`` is set."""
        writer, now = await self._agents.current(agent_id, consistency), self._clock()
        memories = writer.state.part(MEMORIES)
        memory = memories.find(memory_id, now) if read_time is None else memories.was(memory_id, read_time, now)
        if memory is None or (memory.is_forgotten and not include_forgotten):
            raise RecordNotFound(agent_id, MEMORIES.name, memory_id)
        if read_time is None:
            writer.accesses.note(f"memory/{memory.memory_id}", memory.memory_id, now)
        time, with_recalls = (now, None) if read_time is None else (read_time, as_stored)
        known = self._known(writer, memories, memory, time, include_embedding, with_recalls)
        return known, writer.state.revision

    async def list(
        self,
        agent_id: str,
        chosen: RecordFilter,
        request: PageRequest,
        order: ListOrder = ListOrder.CREATE_TIME_DESCENDING,
        *,
        forgotten_only: bool = False,
        consistency: Consistency = CURRENT,
    ) -> Page[KnownMemory]:
        """Return a page of the memories that a filter keeps. Does not count as an access.

        Either only forgotten memories are listed, or all others.
        """
        writer, now = await self._agents.current(agent_id, consistency), self._clock()
        state = writer.state
        listed: Sequence[Memory] = ()
        if not self._memory_listings.keeps(request, now):
            listed, state = await self._selection.select(
                state, chosen, order, now, with_recalls=_with_recalls(writer), forgotten_only=forgotten_only
            )
        page = self._memory_listings.page(
            agent_id, request, state.revision, now, lambda: listed, response_bytes, PAGE_BYTES_MAX
        )
        known = [self._known(writer, state.part(MEMORIES), each, now) for each in page.items if each.is_live(now)]
        return Page(known, page.next_page_token, page.total_count, page.revision)

    async def list_links(
        self,
        agent_id: str,
        memory_id: str,
        chosen: RecordFilter,
        request: PageRequest,
        order: ListOrder = ListOrder.ID,
        consistency: Consistency = CURRENT,
    ) -> Page[MemoryLink]:
        """Return a page of the links of a memory, or of all memories, that a filter keeps."""
        writer, now = await self._agents.current(agent_id, consistency), self._clock()
        memories = writer.state.part(MEMORIES)
        known = memories.find(memory_id, now) if memory_id else None
        if memory_id and (known is None or known.is_forgotten):
            raise RecordNotFound(agent_id, MEMORIES.name, memory_id)

        # The two memories of a link have the same user.
        shape = msgspec.structs.replace(MEMORY_LINK_SHAPE, user_of=lambda link: memories.memories[link.from_id].user_id)

        def items() -> Sequence[MemoryLink]:
            ends = (memory_id,) if memory_id else memories.links
            links = {link.key: link for end in ends for link in memories.links_of(end)}
            matcher = Matcher(chosen, shape)
            return arranged(filter(matcher.keeps, links.values()), order, lambda each: each.key)

        revision = writer.state.revision
        listed = () if self._link_listings.keeps(request, now) else await offload(memories.link_count, items)
        return self._link_listings.page(agent_id, request, revision, now, lambda: listed, _no_bytes, PAGE_BYTES_MAX)

    async def link(
        self, agent_id: str, from_id: str, to_id: str, link_type: LinkType, consistency: Consistency = CURRENT
    ) -> tuple[MemoryLink, int]:
        """Return a link and the agent's revision. Raises RecordNotFound."""
        state = (await self._agents.current(agent_id, consistency)).state
        link = state.part(MEMORIES).link(from_id, to_id, link_type)
        if link is None:
            raise RecordNotFound(agent_id, **link_name(from_id, to_id, link_type))
        return link, state.revision

    async def recall(
        self,
        agent_id: str,
        request: RecallRequest,
        consistency: Consistency = CURRENT,
        further_agent_ids: Sequence[str] = (),
    ) -> Recalled:
        """Return the memories that match best, of the agent and of further ones together.

        Counts as accesses unless ``read_time`` or ``is_at_rest`` is set. ``consistency`` is that of the first agent.
        """
        started, counts = time.perf_counter_ns(), request.read_time is None and not request.is_at_rest
        vector = request.vector or await self._vectors.of_query(request.text)
        agents = [(agent_id, consistency), *((each, CURRENT) for each in further_agent_ids)]
        ranked = await asyncio.gather(*(self._ranked(name, request, vector, level) for name, level in agents))
        # Sorting is stable: of equal scores, the agents keep their order, and so do the matches of each.
        matches = [(each, match, memory) for each in ranked for match, memory in each.matches]
        best = sorted(matches, key=lambda each: -each[1].score)[: request.limit] if further_agent_ids else matches
        found: list[RecalledMemory] = []
        size_bytes, now = 0, self._clock()
        for each, match, memory in best:
            if size_bytes >= PAGE_BYTES_MAX:
                break
            if counts:
                each.writer.accesses.note(f"memory/{memory.memory_id}", memory.memory_id, now)
            with_recalls = None if counts else as_stored
            known = self._known(each.writer, each.memories, memory, each.time, request.include_embedding, with_recalls)
            size_bytes += _answer_bytes(known)
            found.append(RecalledMemory(each.agent_id, match, known))
        duration_ns = time.perf_counter_ns() - started
        self._telemetry.recall_latency_ms.observe(duration_ns / 1_000_000)
        total, (revision, *further) = sum(each.ranking.total for each in ranked), (each.revision for each in ranked)
        uses_meaning = any(each.ranking.uses_meaning for each in ranked)
        return Recalled(found, total, duration_ns, uses_meaning, revision, further)

    async def _ranked(
        self, agent_id: str, request: RecallRequest, vector: Vector | None, consistency: Consistency
    ) -> _Ranked:
        writer = await self._agents.current(agent_id, consistency)
        now, state = self._clock(), writer.state
        asked = state.update_time if request.is_at_rest else now
        familiarity = self._vectors.familiarity_of(request.text, vector)
        query = _query_of(request, vector, familiarity, asked if request.read_time is None else request.read_time)
        if request.read_time is None and not request.is_at_rest:
            query = msgspec.structs.replace(query, with_recalls=_with_recalls(writer))
        search = _searching(query)
        ranking, past = Ranking((), 0), cast("Mapping[str, Memory]", {})
        if state.part(MEMORIES) and request.read_time is not None:
            ranking, past = await self._past.use(state.part(MEMORIES), request.read_time, now, search)
        elif state.part(MEMORIES):
            ranking, state = await self._indexes.use(state, search)
        memories = state.part(MEMORIES)
        found = memories.memories if request.read_time is None else past
        matches = [(match, memory) for match in ranking.matches if (memory := found.get(match.memory_id)) is not None]
        if request.read_time is None:
            matches = [(match, memory) for match, memory in matches if memory.is_live(now)]
        return _Ranked(agent_id, writer, memories, matches, ranking, query.now, state.revision)

    async def reembed(self, agent_id: str, count_max: int, write: Write, *, replaces_given: bool) -> MemoriesReembedded:
        """Embed memories again; see ``Reembedding.reembed``."""
        return await self._reembedding.reembed(agent_id, count_max, write, replaces_given=replaces_given)

    def _known(
        self,
        writer: AgentWriter,
        memories: LongTermMemory,
        memory: Memory,
        now: int,
        include_embedding: bool = False,
        with_recalls: WithRecalls | None = None,
    ) -> KnownMemory:
        """Return a memory with its figures. Its salience is that ``with_recalls``, by default with all of them."""
        memory_id, recalled = memory.memory_id, _with_recalls(writer)(memory)
        return KnownMemory(
            memory,
            self._selection.salience(recalled if with_recalls is None else with_recalls(memory), memories, now),
            memories.link_count_of(memory_id),
            recalled.access_count,
            recalled.last_access_time,
            memories.embeddings.get(memory_id) if include_embedding else None,
        )


def _with_recalls(writer: AgentWriter) -> WithRecalls:
    """Return a function that adds to a memory the recalls that were counted since they were last recorded."""
    accesses = writer.accesses
    if not accesses:
        return as_stored

    def with_recalls(memory: Memory) -> Memory:
        count, last_time = accesses.counted(f"memory/{memory.memory_id}", memory.memory_id)
        return memory if last_time is None else memory.accessed(count, last_time)

    return with_recalls


def _query_of(request: RecallRequest, vector: Vector | None, familiarity: Familiarity, now: int) -> Query:
    identity, data = (None, None) if vector is None else vector
    return Query(
        request.text,
        now,
        request.limit,
        data,
        identity,
        request.filter,
        request.min_score,
        min_salience_of(request.filter),
        request.follow_links,
        meaning_known=familiarity.share,
        strange_words=familiarity.strange,
    )


def _searching(query: Query) -> Callable[[MemoryIndex], Ranking]:
    return lambda index: index.search(query)


def _answer_bytes(known: KnownMemory) -> int:
    """Return the size of a memory in a response: its content and its vector."""
    return response_bytes(known.memory) + (0 if known.embedding is None else known.embedding.size_bytes)


def _no_bytes(_: MemoryLink) -> int:
    return 0
