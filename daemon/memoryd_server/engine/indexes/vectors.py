"""Embedding: vectors for queries and new memories at once, and in the background for memories without one."""

import asyncio
import itertools
import logging
from collections.abc import Iterable, Sequence

import msgspec

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.memories.changes.embedding_change import EmbeddedContent, KeepEmbeddings
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory, MemoryDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.limit import (
    DOCUMENT_VECTORS_BYTES_MAX,
    EMBEDDED_AT_ONCE_MAX,
    EMBEDDED_TOGETHER_MAX,
    EMBEDDER_RETRY_S,
)
from memoryd_server.engine.operations import progress
from memoryd_server.ports.component import Components
from memoryd_server.ports.retrieval import Embedder, EmbedderUnavailable, Familiarity
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.ports.tracing import part

log = logging.getLogger("memoryd.embedding")


Vector = tuple[EmbeddingIdentity, bytes]


class Vectors:
    """Embeds texts, if there is an embedder. An ``AgentObserver``.

    Memories committed without a vector wait in a queue, each agent's in the order of their creation. The queue is not
    stored: it is rebuilt from the records when an agent is loaded.
    """

    def __init__(
        self,
        embedder: Embedder | None,
        agents: AgentCache,
        telemetry: WorkingMemoryTelemetry,
        components: Components,
        *,
        query_timeout_s: float,
    ) -> None:
        self._embedder = embedder
        self._agents = agents
        self._telemetry = telemetry
        self._query_timeout_s = query_timeout_s
        self._component = None if embedder is None else components.of("embedder")
        self._waiting: dict[str, dict[str, None]] = {}
        self._has_waiting = asyncio.Event()
        self._together = EMBEDDED_TOGETHER_MAX
        self._task: asyncio.Task[None] | None = None

    @property
    def identity(self) -> EmbeddingIdentity | None:
        """The identity of the embedder, which each of its vectors has; None without an embedder."""
        return None if self._embedder is None else self._embedder.identity

    def start(self) -> None:
        """Start to work on the queue; ``stop`` must follow."""
        if self._embedder is not None:
            self._task = asyncio.create_task(self._work(), name="vectors")

    async def stop(self) -> None:
        """Stop, and close the embedder."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        if self._embedder is not None:
            await self._embedder.close()

    async def of_query(self, text: str) -> Vector | None:
        """Return the vector of a query; None without an embedder, or if it fails or exceeds the timeout."""
        if self._embedder is None or not text.strip():
            return None
        try:
            with part("embed query"):
                async with asyncio.timeout(self._query_timeout_s):
                    (vector,) = await self._embed((text,))
        except (EmbedderUnavailable, TimeoutError) as failure:
            self._note_embedder(is_available=False)
            log.warning("query not embedded, searched by words only", extra={"error": str(failure) or "timeout"})
            return None
        return self._embedder.identity, vector

    def familiarity_of(self, text: str, vector: Vector | None) -> Familiarity:
        """Return how well the embedder knows the words of a text that has this vector."""
        if self._embedder is None or vector is None or vector[0] != self._embedder.identity:
            return Familiarity()
        return self._embedder.familiarity_of(text)

    async def of_texts(self, texts: Sequence[str], timeout_s: float) -> tuple[EmbeddingIdentity | None, list[bytes]]:
        """Return the vectors of the first chunks: as many as are embedded within ``timeout_s``, perhaps none.

        They take at most DOCUMENT_VECTORS_BYTES_MAX.
        """
        embedder, vectors = self._embedder, list[bytes]()
        if embedder is None:
            return None, vectors
        wanted = texts[: DOCUMENT_VECTORS_BYTES_MAX // (4 * embedder.identity.dimensions)]
        try:
            async with asyncio.timeout(timeout_s):
                for first in range(0, len(wanted), EMBEDDED_AT_ONCE_MAX):
                    progress.report(RecordKind.DOCUMENT_CHUNK, first, len(wanted))
                    vectors.extend(await self._embed(wanted[first : first + EMBEDDED_AT_ONCE_MAX]))
        except (EmbedderUnavailable, TimeoutError) as failure:
            log.warning("chunks not embedded, added without vectors", extra={"error": str(failure) or "timeout"})
        progress.report(RecordKind.DOCUMENT_CHUNK, len(vectors), len(wanted))
        return embedder.identity, vectors

    async def given(self, drafts: Sequence[MemoryDraft]) -> tuple[MemoryDraft, ...]:
        """Return the drafts, with vectors if the embedder is immediate."""
        lacking = [draft.content for draft in drafts if draft.identity is None]
        made = await self._made_at_once(lacking) if lacking else None
        if made is None:
            return tuple(drafts)
        identity, vectors = made[0], iter(made[1])
        return tuple(
            msgspec.structs.replace(draft, identity=identity, vector=next(vectors)) if draft.identity is None else draft
            for draft in drafts
        )

    async def of_content(self, content: str) -> Vector | None:
        """Return the vector of a content; None unless the embedder is immediate."""
        made = await self._made_at_once((content,))
        return None if made is None else (made[0], made[1][0])

    async def renew(self, agent_id: str, memories: Sequence[Memory], *, replaces_given: bool = False) -> int:
        """Embed the first of these memories, at most one batch, and commit their vectors.

        Return the number of memories that got a vector. A vector that a writer gave is kept unless ``replaces_given``.
        Raises EmbedderUnavailable.
        """
        embedder, part = self._embedder, memories[:EMBEDDED_TOGETHER_MAX]
        if embedder is None or not part:
            return 0
        vectors = await self._embed([memory.content for memory in part])
        embedded = tuple(
            EmbeddedContent(memory.content, Embedding(memory.memory_id, embedder.identity, vector))
            for memory, vector in zip(part, vectors, strict=True)
        )
        keeping = KeepEmbeddings(embedded, replaces_given)
        return (await self._agents.submit(agent_id, keeping)).count

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Queue memories without a vector; see ``AgentObserver``. Other daemons embed what they commit."""
        if self._embedder is None:
            return
        memories = after.part(MEMORIES)
        if before is None or changes is None:
            self._waiting.pop(after.agent_id, None)
            lacking: Iterable[Memory] = ()
            if len(memories.embeddings) < len(memories):
                lacking = (each for each in memories.memories.values() if each.memory_id not in memories.embeddings)
            self._queue(after.agent_id, sorted(lacking, key=lambda each: each.sequence))
        elif is_own:
            self._queue(
                after.agent_id,
                [
                    value
                    for value in changes.values()
                    if isinstance(value, Memory) and value.memory_id not in memories.embeddings
                ],
            )

    def note_gone(self, state: AgentState) -> None:
        """Remove an agent's memories from the queue. They are queued again when it is loaded."""
        self._waiting.pop(state.agent_id, None)
        self._measure()

    async def _made_at_once(self, texts: Sequence[str]) -> tuple[EmbeddingIdentity, Sequence[bytes]] | None:
        if self._embedder is None or not self._embedder.is_immediate:
            return None
        try:
            return self._embedder.identity, await self._embed(texts)
        except EmbedderUnavailable as failure:
            log.warning("memories not embedded, stored without vectors", extra={"error": str(failure)})
            return None

    async def _embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the embedder's vectors, and note whether it works. Raises EmbedderUnavailable."""
        assert self._embedder is not None
        try:
            vectors = await self._embedder.embed(texts)
        except EmbedderUnavailable:
            self._telemetry.engine.embedder_failures.add()
            self._note_embedder(is_available=False)
            raise
        self._note_embedder(is_available=True)
        return vectors

    def _note_embedder(self, *, is_available: bool) -> None:
        self._telemetry.engine.embedder_available.set(int(is_available))
        if self._component is None:
            return
        if is_available:
            self._component.ok()
        else:
            self._component.degrade(
                "it does not respond: queries are searched by their words, memories wait for vectors"
            )

    def _queue(self, agent_id: str, memories: Iterable[Memory]) -> None:
        waiting = dict.fromkeys(memory.memory_id for memory in memories)
        if waiting:
            self._waiting.setdefault(agent_id, {}).update(waiting)
            self._has_waiting.set()
        self._measure()

    def _measure(self) -> None:
        self._telemetry.embedding_backlog.set(sum(map(len, self._waiting.values())))

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                self._has_waiting.clear()
                await self._has_waiting.wait()
            agent_id, memories = self._next()
            try:
                await self.renew(agent_id, memories)
            except (EmbedderUnavailable, Refusal) as failure:
                log.warning("embedding postponed", extra={"agent_id": agent_id, "error": str(failure)})
                # One bad text may fail the whole batch. Halve the batch: in the end that text fails alone.
                self._together = max(self._together // 2, 1)
                self._queue(agent_id, memories)
                await asyncio.sleep(EMBEDDER_RETRY_S)
            except Exception:
                log.exception("embedding failed", extra={"agent_id": agent_id})
                await asyncio.sleep(EMBEDDER_RETRY_S)
            else:
                self._together = min(self._together * 2, EMBEDDED_TOGETHER_MAX)
            self._measure()

    def _next(self) -> tuple[str, list[Memory]]:
        """Remove and return one batch of the queue, from the agent that has waited longest."""
        agent_id, waiting = next(iter(self._waiting.items()))
        memory_ids = list(itertools.islice(waiting, self._together))
        for memory_id in memory_ids:
            del waiting[memory_id]
        if not waiting:
            del self._waiting[agent_id]
        writer = self._agents.peek(agent_id)
        if writer is None:
            return agent_id, []
        known = writer.state.part(MEMORIES)
        found = (known.memories.get(memory_id) for memory_id in memory_ids if memory_id not in known.embeddings)
        return agent_id, [memory for memory in found if memory is not None]
