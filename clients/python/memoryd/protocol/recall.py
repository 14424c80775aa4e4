"""The filters of memories, and the call that recalls memories."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from memoryd.model.memory import (
    MEMORY_STATUS,
    MEMORY_TYPE,
    Embedding,
    MemoryStatus,
    MemoryType,
    embedding_message,
)
from memoryd.model.moment import timestamp_after, timestamp_if_given
from memoryd.model.recall import RecallResult, recall_result_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, call
from memoryd.protocol.consistency import ReadOptions
from memoryd.protocol.option import strings_of
from memoryd.v1 import long_term_memory_service_pb2 as pb

RECALL_LIMIT = 10


class MemoryFilters(TypedDict, total=False):
    """The filters that a memory must all pass.

    ``types`` and ``statuses``: one of these; without statuses, only active memories pass.
    ``user_id``, ``project_id``, ``conversation_id``: exactly this one. An empty project or conversation passes memories
    without one; None, the default, passes all.
    ``all_tags``: all of these. ``any_tags``: at least one of these.
    ``occur_start_time``, ``occur_end_time``: an occur time at or after the first, and before the second.
    ``min_salience``: minimum salience, from 0 to 1.
    """

    types: Collection[MemoryType | str]
    statuses: Collection[MemoryStatus | str]
    user_id: str | None
    project_id: str | None
    conversation_id: str | None
    all_tags: Collection[str]
    any_tags: Collection[str]
    occur_start_time: datetime | None
    occur_end_time: datetime | None
    min_salience: float


class MemoryReadOptions(MemoryFilters, ReadOptions, total=False):
    """The filters that a memory must all pass, and how current the read must be."""


@dataclass(frozen=True, slots=True)
class Question:
    """The parameters of a recall, apart from its filters: see Memories.recall."""

    query: str
    limit: int
    min_score: float
    embedding: Embedding | Iterable[float] | None
    read_time: datetime | None
    include_linked: bool
    include_embedding: bool


def recall_memories(agent_id: str, question: Question, filters: MemoryFilters) -> Call[RecallResult]:
    """Recall the memories that match a question best."""
    request = pb.RecallMemoriesRequest(
        agent_id=agent_id,
        query=question.query,
        limit=question.limit,
        filter=filter_of(filters),
        min_score=question.min_score,
        embedding=embedding_message(question.embedding),
        read_time=timestamp_after(question.read_time),
        include_linked=question.include_linked,
        include_embedding=question.include_embedding,
    )
    return call(method.RECALL_MEMORIES, request, recall_result_from)


def filter_of(filters: MemoryFilters) -> pb.MemoryFilter:
    """Return the filters as a message. Raises TypeError for a single string in place of a collection of them."""
    types = strings_of("types", filters.get("types", ()))
    statuses = strings_of("statuses", filters.get("statuses", ()))
    return pb.MemoryFilter(
        types=[MEMORY_TYPE.number(each) for each in types],
        statuses=[MEMORY_STATUS.number(each) for each in statuses],
        user_id=filters.get("user_id"),
        project_id=filters.get("project_id"),
        conversation_id=filters.get("conversation_id"),
        all_tags=strings_of("all_tags", filters.get("all_tags", ())),
        any_tags=strings_of("any_tags", filters.get("any_tags", ())),
        occur_start_time=timestamp_if_given(filters.get("occur_start_time")),
        occur_end_time=timestamp_if_given(filters.get("occur_end_time")),
        min_salience=filters.get("min_salience", 0.0),
    )
