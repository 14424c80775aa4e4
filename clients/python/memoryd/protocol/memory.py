"""The calls about memories: creating, reading, reinforcing, forgetting."""

from collections.abc import Iterable
from datetime import datetime

from memoryd.model.memory import Memory, memory_from
from memoryd.model.memory_change import (
    CreatedMemory,
    ForgottenMemory,
    Reembedding,
    ReinforcedMemory,
    created_memory_from,
    forgotten_memory_from,
    reembedding_from,
    reinforced_memory_from,
)
from memoryd.model.moment import timestamp_after
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.memory_builder import MemoryBuilder
from memoryd.protocol.memory_draft import MemoryDraft, draft_message
from memoryd.protocol.option import precondition_of
from memoryd.protocol.recall import MemoryFilters, filter_of
from memoryd.v1 import long_term_memory_service_pb2 as pb

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
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CREATE_MEMORY, request, lambda answer: created_memory_from(answer.created, answer.revision))


def create_memories(
    agent_id: str, drafts: Iterable[MemoryDraft | MemoryBuilder], expected_revision: int | None
) -> Call[tuple[CreatedMemory, ...]]:
    """Create memories as one change. Raises ValueError as create_memory does."""
    request = pb.BatchCreateMemoriesRequest(
        agent_id=agent_id,
        drafts=[draft_message(_built(draft)) for draft in drafts],
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(
        method.BATCH_CREATE_MEMORIES,
        request,
        lambda answer: tuple(created_memory_from(each, answer.revision) for each in answer.created),
    )


def get_memory(
    agent_id: str, memory_id: str, *, as_of: datetime | None, include_forgotten: bool, include_embedding: bool
) -> Call[Memory]:
    """Read a memory."""
    request = pb.GetMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        as_of=timestamp_after(as_of),
        include_forgotten=include_forgotten,
        include_embedding=include_embedding,
    )
    return call(method.GET_MEMORY, request, lambda answer: memory_from(answer.memory))


def list_memories(agent_id: str, filters: MemoryFilters, *, forgotten_only: bool) -> Call[Page[Memory]]:
    """List memories, newest first, page by page."""
    request = pb.ListMemoriesRequest(
        agent_id=agent_id, filter=filter_of(filters), forgotten_only=forgotten_only, page_size=LIST_PAGE_SIZE
    )
    return page_call(method.LIST_MEMORIES, request, lambda answer: [memory_from(each) for each in answer.memories])


def reinforce_memory(
    agent_id: str, memory_id: str, confidence: float | None, expected_revision: int | None
) -> Call[ReinforcedMemory]:
    """Raise a memory's confidence."""
    request = pb.ReinforceMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        confidence=confidence,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.REINFORCE_MEMORY, request, reinforced_memory_from)


def forget_memory(agent_id: str, memory_id: str, expected_revision: int | None) -> Call[ForgottenMemory]:
    """Forget a memory."""
    request = _forget_request(agent_id, memory_id, expected_revision, restore=False)
    return call(method.FORGET_MEMORY, request, forgotten_memory_from)


def restore_memory(agent_id: str, memory_id: str, expected_revision: int | None) -> Call[bool]:
    """Restore a forgotten memory."""
    request = _forget_request(agent_id, memory_id, expected_revision, restore=True)
    return call(method.FORGET_MEMORY, request, lambda answer: answer.changed)


def purge_memory(agent_id: str, memory_id: str, *, keep_out: bool, expected_revision: int | None) -> Call[None]:
    """Erase a memory from the store and the journal."""
    request = pb.PurgeMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        keep_out=keep_out,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.PURGE_MEMORY, request, lambda _: None)


def reembed_memories(agent_id: str, limit: int, *, include_given: bool) -> Call[Page[Reembedding]]:
    """Embed up to ``limit`` memories per page, until none is left or none can be embedded. A page has the progress."""
    request = pb.ReembedMemoriesRequest(agent_id=agent_id, limit=limit, include_given=include_given)

    def convert(answer: pb.ReembedMemoriesResponse) -> Page[Reembedding]:
        more = answer.memories_embedded > 0 and answer.memories_left > 0
        following = reembed_memories(agent_id, limit, include_given=include_given) if more else None
        return Page([reembedding_from(answer)], following)

    return call(method.REEMBED_MEMORIES, request, convert, patience=REEMBED_PATIENCE)


def _built(draft: MemoryDraft | MemoryBuilder) -> MemoryDraft:
    return draft.build() if isinstance(draft, MemoryBuilder) else draft


def _forget_request(
    agent_id: str, memory_id: str, expected_revision: int | None, *, restore: bool
) -> pb.ForgetMemoryRequest:
    return pb.ForgetMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        restore=restore,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
