"""Decoding of recall requests, and encoding of their matches."""

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.memories.memory import MemoryStatus, MemoryType
from memoryd_server.engine.memories.long_term_memories import MemorySelection, RecalledMemory, RecallRequest
from memoryd_server.ports.retrieval import Criteria, Match
from memoryd_server.transport.fields.timestamp import moment_of
from memoryd_server.transport.memories.memory_message import memory_message, vector_of

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
        criteria_of(message.filter),
        validation.importance("min_score", message.min_score),
        validation.importance("filter.min_salience", message.filter.min_salience),
        vector,
        moment_of(message.read_time, "read_time") if message.HasField("read_time") else None,
        message.include_linked or not message.HasField("include_linked"),
        message.include_embedding,
    )


def selection_of(message: pb.MemoryFilter, *, forgotten_only: bool) -> MemorySelection:
    """Decode the filter of a listing. Raises InvalidField."""
    min_salience = validation.importance("filter.min_salience", message.min_salience)
    return MemorySelection(criteria_of(message, all_statuses=forgotten_only), min_salience, forgotten_only)


def criteria_of(message: pb.MemoryFilter, *, all_statuses: bool = False) -> Criteria:
    """Decode the filter of memories. Without statuses, only active memories pass. Raises InvalidField.

    With ``all_statuses``, memories of any status pass if the filter names none.
    """
    statuses = validation.all_known("filter.statuses", message.statuses, MemoryStatus)
    start = message.occur_start_time if message.HasField("occur_start_time") else None
    end = message.occur_end_time if message.HasField("occur_end_time") else None
    return Criteria(
        validation.all_known("filter.types", message.types, MemoryType),
        statuses or (frozenset() if all_statuses else _ACTIVE),
        _id_of(message, "user_id", limit.USER_ID_BYTES_MAX),
        _id_of(message, "project_id", limit.PROJECT_ID_BYTES_MAX),
        _id_of(message, "conversation_id", limit.CONVERSATION_ID_BYTES_MAX),
        frozenset(validation.tags("filter.all_tags", message.all_tags)),
        frozenset(validation.tags("filter.any_tags", message.any_tags)),
        None if start is None else moment_of(start, "filter.occur_start_time"),
        None if end is None else moment_of(end, "filter.occur_end_time"),
    )


def _id_of(message: pb.MemoryFilter, name: str, bytes_max: int) -> str | None:
    if not message.HasField(name):
        return None
    return validation.optional_text(f"filter.{name}", getattr(message, name), bytes_max)


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
    return "; ".join(reasons)
