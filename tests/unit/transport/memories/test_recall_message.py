import math
import struct
from typing import Any
from unittest.mock import patch

import pytest
from google.protobuf import timestamp_pb2
from tests.unit.domain.sample import IDENTITY, NOW, Agent
from tests.unit.record_filters import of_memories

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2
from memoryd.v1.record_filter_pb2 import RecordFilter
from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import MATCHES_MAX, QUERY_BYTES_MAX
from memoryd_server.domain.memories.memory import MemoryCondition, MemoryStatus, MemoryType
from memoryd_server.engine.memories.long_term_memories import KnownMemory, RecalledMemory, RecallRequest
from memoryd_server.ports.retrieval import Match
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.memories.recall_message import memory_filter_of, recall_request_of, scored_memory_message

ACTIVE = frozenset({MemoryStatus.ACTIVE})
FAR = timestamp_pb2.Timestamp(seconds=253_402_300_799)


def requested(**fields: Any) -> RecallRequest:
    return recall_request_of(pb.RecallMemoriesRequest(**{"query": "fox", **fields}))


def test_a_query_without_options_requests_ten_active_memories() -> None:
    assert requested() == RecallRequest("fox", 10, of_memories("", statuses=ACTIVE), min_score=None)


def test_a_request_has_every_field_of_its_message() -> None:
    asked = requested(
        limit=3,
        filter={
            "user_ids": ["u"],
            "conversation_ids": ["c"],
            "all_tags": ["t", "s"],
            "any_tags": ["r"],
            "memory": {
                "types": [1, 2],
                "statuses": [2, 3],
                "project_ids": ["p"],
                "occur_start_time": timestamp(-5),
                "occur_end_time": timestamp(NOW),
                "min_salience": 0.25,
            },
        },
        min_score=0.5,
        embedding={"vector": [1, 2], "model": "model", "version": "1"},
        read_time=timestamp(NOW),
        include_linked=False,
        include_embedding=True,
    )
    chosen = of_memories(
        "u",
        "p",
        frozenset({"c"}),
        frozenset({"t", "s"}),
        frozenset({"r"}),
        types=frozenset({MemoryType.SEMANTIC, MemoryType.EPISODIC}),
        statuses=frozenset({MemoryStatus.ARCHIVED, MemoryStatus.SUPERSEDED}),
        occur_start=-5,
        occur_end=NOW,
        min_salience=0.25,
    )
    vector = (IDENTITY, struct.pack("<2f", 1, 2))
    assert asked == RecallRequest("fox", 3, chosen, 0.5, vector, NOW, False, True)


def test_an_empty_id_selects_memories_without_one_and_an_absent_id_all() -> None:
    asked = requested(filter={"all_users": True, "conversation_ids": [""], "memory": {"project_ids": [""]}})
    assert asked.filter == of_memories(project_id="", conversation_ids=frozenset({""}), statuses=ACTIVE)


def test_links_are_followed_unless_that_is_declined() -> None:
    assert requested().follow_links
    assert requested(include_linked=True).follow_links
    assert not requested(include_linked=False).follow_links


def test_the_epoch_is_a_time_like_any_other() -> None:
    asked = requested(read_time=timestamp(0), filter={"memory": {"occur_start_time": timestamp(0)}})
    condition = asked.filter.condition
    assert isinstance(condition, MemoryCondition)
    assert (asked.read_time, condition.occur_start, condition.occur_end) == (0, 0, None)


def test_a_limit_above_the_maximum_is_lowered_to_it() -> None:
    assert requested(limit=MATCHES_MAX + 1).limit == MATCHES_MAX


def test_a_query_may_be_a_vector_alone() -> None:
    assert requested(query="", embedding={"vector": [1]}).text == ""


def test_a_repeated_type_or_status_is_checked_once() -> None:
    message = RecordFilter(memory={"types": [1] * 1_000, "statuses": [2] * 1_000})
    with patch.object(validation, "known", wraps=validation.known) as known:
        memory_filter_of(message)
    assert known.call_count == 2


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " \n"}, "query"),
        ({"query": "ü" * (QUERY_BYTES_MAX // 2) + "x"}, "query"),
        ({"limit": -1}, "limit"),
        ({"min_score": math.nan}, "min_score"),
        ({"min_score": 1.01}, "min_score"),
        ({"embedding": {}}, "embedding.vector"),
        ({"embedding": {"vector": [math.nan]}}, "embedding.vector"),
        ({"embedding": {"vector": [math.inf]}}, "embedding.vector"),
        ({"read_time": FAR}, "read_time"),
        ({"filter": {"memory": {"types": [0]}}}, "filter.memory.types"),
        ({"filter": {"memory": {"types": [1, 9]}}}, "filter.memory.types"),
        ({"filter": {"memory": {"statuses": [0]}}}, "filter.memory.statuses"),
        ({"filter": {"user_ids": ["x" * 257]}}, "filter.user_ids"),
        ({"filter": {"memory": {"project_ids": ["\0"]}}}, "filter.memory.project_ids"),
        ({"filter": {"conversation_ids": ["x" * 257]}}, "filter.conversation_ids"),
        ({"filter": {"all_tags": [""]}}, "filter.all_tags"),
        ({"filter": {"any_tags": [str(n) for n in range(65)]}}, "filter.any_tags"),
        ({"filter": {"memory": {"occur_start_time": FAR}}}, "filter.memory.occur_start_time"),
        ({"filter": {"memory": {"occur_end_time": {"nanos": -1}}}}, "filter.memory.occur_end_time"),
        ({"filter": {"memory": {"min_salience": -0.5}}}, "filter.memory.min_salience"),
        ({"filter": {"memory": {"min_salience": math.nan}}}, "filter.memory.min_salience"),
    ],
)
def test_a_refused_request_names_the_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        requested(**fields)
    assert refused.value.field == field


def test_a_listing_is_of_active_memories_or_of_forgotten_ones_of_any_status() -> None:
    assert memory_filter_of(RecordFilter()) == of_memories("", statuses=ACTIVE)
    assert memory_filter_of(RecordFilter(), all_statuses=True) == of_memories("")
    named = memory_filter_of(RecordFilter(memory={"statuses": [3], "min_salience": 0.5}), all_statuses=True)
    assert named == of_memories("", statuses=frozenset({MemoryStatus.SUPERSEDED}), min_salience=0.5)


@pytest.mark.parametrize(
    ("match", "reason"),
    [
        (Match("m", 0.5, matched_words=("fox", "red")), "words: fox, red"),
        (Match("m", 0.5, context_words=("May",)), "around it: May"),
        (Match("m", 0.5, meaning=0.456), "meaning: 0.46"),
        (Match("m", 0.5, meaning=0.001), "meaning: 0.00"),
        (Match("m", 0.5, time_phrase="last week"), "time: last week"),
        (Match("m", 0.5, linked_from="n"), "linked with n"),
        (
            Match("m", 0.5, meaning=0.5, matched_words=("fox",), linked_from="n"),
            "words: fox; meaning: 0.50; linked with n",
        ),
        (Match("m", 0.5), ""),
    ],
)
def test_a_match_states_in_one_line_why_it_matched(match: Match, reason: str) -> None:
    known = KnownMemory(Agent().create("one"), 0.5, 0, 0, NOW)
    assert scored_memory_message(RecalledMemory("a", match, known)).match_reason == reason


def test_a_match_is_encoded_with_all_its_scores_and_words() -> None:
    memory = Agent().create("one")
    match = Match(memory.memory_id, 0.9, 0.8, 0.7, 0.6, "n", ("fox",), ("may",), "last week")
    message = scored_memory_message(RecalledMemory("a", match, KnownMemory(memory, 0.5, 0, 0, NOW)))
    assert isinstance(message.memory, memory_pb2.Memory)
    assert (message.memory.content, message.memory.salience) == ("one", 0.5)
    assert (message.score, message.lexical_score, message.semantic_score) == (0.9, 0.8, 0.7)
    assert (message.linked_from_memory_id, message.time_phrase) == ("n", "last week")
    assert (message.matched_words, message.context_words) == (["fox"], ["may"])
