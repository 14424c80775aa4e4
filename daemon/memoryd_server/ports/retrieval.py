"""The retrieval ports: an index finds memories by words and by meaning, and an embedder makes vectors of texts.

An index is derived from the records of one agent, and can be rebuilt from them: the same memories give the same index,
in any order and however often they were put. It is used by one thread at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import BinaryIO, Protocol

import msgspec

from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter


class IndexedMemory(msgspec.Struct, frozen=True, gc=False):
    """A memory as it is put into the index.

    ``links`` are the ids of the memories linked with it, in either direction, each with a weight from 0 to 1.
    ``rivals`` are the ids of those among them that contradict it, in either direction, or that supersede it, each with
    whether it supersedes.
    """

    memory: Memory
    embedding: Embedding | None = None
    links: tuple[tuple[str, float], ...] = ()
    rivals: tuple[tuple[str, bool], ...] = ()


WithRecalls = Callable[[Memory], Memory]
"""Returns a memory with the recalls that were counted since it was stored. It may be called from any thread."""


def as_stored(memory: Memory) -> Memory:
    """Return a memory as it is stored: a ``WithRecalls`` of none."""
    return memory


class Query(msgspec.Struct, frozen=True):
    """A search. ``now`` is in nanoseconds since the Unix epoch; time phrases and recency are relative to it.

    ``vector`` is the text's, in little-endian float32, and compared with vectors of the same ``identity``; None
    searches by words only. ``meaning_known`` is the share of the vector that comes from words that the embedder knows,
    and ``strange_words`` are those that it does not know; see ``Familiarity``. Only memories that ``filter`` keeps are
    ranked; the salience of its condition is not read, but ``min_salience``. If ``min_score`` is None, there is no match
    unless the best one is a likely answer. Salience is that of memories ``with_recalls``.
    """

    text: str
    now: int
    limit: int
    vector: bytes | None = None
    identity: EmbeddingIdentity | None = None
    filter: RecordFilter = EVERY_RECORD
    min_score: float | None = 0.0
    min_salience: float = 0.0
    follow_links: bool = True
    with_recalls: WithRecalls = as_stored
    meaning_known: float = 1.0
    strange_words: frozenset[str] | None = None


class MentionedTime(msgspec.Struct, frozen=True):
    """A time that a content names, and its words there.

    ``start`` and the exclusive ``end`` are nanoseconds since the Unix epoch.
    """

    text: str
    start: int
    end: int


MentionedTimes = Callable[[str, int], Sequence[MentionedTime]]
"""Returns the times that a content names. The second argument is the time that they are relative to, in nanoseconds
since the Unix epoch."""


class Match(msgspec.Struct, frozen=True):
    """A memory that matches a query, with its score and the parts of that score, all from 0 to 1.

    ``words`` and ``meaning`` are the normalised scores of the memory's words (with those of its neighbours) and of its
    vector; ``salience`` is the memory's at the query's time. ``linked_from`` is the id of the memory whose link led to
    this one, empty if it matches by itself. ``matched_words`` are the query's words that the memory has;
    ``context_words`` those that only its neighbours in the conversation or its date have. ``time_phrase`` is the part
    of the query that names the memory's time, or one of the ``mentioned_times`` of its content. ``contradicted_by`` are
    the ids of the newer memories that contradict or supersede this one, the newest first: those that are active and
    pass the query's filter, among the matches or not. ``behind`` are the ids of matches that were put before this one,
    since they say what the query asks for: what is so now, or what was so; ``why_behind`` is why, for people.
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
    mentioned_times: tuple[MentionedTime, ...] = ()
    contradicted_by: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    why_behind: str = ""


class Ranking(msgspec.Struct, frozen=True):
    """The matches of a query, the best first, the newer memory first among equals; and the ``total`` that match.

    Of matches that contradict each other, the one that is in force at the time that the query asks for is first.
    ``uses_meaning`` is true if a vector of a memory was compared with that of the query.
    """

    matches: tuple[Match, ...]
    total: int
    uses_meaning: bool = False


class Similar(msgspec.Struct, frozen=True):
    """A memory that resembles a text: the Jaccard index of their ``words``, and the cosine; None without vectors."""

    memory_id: str
    words: float
    cosine: float | None


class WordTable(msgspec.Struct, frozen=True):
    """The vectors of single words: the most frequent word first, each vector's ``components`` in a signed byte each.

    ``equivalents`` maps further words, in lower case and without accents, to the place of a word that has
    their vector.
    """

    words: Sequence[str]
    components: memoryview
    equivalents: Mapping[str, int] = {}


WordVectors = Callable[[], WordTable]
"""Returns the table of the embedder's words. The first call may take a second. It may be called from any thread, and
raises EmbedderUnavailable."""


class UnusableIndex(Exception):  # noqa: N818 - no failure of the call: the index is built again
    """A saved index cannot be used: it is damaged, or another version saved it. The message says which."""


class MemoryIndex(Protocol):
    """An index of one agent's memories. Its methods may take long: they are called outside of the event loop."""

    def __len__(self) -> int:
        """The number of memories. It may be asked for in the event loop, while a thread uses the index."""
        ...

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory."""

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add memories, replacing those of the same ids. The caller must not put forgotten ones."""

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Remove memories. An id that is not in the index is ignored."""

    def save(self, file: BinaryIO) -> None:
        """Write what took long to compute, with checksums. Raises OSError."""

    def load(self, file: BinaryIO, memories: Iterable[IndexedMemory]) -> int:
        """Add memories to an empty index, and take what was saved of those that have not changed since.

        Return the number of memories that differ from those that were saved: new, changed or gone ones. The index is
        the same as after ``put``. Raises UnusableIndex, and OSError: the index must not be used then.
        """

    def search(self, query: Query) -> Ranking:
        """Return the memories that match best. The same query on the same memories has the same result."""

    def similar(
        self, text: str, vector: bytes | None, identity: EmbeddingIdentity | None, chosen: RecordFilter, limit: int
    ) -> Sequence[Similar]:
        """Return the memories that resemble a text most, to detect duplicates and contradictions."""


class MemorySelector(Protocol):
    """An index of one agent's memories that selects them by a filter. It is used as a ``MemoryIndex`` is."""

    @property
    def size_bytes(self) -> int:
        """The estimated size of the index in memory."""

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Add memories, replacing those of the same ids."""

    def remove(self, memory_ids: Iterable[str]) -> None:
        """Remove memories. An id that is not in the index is ignored."""

    def select(self, chosen: RecordFilter, order: ListOrder) -> Sequence[Memory]:
        """Return the memories that a filter keeps, in an order. The salience of its condition is not read.

        Memories of the same time are in the order of their sequences.
        """


class EmbedderUnavailable(Exception):  # noqa: N818 - no failure of the call: memories are found by words without it
    """The embedder is unreachable, or too slow."""


class Familiarity(msgspec.Struct, frozen=True):
    """The familiarity of an embedder with the words of a text.

    ``share`` is the share of the vector that comes from words that it knows as wholes, from 0 to 1; the rest comes from
    pieces of words, whose meaning says little. ``strange`` are those other words, in lower case; None if the embedder
    does not distinguish them, as one that computes with context does not.
    """

    share: float = 1.0
    strange: frozenset[str] | None = None


class Embedder(Protocol):
    """Makes vectors of texts.

    If ``is_immediate`` is true, it returns within microseconds, and a memory is committed together with its vector.
    """

    identity: EmbeddingIdentity
    is_immediate: bool

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return the vectors of texts in the format of ``Embedding.vector``. Raises EmbedderUnavailable."""

    def familiarity_of(self, text: str) -> Familiarity:
        """Return how well the embedder knows the words of a text, which it has embedded before."""

    async def close(self) -> None:
        """Close all connections."""
