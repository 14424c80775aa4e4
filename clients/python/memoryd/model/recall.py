"""The memories that a query recalled, with their scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from memoryd.model.memory import Memory, MentionedTime, memory_from, mentioned_times_from
from memoryd.v1 import long_term_memory_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory that was recalled, with the reasons why.

    ``memory.agent_id`` is whose it is. ``score`` is how likely it is that it answers the query, from 0 to 1, where the
    server reranks. ``match_reason`` explains the match in one line for people. ``lexical_score`` and ``semantic_score``
    are the scores by words and by vectors, from 0 to 1, before weighting. ``matched_words`` are the words of the query
    that it has, ``context_words`` those that only its neighbours in the conversation, or its date, have.
    ``linked_from_memory_id`` is the match whose link led to it, empty when it matched itself. ``time_phrase`` is the
    part of the query that names its time.
    ``mentioned_times`` are the times that the memory's content names. ``contradicted_by`` are the ids of the newer
    active memories that contradict or supersede it, the newest first.
    """

    memory: Memory
    score: float
    match_reason: str
    lexical_score: float
    semantic_score: float
    matched_words: tuple[str, ...]
    context_words: tuple[str, ...]
    linked_from_memory_id: str
    time_phrase: str
    mentioned_times: tuple[MentionedTime, ...] = ()
    contradicted_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The memories that a query recalled, the best first.

    ``match_count`` is the number of memories that passed the filters and matched at all. ``query_duration`` is the time
    that the server took. ``semantic_used`` is true if vectors were compared: not without an embedder, nor if it did not
    answer in time. ``revision`` is the agent's revision at which the result holds, and ``further_revisions`` has those
    of the further agents.
    """

    memories: tuple[ScoredMemory, ...]
    match_count: int
    query_duration: timedelta
    semantic_used: bool
    revision: int
    further_revisions: Mapping[str, int]


def recall_result_from(message: pb.RecallMemoriesResponse) -> RecallResult:
    """Return the result of a recall."""
    return RecallResult(
        memories=tuple(_scored_memory_from(each) for each in message.memories),
        match_count=message.match_count,
        query_duration=message.query_duration.ToTimedelta(),
        semantic_used=message.semantic_used,
        revision=message.revision,
        further_revisions={each.agent_id: each.revision for each in message.further_revisions},
    )


def _scored_memory_from(message: pb.ScoredMemory) -> ScoredMemory:
    return ScoredMemory(
        memory=memory_from(message.memory),
        score=message.score,
        match_reason=message.match_reason,
        lexical_score=message.lexical_score,
        semantic_score=message.semantic_score,
        matched_words=tuple(message.matched_words),
        context_words=tuple(message.context_words),
        linked_from_memory_id=message.linked_from_memory_id,
        time_phrase=message.time_phrase,
        mentioned_times=mentioned_times_from(message.mentioned_times),
        contradicted_by=tuple(message.contradicted_by),
    )
