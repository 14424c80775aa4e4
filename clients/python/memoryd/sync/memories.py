"""The memories of an agent: what it is to remember for good, and how it is found."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Unpack

from memoryd.model.memory import Embedding, Memory
from memoryd.model.memory_change import (
    CreatedMemory,
    ForgottenMemory,
    LinkedMemories,
    Reembedding,
    ReinforcedMemory,
    UnlinkedMemories,
    UpdatedMemory,
)
from memoryd.model.memory_link import MemoryLink, MemoryLinkType
from memoryd.model.recall import RecallResult
from memoryd.protocol import memory as calls
from memoryd.protocol import memory_link as link_calls
from memoryd.protocol.memory import REEMBED_LIMIT
from memoryd.protocol.memory_builder import MemoryBuilder
from memoryd.protocol.memory_draft import MemoryDraft, MemoryOptions
from memoryd.protocol.memory_update import MemoryChanges, update_memory
from memoryd.protocol.recall import RECALL_LIMIT, MemoryFilters, Question, recall_memories
from memoryd.sync.channel import Channel


class Memories:
    """What an agent is to remember for good.

    Every method raises CallFailed when the daemon refuses or cannot be reached, and MemoryNotFound for a memory that is
    not there, or is forgotten. ``expected_revision`` is the memory's own, of creating and linking the agent's; when it
    does not hold, RevisionMismatch is raised. Times have a time zone. A vector is an Embedding or any numbers, such as
    a list or a NumPy array of one dimension.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    def remember(self, content: str, *, user_id: str, **options: Unpack[MemoryOptions]) -> CreatedMemory:
        """Create a memory, unless it tells what is there already: then that is reinforced.

        Raises MemoryExists when the ``memory_id`` is taken, LimitExceeded.
        """
        return self._channel.run(calls.create_memory(self._agent_id, MemoryDraft(content, user_id, **options)))

    def create(self, draft: MemoryDraft | MemoryBuilder, *, expected_revision: int | None = None) -> CreatedMemory:
        """Create a memory as remember does, of a draft or of a builder. Raises ValueError as the builder's build."""
        return self._channel.run(calls.create_memory(self._agent_id, draft, expected_revision))

    def create_many(
        self, drafts: Iterable[MemoryDraft | MemoryBuilder], *, expected_revision: int | None = None
    ) -> tuple[CreatedMemory, ...]:
        """Create 1 to 1,000 memories in their order as one change: all of them or, on an error, none."""
        return self._channel.run(calls.create_memories(self._agent_id, drafts, expected_revision))

    def get(
        self,
        memory_id: str,
        *,
        as_of: datetime | None = None,
        include_forgotten: bool = False,
        include_embedding: bool = False,
    ) -> Memory:
        """Answer a memory. It counts as an access, unless ``as_of`` asks what it was at that time.

        Of the past are content, type, status, tags, metadata, importance, times and confidence; counts, links and
        vector are today's. Raises HistoryCompacted for a time before what is known.
        """
        return self._channel.run(
            calls.get_memory(
                self._agent_id,
                memory_id,
                as_of=as_of,
                include_forgotten=include_forgotten,
                include_embedding=include_embedding,
            )
        )

    def update(
        self, memory_id: str, *, expected_revision: int | None = None, **changes: Unpack[MemoryChanges]
    ) -> UpdatedMemory:
        """Change what is named, and nothing else. What it was before stays known for a while.

        Raises ValueError when nothing is named.
        """
        return self._channel.run(update_memory(self._agent_id, memory_id, changes, expected_revision))

    def list(self, *, forgotten_only: bool = False, **filters: Unpack[MemoryFilters]) -> Iterator[Memory]:
        """Yield memories, newest first, page by page, all at one revision. It is no access.

        ``forgotten_only``: the forgotten ones instead, of any status unless the filters name some. Raises
        PageTokenExpired when the reader takes too long.
        """
        return self._channel.pages(calls.list_memories(self._agent_id, filters, forgotten_only=forgotten_only))

    def recall(
        self,
        query: str = "",
        *,
        limit: int = RECALL_LIMIT,
        min_score: float = 0.0,
        embedding: Embedding | Iterable[float] | None = None,
        as_of: datetime | None = None,
        skip_links: bool = False,
        include_embedding: bool = False,
        **filters: Unpack[MemoryFilters],
    ) -> RecallResult:
        """Answer the memories that match a question best, up to 100 and fewer when they are large.

        ``query`` is in words, at most 4,096 bytes; a time that it names, such as "last week", prefers what happened
        then. Empty needs an ``embedding``, the query's vector; without one the server's embedder makes it.
        ``min_score`` keeps those of this score or more, from 0 to 1. ``as_of`` asks what would have been found then;
        otherwise what is answered counts as accessed. ``skip_links`` keeps out what only links lead to. Without
        ``user_id`` the memories of all users are searched. Raises HistoryCompacted.
        """
        asked = Question(query, limit, min_score, embedding, as_of, skip_links, include_embedding)
        return self._channel.run(recall_memories(self._agent_id, asked, filters))

    def reinforce(
        self, memory_id: str, *, confidence: float | None = None, expected_revision: int | None = None
    ) -> ReinforcedMemory:
        """Make a memory surer, and slower to fade; an archived one becomes active again.

        ``confidence`` is how sure it is from now on, from 0 to 1; None closes a fifth of what is missing to 1.
        """
        return self._channel.run(calls.reinforce_memory(self._agent_id, memory_id, confidence, expected_revision))

    def forget(self, memory_id: str, *, expected_revision: int | None = None) -> ForgottenMemory:
        """Forget a memory so that it can still be restored for a while. Forgetting again changes nothing."""
        return self._channel.run(calls.forget_memory(self._agent_id, memory_id, expected_revision))

    def restore(self, memory_id: str, *, expected_revision: int | None = None) -> bool:
        """Bring a forgotten memory back, and answer whether it was forgotten."""
        return self._channel.run(calls.restore_memory(self._agent_id, memory_id, expected_revision))

    def purge(self, memory_id: str, *, keep_out: bool = False, expected_revision: int | None = None) -> None:
        """Remove a memory for good, forgotten or not: content, vector, versions, links, and what events told of them.

        ``keep_out`` keeps its very content from coming back, for which the server keeps its SHA-256. Snapshots that
        were made before still hold it.
        """
        self._channel.run(
            calls.purge_memory(self._agent_id, memory_id, keep_out=keep_out, expected_revision=expected_revision)
        )

    def link(
        self,
        from_memory_id: str,
        to_memory_id: str,
        link_type: MemoryLinkType | str = MemoryLinkType.RELATED,
        *,
        strength: float | None = None,
        expected_revision: int | None = None,
    ) -> LinkedMemories:
        """Link two memories, or give their link another ``strength``, from 0 to 1; None means 0.5.

        One that ``supersedes`` marks the memory at its end superseded.
        """
        return self._channel.run(
            link_calls.link_memories(
                self._agent_id,
                from_memory_id,
                to_memory_id,
                link_type,
                strength=strength,
                expected_revision=expected_revision,
            )
        )

    def unlink(
        self,
        from_memory_id: str,
        to_memory_id: str,
        link_type: MemoryLinkType | str | None = None,
        *,
        expected_revision: int | None = None,
    ) -> UnlinkedMemories:
        """Remove the link of this type, or all, from one memory to another. None there is no error."""
        return self._channel.run(
            link_calls.unlink_memories(self._agent_id, from_memory_id, to_memory_id, link_type, expected_revision)
        )

    def links(self, memory_id: str = "", *, link_type: MemoryLinkType | str | None = None) -> Iterator[MemoryLink]:
        """Yield the links at either end of a memory, or of all memories, in order of their ends' ids, page by page."""
        return self._channel.pages(link_calls.list_links(self._agent_id, memory_id, link_type))

    def reembed(self, *, limit: int = REEMBED_LIMIT, include_given: bool = False) -> Iterator[Reembedding]:
        """Make vectors of the server's embedder where there is none, or one of another embedder.

        At most ``limit`` (up to 1,000) at a time; yields how far it is after each, until none is left. It ends earlier
        when the embedder makes none: then the last one tells what is left. ``include_given`` replaces vectors that
        their writers gave, too.
        """
        return self._channel.pages(calls.reembed_memories(self._agent_id, limit, include_given=include_given))
