"""The long-term memories of an agent."""

from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime
from typing import Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.listing import ListOrder, RecordView
from memoryd.model.memory import Embedding, Memory
from memoryd.model.memory_change import (
    ChangedMemory,
    CreatedMemory,
    ForgetMemoryResult,
    ForgottenMemory,
    IngestedConversation,
    LinkedMemories,
    Reembedding,
)
from memoryd.model.memory_link import MemoryLink, MemoryLinkType
from memoryd.model.memory_proposal import IngestMode, MemoryProposal, MemoryProposalDraft, ProposedMemories
from memoryd.model.recall import RecallResult
from memoryd.protocol import memory as calls
from memoryd.protocol import memory_link as link_calls
from memoryd.protocol import memory_proposal as proposal_calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.memory import REEMBED_LIMIT
from memoryd.protocol.memory_builder import MemoryBuilder
from memoryd.protocol.memory_draft import MemoryDraft, MemoryOptions
from memoryd.protocol.memory_proposal import ProposalListOptions
from memoryd.protocol.memory_update import MemoryChanges, update_memory
from memoryd.protocol.option import strings_of
from memoryd.protocol.recall import RECALL_LIMIT, MemoryFilters, MemoryReadOptions, Question, recall_memories
from memoryd.protocol.record_filter import UserOptions


@checks_keywords
class Memories:
    """An agent's long-term memories.

    Every method raises CallFailed when the daemon refuses or cannot be reached, and RecordNotFound for a memory that
    does not exist or is forgotten. ``expected_revision`` is the memory's or the link's revision, and for creating the
    agent's; any other revision raises RevisionMismatch. Times have a time zone. A vector is an Embedding or a sequence
    of numbers, such as a list or a NumPy array of one dimension.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def remember(
        self, content: str | MemoryDraft | MemoryBuilder, *, user_id: str = "", **options: Unpack[MemoryOptions]
    ) -> CreatedMemory:
        """Create a memory, or reinforce the existing one that it duplicates.

        ``content`` is the text, or a draft or a builder, which has the user and the options itself. Raises RecordExists
        when the ``memory_id`` is taken, TooLarge, QuotaExceeded.
        """
        return await self._channel.run(calls.create_memory(self._agent_id, calls.drafted(content, user_id, options)))

    async def create(
        self, draft: MemoryDraft | MemoryBuilder, *, expected_revision: int | None = None
    ) -> CreatedMemory:
        """Create a memory from a draft or a builder, as ``remember`` does. Raises ValueError as the builder does."""
        return await self._channel.run(calls.create_memory(self._agent_id, draft, expected_revision))

    async def create_many(
        self, drafts: Iterable[MemoryDraft | MemoryBuilder], *, expected_revision: int | None = None
    ) -> tuple[CreatedMemory, ...]:
        """Create 1 to 1,000 memories in order as one change: all of them, or none on an error.

        The memories of the results have no content.
        """
        return await self._channel.run(calls.create_memories(self._agent_id, drafts, expected_revision))

    async def ingest_conversation(
        self,
        conversation_id: str,
        *,
        project_id: str = "",
        mode: IngestMode | str = IngestMode.UNSPECIFIED,
        expected_revision: int | None = None,
    ) -> IngestedConversation:
        """Make memories of what people state in a conversation, in its messages since the last call.

        Each statement becomes a memory of the conversation's user, once: messages that were read are not read again.
        At most 1,000 messages are read, fewer by a model: call again while ``remaining_count`` is not 0. With the
        ``mode`` propose, the statements wait in the review queue instead; by default, the server's settings say which.
        ``expected_revision`` is that of the conversation. Raises RecordNotFound, RevisionMismatch, QuotaExceeded; where
        the daemon has a model for this, ProposerUnavailable when it does not answer, and Overloaded when its tokens of
        the day are used.
        """
        ingest = calls.ingest_conversation(
            self._agent_id,
            conversation_id,
            project_id=project_id,
            mode=mode,
            expected_revision=expected_revision,
        )
        return await self._channel.run(ingest)

    async def create_proposals(self, drafts: Iterable[MemoryProposalDraft]) -> ProposedMemories:
        """Put 1 to 1,000 proposals into the review queue as one change: all of them, or none on an error.

        A draft of the same user, project and content as a pending proposal adds none. Raises RecordExists when an id is
        taken, TooLarge, QuotaExceeded.
        """
        return await self._channel.run(proposal_calls.create_proposals(self._agent_id, drafts))

    def list_proposals(self, **options: Unpack[ProposalListOptions]) -> AsyncIterator[MemoryProposal]:
        """Yield the proposals that wait in the review queue, all at one revision."""
        return self._channel.pages(reading(proposal_calls.list_proposals(self._agent_id, options), options))

    async def accept_proposals(self, proposal_ids: Iterable[str]) -> tuple[CreatedMemory, ...]:
        """Make memories of 1 to 1,000 proposals in order as one change, as ``create_many`` does.

        Raises RecordNotFound for a proposal that does not exist: another caller may have accepted or rejected it.
        """
        return await self._channel.run(proposal_calls.accept_proposals(self._agent_id, proposal_ids))

    @overload
    async def reject_proposals(self, proposal_ids: Iterable[str], *, erase: Literal[True]) -> ErasureReceipt: ...

    @overload
    async def reject_proposals(self, proposal_ids: Iterable[str], *, erase: Literal[False] = False) -> int: ...

    async def reject_proposals(self, proposal_ids: Iterable[str], *, erase: bool = False) -> int | ErasureReceipt:
        """Delete 1 to 1,000 proposals from the review queue, and return the number of those that existed.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(proposal_calls.reject_proposals(self._agent_id, proposal_ids, erase=erase))

    async def get(
        self,
        memory_id: str,
        *,
        read_time: datetime | None = None,
        include_forgotten: bool = False,
        include_embedding: bool = False,
        include_history: bool = False,
        **options: Unpack[ReadOptions],
    ) -> Memory:
        """Return a memory, and count an access. ``include_history`` returns its earlier confidences, too.

        ``read_time`` returns the memory as it was at that time, and counts no access. Then content, type, status, tags,
        metadata, importance, times and confidence are those of the past; counts and vector are current. Raises
        HistoryCompacted for a time before the earliest version that is kept.
        """
        get = calls.get_memory(
            self._agent_id,
            memory_id,
            read_time=read_time,
            include_forgotten=include_forgotten,
            include_embedding=include_embedding,
            include_history=include_history,
        )
        return await self._channel.run(reading(get, options))

    def get_many(
        self,
        memory_ids: Iterable[str],
        *,
        include_forgotten: bool = False,
        include_embedding: bool = False,
        view: RecordView | str = RecordView.FULL,
        **options: Unpack[ReadOptions],
    ) -> AsyncIterator[Memory]:
        """Yield the memories with these ids in their order, and count an access of each.

        Memories that do not exist, or are forgotten, are left out.
        """
        get = calls.get_memories(
            self._agent_id,
            tuple(strings_of("memory_ids", memory_ids)),
            include_forgotten=include_forgotten,
            include_embedding=include_embedding,
            view=view,
        )
        return self._channel.pages(reading(get, options))

    async def update(
        self, memory_id: str, *, expected_revision: int | None = None, **changes: Unpack[MemoryChanges]
    ) -> ChangedMemory:
        """Change the given fields of a memory. The version before the change is kept for a while.

        Raises ValueError when no field is given.
        """
        return await self._channel.run(update_memory(self._agent_id, memory_id, changes, expected_revision))

    def list(
        self,
        *,
        forgotten_only: bool = False,
        order: ListOrder | str = ListOrder.CREATE_TIME_DESCENDING,
        view: RecordView | str = RecordView.FULL,
        **filters: Unpack[MemoryReadOptions],
    ) -> AsyncIterator[Memory]:
        """Yield memories, by default the newest first, page by page, all at one revision. This counts no access.

        ``forgotten_only`` yields the forgotten ones instead, of any status unless the filters name some. Raises
        PageTokenExpired when the reader takes too long.
        """
        listed = calls.list_memories(self._agent_id, filters, forgotten_only=forgotten_only, order=order, view=view)
        return self._channel.pages(reading(listed, filters))

    async def recall(
        self,
        query: str = "",
        *,
        limit: int = RECALL_LIMIT,
        min_score: float | None = None,
        embedding: Embedding | Iterable[float] | None = None,
        read_time: datetime | None = None,
        include_linked: bool = True,
        include_embedding: bool = False,
        further_agents: Iterable[str] = (),
        **filters: Unpack[MemoryReadOptions],
    ) -> RecallResult:
        """Return the memories that match a question best: at most 100, and fewer large ones.

        ``query`` is text of at most 4,096 bytes. A time in it, such as "last week", favors memories of that time. An
        empty query needs an ``embedding``, the vector of the query, which the server's embedder makes otherwise.
        ``min_score`` is the minimum score, from 0 to 1. Without it, the best are returned, and none if even the best is
        as unlikely an answer as any memory. ``read_time`` searches the memories as they were at that time;
        otherwise each result counts as an access. ``include_linked`` also returns memories that only a link with
        another result finds. Without ``user_id`` only memories of no user are searched. ``further_agents`` are at most
        16 other agents whose memories are searched, too. Raises HistoryCompacted.
        """
        question = Question(
            query, limit, min_score, embedding, read_time, include_linked, include_embedding, further_agents
        )
        return await self._channel.run(reading(recall_memories(self._agent_id, question, filters), filters))

    async def reinforce(
        self, memory_id: str, *, confidence: float | None = None, expected_revision: int | None = None
    ) -> Memory:
        """Raise the confidence of a memory and slow its fading, and return it. An archived memory becomes active.

        ``confidence`` is the new confidence, from 0 to 1. None moves it a fifth of the way to 1.
        """
        return await self._channel.run(calls.reinforce_memory(self._agent_id, memory_id, confidence, expected_revision))

    async def forget(self, memory_id: str, *, expected_revision: int | None = None) -> ForgottenMemory:
        """Forget a memory, which can be restored for a while. One that is forgotten or missing is no error."""
        return await self._channel.run(calls.forget_memory(self._agent_id, memory_id, expected_revision))

    async def forget_many(self, memory_ids: Iterable[str]) -> tuple[ForgetMemoryResult, ...]:
        """Forget 1 to 1,000 memories as one change. Those that are forgotten or missing are no error."""
        return await self._channel.run(calls.forget_memories(self._agent_id, memory_ids))

    async def forget_all(self, **filters: Unpack[MemoryFilters]) -> tuple[ForgetMemoryResult, ...]:
        """Forget all memories that the filters select, the oldest first, and return the result of each.

        They must say whose: ``user_id``, ``all_users`` or users of ``filter``. Each thousand is one change.
        """
        return tuple(await self._channel.collect(calls.forget_selected(self._agent_id, filters)))

    async def restore(self, memory_id: str, *, expected_revision: int | None = None) -> ChangedMemory:
        """Restore a forgotten memory. One that is not forgotten stays unchanged."""
        return await self._channel.run(calls.restore_memory(self._agent_id, memory_id, expected_revision))

    async def purge(
        self, memory_id: str, *, block_reimport: bool = False, expected_revision: int | None = None
    ) -> bool:
        """Erase a memory, forgotten or not, and return whether it existed.

        Its content, vector, versions and links are erased, also from past events. This cannot be undone.
        ``block_reimport`` refuses the same content in the future, for which the server keeps its SHA-256. Snapshots
        taken before still contain the memory.
        """
        return await self._channel.run(
            calls.purge_memory(
                self._agent_id, memory_id, block_reimport=block_reimport, expected_revision=expected_revision
            )
        )

    async def link(
        self,
        from_memory_id: str,
        to_memory_id: str,
        link_type: MemoryLinkType | str = MemoryLinkType.RELATED,
        *,
        strength: float | None = None,
        expected_revision: int | None = None,
    ) -> LinkedMemories:
        """Link two memories, or change the ``strength`` of their link, from 0 to 1 (None means 0.5).

        A link of type ``supersedes`` marks the memory at its end as superseded.
        """
        return await self._channel.run(
            link_calls.link_memories(
                self._agent_id,
                from_memory_id,
                to_memory_id,
                link_type,
                strength=strength,
                expected_revision=expected_revision,
            )
        )

    async def unlink(
        self,
        from_memory_id: str,
        to_memory_id: str,
        link_type: MemoryLinkType | str | None = None,
        *,
        expected_revision: int | None = None,
    ) -> bool:
        """Delete the link of this type, or all links, from one memory to another, and return whether there was one.

        ``expected_revision`` needs a type.
        """
        return await self._channel.run(
            link_calls.unlink_memories(self._agent_id, from_memory_id, to_memory_id, link_type, expected_revision)
        )

    async def get_link(
        self,
        from_memory_id: str,
        to_memory_id: str,
        link_type: MemoryLinkType | str = MemoryLinkType.RELATED,
        **options: Unpack[ReadOptions],
    ) -> MemoryLink:
        """Return the link of this type from one memory to another. Raises RecordNotFound."""
        get = link_calls.get_link(self._agent_id, from_memory_id, to_memory_id, link_type)
        return await self._channel.run(reading(get, options))

    def links(
        self,
        memory_id: str = "",
        *,
        link_type: MemoryLinkType | str | None = None,
        order: ListOrder | str = ListOrder.ID,
        **options: Unpack[UserOptions],
    ) -> AsyncIterator[MemoryLink]:
        """Yield the links at either end of a memory, or of the memories of all ids, page by page.

        The user of a link is that of its memories: without a ``memory_id``, only the links of memories of no user are
        yielded by default. By default, they are in the order of the ids of their ends.
        """
        listed = link_calls.list_links(self._agent_id, memory_id, link_type, order, options)
        return self._channel.pages(reading(listed, options))

    async def reembed(
        self,
        *,
        limit: int = REEMBED_LIMIT,
        replace_client_embeddings: bool = False,
        progress: Callable[[Reembedding], object] | None = None,
    ) -> Reembedding:
        """Embed all memories that have no vector of the server's current embedder, and return how many.

        Embeds up to ``limit`` (at most 1,000) memories at a time, and calls ``progress`` with the sum so far after each
        time, until none is left. Ends early when the embedder fails: the result has the number of memories left.
        ``replace_client_embeddings`` also replaces the vectors that clients provided.
        """
        done = Reembedding()
        embed = calls.reembed_memories(self._agent_id, limit, replace_client_embeddings=replace_client_embeddings)
        async for each in self._channel.pages(embed):
            done = done + each
            if progress is not None:
                progress(done)
        return done
