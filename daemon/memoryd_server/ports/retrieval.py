"""The retrieval ports: what finds memories by words and by meaning, and what makes vectors of texts.

An index is derived from the records of one agent and never trusted beyond that: the same index comes of the same
memories, in whatever order and however often they were put. It is used by one thread at a time.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory, MemoryStatus, MemoryType


class IndexedMemory(msgspec.Struct, frozen=True):
    """A memory as the index takes it in.

    ``links`` are the memories that it is linked with, in either direction, with a weight from 0 to 1 each.
    """

    memory: Memory
    embedding: Embedding | None = None
    links: tuple[tuple[str, float], ...] = ()


class Criteria(msgspec.Struct, frozen=True):
    """Which memories may be found: those that pass all fields; an empty one (None for times) passes all.

    Times are nanoseconds since the Unix epoch, the start included, the end not. ``tags`` must all be there. ``owner``
    is as ``Memory`` has it: its project may be the empty one, None passes all.
    """

    types: frozenset[MemoryType] = frozenset()
    statuses: frozenset[MemoryStatus] = frozenset()
    user_id: str = ""
    project_id: str = ""
    conversation_id: str = ""
    tags: frozenset[str] = frozenset()
    occur_start: int | None = None
    occur_end: int | None = None
    owner: tuple[str, str] | None = None
    conversation_ids: frozenset[str] = frozenset()

    def keeps(self, memory: Memory) -> bool:
        """Whether the memory passes."""
        return (
            (not self.types or memory.type in self.types)
            and (not self.statuses or memory.status in self.statuses)
            and self.user_id in ("", memory.user_id)
            and self.project_id in ("", memory.project_id)
            and self.conversation_id in ("", memory.provenance.conversation_id)
            and (not self.conversation_ids or memory.provenance.conversation_id in self.conversation_ids)
            and self.tags.issubset(memory.tags)
            and (self.occur_start is None or memory.occur_time >= self.occur_start)
            and (self.occur_end is None or memory.occur_time < self.occur_end)
            and self.owner in (None, memory.owner)
        )


class Query(msgspec.Struct, frozen=True):
    """What is looked for. ``now`` is in nanoseconds since the Unix epoch; time phrases and recency count from it.

    ``vector`` is the text's, little-endian float32, and compared with those of ``identity``; None for words only.
    """

    text: str
    now: int
    limit: int
    vector: bytes | None = None
    identity: EmbeddingIdentity | None = None
    criteria: Criteria = Criteria()
    min_score: float = 0.0
    min_salience: float = 0.0
    follow_links: bool = True


class Match(msgspec.Struct, frozen=True):
    """A memory that was found, with its score and what it is made of; all are from 0 to 1.

    ``words`` and ``meaning`` are the normalised scores of the memory's own words (with those around it) and of its
    vector; ``salience`` is the memory's at the query's time. ``linked_from`` is the memory whose link led here, empty
    when it was found by itself. ``matched_words`` are the query's words that the memory has, and ``context_words``
    those that only its predecessors in the conversation or its date have. ``time_phrase`` is what in the query named
    the time that the memory is of.
    """

    memory_id: str
    score: float
    words: float = 0.0
    meaning: float = 0.0
    salience: float = 0.0
    linked_from: str = ""
    matched_words: tuple[str, ...] = ()
    context_words: tuple[str, ...] = ()
    time_phrase: str = ""


class Ranking(msgspec.Struct, frozen=True):
    """What was found, the best first, ties by the newer memory; and how many match in all."""

    matches: tuple[Match, ...]
    total: int


class Similar(msgspec.Struct, frozen=True):
    """A memory that resembles a text: how much of their words agree (Jaccard), and the cosine; None without vectors."""

    memory_id: str
    words: float
    cosine: float | None


class MemoryIndex(Protocol):
    """Finds the memories of one agent. Its methods may take long: they are called outside of the event loop."""

    @property
    def size_bytes(self) -> int:
        """How much memory the index takes, estimated."""

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Take memories in, in place of what was known of the same ids. Forgotten ones are not to be put."""

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Let memories go; those that are not there are no error."""

    def search(self, query: Query) -> Ranking:
        """The memories that match best. The same query on the same memories has the same answer."""

    def similar(
        self, text: str, vector: bytes | None, identity: EmbeddingIdentity | None, criteria: Criteria, limit: int
    ) -> Sequence[Similar]:
        """The memories that resemble a text most, to tell duplicates and contradictions."""


class EmbedderUnavailable(Exception):  # noqa: N818 - an answer: words are found without it
    """The embedder does not answer, or not in time."""


class Embedder(Protocol):
    """Makes vectors of texts.

    ``is_immediate`` is whether it answers within microseconds, so that a memory is committed together with its vector.
    """

    identity: EmbeddingIdentity
    is_immediate: bool

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts, as ``Embedding.vector`` has them. Raises EmbedderUnavailable."""

    async def close(self) -> None:
        """Let go of connections."""
