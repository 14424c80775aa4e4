"""The calls about memories: creating, reading, reinforcing, forgetting."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.memory import Memory, memory_from
from memoryd.model.memory_change import (
    ChangedMemory,
    CreatedMemory,
    ForgetMemoryResult,
    ForgottenMemory,
    IngestedConversation,
    Reembedding,
    changed_memory_from,
    created_memory_from,
    forget_results_from,
    forgotten_memory_from,
    ingested_conversation_from,
    reembedding_from,
)
from memoryd.model.memory_proposal import INGEST_MODE, IngestMode
from memoryd.model.moment import timestamp_after
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.memory_builder import MemoryBuilder
from memoryd.protocol.memory_draft import MemoryDraft, MemoryOptions, draft_message
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.protocol.recall import MemoryFilters, memory_filter_of
from memoryd.v1 import long_term_memory_service_pb2 as pb

BATCH_MAX = 1_000
"""Maximum number of memories that one call gets."""
REEMBED_LIMIT = 100
REEMBED_PATIENCE = 60.0
"""Seconds that a remote embedder may take for one call's texts, in addition to the usual timeout."""


def create_memory(
    agent_id: str, draft: MemoryDraft | MemoryBuilder, expected_revision: int | None = None
) -> Call[CreatedMemory]:
    """Create a memory, or reinforce the one that it duplicates. Raises ValueError as build and draft_message do."""
    request = pb.CreateMemoryRequest(
        agent_id=agent_id,
        draft=draft_message(_built(draft)),
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CREATE_MEMORY, request, lambda answer: created_memory_from(answer, answer.revision))


def create_memories(
    agent_id: str, drafts: Iterable[MemoryDraft | MemoryBuilder], expected_revision: int | None
) -> Call[tuple[CreatedMemory, ...]]:
    """Create memories as one change. Raises ValueError as create_memory does."""
    request = pb.BatchCreateMemoriesRequest(
        agent_id=agent_id,
        drafts=[draft_message(_built(draft)) for draft in drafts],
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.BATCH_CREATE_MEMORIES,
        request,
        lambda answer: tuple(created_memory_from(each, answer.revision) for each in answer.results),
    )


def ingest_conversation(
    agent_id: str,
    conversation_id: str,
    *,
    project_id: str,
    mode: IngestMode | str,
    expected_revision: int | None,
) -> Call[IngestedConversation]:
    """Make memories of what people state in a conversation, or proposals of them."""
    request = pb.IngestConversationRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        project_id=project_id,
        mode=INGEST_MODE.number(mode),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.INGEST_CONVERSATION, request, ingested_conversation_from)


def get_memory(
    agent_id: str,
    memory_id: str,
    *,
    read_time: datetime | None = None,
    include_forgotten: bool = False,
    include_embedding: bool = False,
    include_history: bool = False,
) -> Call[Memory]:
    """Read a memory."""
    request = pb.GetMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        read_time=timestamp_after(read_time),
        include_forgotten=include_forgotten,
        include_embedding=include_embedding,
        include_history=include_history,
    )
    return call(method.GET_MEMORY, request, lambda answer: memory_from(answer.memory))


def get_memories(
    agent_id: str,
    memory_ids: Sequence[str],
    *,
    include_forgotten: bool,
    include_embedding: bool,
    view: RecordView | str,
) -> Call[Page[Memory]]:
    """Read memories by their ids, page by page. Those that do not exist are left out."""
    request = pb.BatchGetMemoriesRequest(
        agent_id=agent_id,
        memory_ids=memory_ids[:BATCH_MAX],
        include_forgotten=include_forgotten,
        include_embedding=include_embedding,
        view=RECORD_VIEW.number(view),
    )

    return _memories_page(request, memory_ids[BATCH_MAX:])


def list_memories(
    agent_id: str,
    filters: MemoryFilters,
    *,
    forgotten_only: bool = False,
    order: ListOrder | str = ListOrder.UNSPECIFIED,
    view: RecordView | str = RecordView.UNSPECIFIED,
) -> Call[Page[Memory]]:
    """List memories, by default the newest first, page by page."""
    request = pb.ListMemoriesRequest(
        agent_id=agent_id,
        filter=memory_filter_of(filters),
        forgotten_only=forgotten_only,
        page_size=LIST_PAGE_SIZE,
        order=LIST_ORDER.number(order),
        view=RECORD_VIEW.number(view),
    )
    return page_call(method.LIST_MEMORIES, request, lambda answer: [memory_from(each) for each in answer.memories])


def reinforce_memory(
    agent_id: str, memory_id: str, confidence: float | None, expected_revision: int | None
) -> Call[Memory]:
    """Raise a memory's confidence."""
    request = pb.ReinforceMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        confidence=confidence,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.REINFORCE_MEMORY, request, lambda answer: memory_from(answer.memory))


def forget_memory(agent_id: str, memory_id: str, expected_revision: int | None) -> Call[ForgottenMemory]:
    """Forget a memory."""
    request = pb.ForgetMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.FORGET_MEMORY, request, forgotten_memory_from)


def forget_memories(agent_id: str, memory_ids: Iterable[str]) -> Call[tuple[ForgetMemoryResult, ...]]:
    """Forget memories as one change."""
    request = pb.BatchForgetMemoriesRequest(
        agent_id=agent_id, memory_ids=strings_of("memory_ids", memory_ids), request_id=new_request_id()
    )
    return call(method.BATCH_FORGET_MEMORIES, request, forget_results_from)


def forget_selected(agent_id: str, filters: MemoryFilters) -> Call[Page[ForgetMemoryResult]]:
    """Forget the memories that filters select, a thousand in each call: a page has its results."""
    request = pb.BatchForgetMemoriesRequest(
        agent_id=agent_id, filter=memory_filter_of(filters), request_id=new_request_id()
    )

    def convert(answer: pb.BatchForgetMemoriesResponse) -> Page[ForgetMemoryResult]:
        more = answer.remaining_count > 0
        return Page(list(forget_results_from(answer)), forget_selected(agent_id, filters) if more else None)

    return call(method.BATCH_FORGET_MEMORIES, request, convert)


def restore_memory(agent_id: str, memory_id: str, expected_revision: int | None) -> Call[ChangedMemory]:
    """Restore a forgotten memory."""
    request = pb.RestoreMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.RESTORE_MEMORY, request, changed_memory_from)


def purge_memory(agent_id: str, memory_id: str, *, block_reimport: bool, expected_revision: int | None) -> Call[bool]:
    """Erase a memory from the store and the journal."""
    request = pb.PurgeMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        block_reimport=block_reimport,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.PURGE_MEMORY, request, lambda answer: answer.deleted)


def reembed_memories(agent_id: str, limit: int, *, replace_client_embeddings: bool) -> Call[Page[Reembedding]]:
    """Embed up to ``limit`` memories per page, until none is left or none can be embedded. A page has the progress."""
    request = pb.ReembedMemoriesRequest(
        agent_id=agent_id,
        limit=limit,
        replace_client_embeddings=replace_client_embeddings,
        request_id=new_request_id(),
    )

    def convert(answer: pb.ReembedMemoriesResponse) -> Page[Reembedding]:
        more = answer.embedded_count > 0 and answer.remaining_count > 0
        following = None
        if more:
            following = reembed_memories(agent_id, limit, replace_client_embeddings=replace_client_embeddings)
        return Page([reembedding_from(answer)], following)

    return call(method.REEMBED_MEMORIES, request, convert, patience=REEMBED_PATIENCE)


def _memories_page(request: pb.BatchGetMemoriesRequest, later_ids: Sequence[str]) -> Call[Page[Memory]]:
    def convert(answer: pb.BatchGetMemoriesResponse) -> Page[Memory]:
        left = (*answer.remaining_memory_ids, *later_ids)
        following = None
        if left:
            next_request = pb.BatchGetMemoriesRequest()
            next_request.CopyFrom(request)
            del next_request.memory_ids[:]
            next_request.memory_ids.extend(left[:BATCH_MAX])
            following = _memories_page(next_request, left[BATCH_MAX:])
        return Page([memory_from(each) for each in answer.memories], following)

    return call(method.BATCH_GET_MEMORIES, request, convert)


def drafted(content: str | MemoryDraft | MemoryBuilder, user_id: str, options: MemoryOptions) -> MemoryDraft:
    """Return the draft of a text, or the one that is given. Raises TypeError for options beside one that is given."""
    if isinstance(content, str):
        return MemoryDraft(content, user_id, **options)
    if user_id or options:
        given = ", ".join(["user_id"] * bool(user_id) + sorted(options))
        raise TypeError(f"a draft or a builder has its options itself: give it {given} there")
    return _built(content)


def _built(draft: MemoryDraft | MemoryBuilder) -> MemoryDraft:
    built = draft.build() if isinstance(draft, MemoryBuilder) else draft
    if not isinstance(built, MemoryDraft):
        raise TypeError(f"must be a MemoryDraft or a builder, not {type(built).__name__}: remember() takes a text")
    return built
