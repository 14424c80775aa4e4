"""The filters of memories, and the call that recalls memories."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryd.model.memory import Embedding, MemoryStatus, MemoryType, embedding_message
from memoryd.model.moment import timestamp_after
from memoryd.model.recall import RecallResult, recall_result_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, call
from memoryd.protocol.consistency import ReadOptions
from memoryd.protocol.keyword import check_keys, keys_of
from memoryd.protocol.option import strings_of
from memoryd.protocol.record_filter import Selection, filter_of, select
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.record_filter_pb2 import RecordFilter

RECALL_LIMIT = 10


class MemoryFilters(Selection, total=False):
    """The selection of memories: see Selection. All conditions must hold.

    ``types`` and ``statuses``: one of these; without statuses, only active memories pass.
    ``project_id``, ``conversation_id``: exactly this one. An empty project or conversation passes memories without one;
    None, the default, passes all.
    ``occur_start_time``, ``occur_end_time``: an occur time at or after the first, and before the second.
    ``min_salience``: minimum salience, from 0 to 1.
    """

    types: Collection[MemoryType | str] | None
    statuses: Collection[MemoryStatus | str] | None
    project_id: str | None
    conversation_id: str | None
    occur_start_time: datetime | None
    occur_end_time: datetime | None
    min_salience: float


class MemoryReadOptions(MemoryFilters, ReadOptions, total=False):
    """The options of a read of memories: see MemoryFilters and ReadOptions."""


@dataclass(frozen=True, slots=True)
class Question:
    """The parameters of a recall, apart from its filters: see Memories.recall."""

    query: str
    limit: int
    min_score: float | None
    embedding: Embedding | Iterable[float] | None
    read_time: datetime | None
    include_linked: bool
    include_embedding: bool
    further_agents: Iterable[str] = ()


def recall_memories(agent_id: str, question: Question, filters: MemoryFilters) -> Call[RecallResult]:
    """Recall the memories that match a question best."""
    request = pb.RecallMemoriesRequest(
        agent_id=agent_id,
        query=question.query,
        limit=question.limit,
        filter=memory_filter_of(filters),
        min_score=question.min_score,
        embedding=embedding_message(question.embedding),
        read_time=timestamp_after(question.read_time),
        include_linked=question.include_linked,
        include_embedding=question.include_embedding,
        further_agent_ids=strings_of("further_agents", question.further_agents),
    )
    return call(method.RECALL_MEMORIES, request, recall_result_from)


def memory_filter_of(filters: MemoryFilters) -> RecordFilter:
    """Return the filters as a message. Raises TypeError for a string in place of a collection."""
    message = filter_of(filters, memory=_condition_of(filters))
    select(message, conversation_ids=_one(filters.get("conversation_id")))
    return message


def own_memory_filter(filters: MemoryFilters) -> RecordFilter | None:
    """Return the filters as a message, None if they say nothing.

    Raises TypeError as ``memory_filter_of`` does, and for a filter that there is not.
    """
    check_keys(filters, keys_of(MemoryFilters), "filter of memories")
    message = memory_filter_of(filters)
    return message if message.ByteSize() else None


def _condition_of(filters: MemoryFilters) -> dict[str, Any]:
    own: dict[str, Any] = {"types": filters.get("types"), "statuses": filters.get("statuses")}
    own["min_salience"] = filters.get("min_salience") or None
    times = {name: filters.get(name) for name in ("occur_start_time", "occur_end_time")}
    return {**own, **times, "project_ids": _one(filters.get("project_id"))}


def _one(value: str | None) -> list[str] | None:
    return None if value is None else [value]
