"""Decoding of recall requests, and encoding of their matches."""

import msgspec

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import record_filter_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, MemoryCondition, MemoryStatus
from memoryd_server.domain.values.record_filter import NO_USER, RecordFilter
from memoryd_server.engine.memories.long_term_memories import RecalledMemory, RecallRequest
from memoryd_server.ports.retrieval import Match
from memoryd_server.transport.fields.min_score import min_score_of
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.timestamp import moment_of
from memoryd_server.transport.memories.memory_message import memory_message, mentioned_time_messages, vector_of

_ACTIVE = frozenset({MemoryStatus.ACTIVE})


def recall_request_of(message: pb.RecallMemoriesRequest) -> RecallRequest:
    """Decode a recall request. Raises InvalidField."""
    validation.within("query", validation.size_bytes(message.query), 0, limit.QUERY_BYTES_MAX, " bytes")
    vector = vector_of(message.embedding, "embedding") if message.HasField("embedding") else None
    if vector is None and not message.query.strip():
        raise InvalidField("query", "must not be blank without an embedding")
    count_max = validation.within("limit", message.limit, 0, 2**31 - 1) or limit.MATCHES_DEFAULT
    return RecallRequest(
        message.query,
        min(count_max, limit.MATCHES_MAX),
        memory_filter_of(message.filter),
        min_score_of(message),
        vector,
        moment_of(message.read_time, "read_time") if message.HasField("read_time") else None,
        message.include_linked or not message.HasField("include_linked"),
        message.include_embedding,
    )


def memory_filter_of(
    message: record_filter_pb2.RecordFilter,
    field: str = "filter",
    default_users: frozenset[str] | None = NO_USER,
    *,
    all_statuses: bool = False,
) -> RecordFilter:
    """Decode the filter of memories. Without statuses, only active memories pass. Raises InvalidField.

    With ``all_statuses``, memories of any status pass if the filter names none. For ``default_users`` see
    ``record_filter_of``.
    """
    chosen = record_filter_of(message, MEMORY_SHAPE, field, default_users)
    condition = chosen.condition if isinstance(chosen.condition, MemoryCondition) else MemoryCondition()
    if all_statuses or condition.statuses:
        return chosen
    return msgspec.structs.replace(chosen, condition=msgspec.structs.replace(condition, statuses=_ACTIVE))


def scored_memory_message(recalled: RecalledMemory) -> pb.ScoredMemory:
    """Encode a match."""
    match = recalled.match
    return pb.ScoredMemory(
        memory=memory_message(recalled.agent_id, recalled.known),
        score=match.score,
        match_reason=_reason(match),
        lexical_score=match.words,
        semantic_score=match.meaning,
        matched_words=match.matched_words,
        context_words=match.context_words,
        linked_from_memory_id=match.linked_from,
        time_phrase=match.time_phrase,
        mentioned_times=mentioned_time_messages(match.mentioned_times),
        contradicted_by=match.contradicted_by,
    )


def _reason(match: Match) -> str:
    """Return the reasons of a match in one line."""
    reasons = []
    if match.matched_words:
        reasons.append(f"words: {', '.join(match.matched_words)}")
    if match.context_words:
        reasons.append(f"around it: {', '.join(match.context_words)}")
    if match.meaning > 0:
        reasons.append(f"meaning: {match.meaning:.2f}")
    if match.time_phrase:
        reasons.append(f"time: {match.time_phrase}")
    if match.linked_from:
        reasons.append(f"linked with {match.linked_from}")
    if match.contradicted_by:
        reasons.append(f"contradicted by {', '.join(match.contradicted_by)}")
    if match.behind:
        reasons.append(f"{match.why_behind}, behind {', '.join(match.behind)}")
    return "; ".join(reasons)
