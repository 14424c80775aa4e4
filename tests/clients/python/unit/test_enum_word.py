from enum import StrEnum
from typing import Any

import pytest

from memoryd.errors import MemorydError, UnknownWord
from memoryd.model.context import ContextOutcome
from memoryd.model.entry import EntryType
from memoryd.model.enum_word import EnumWords
from memoryd.model.event import EventCause, EventType, WatchPhase
from memoryd.model.listing import ListOrder, RecordView
from memoryd.model.memory import MemoryStatus, MemoryType
from memoryd.model.memory_change import CreateMemoryOutcome
from memoryd.model.memory_link import MemoryLinkType
from memoryd.model.message import MessageRole
from memoryd.model.plan import PlanStatus, PlanStepStatus
from memoryd.model.record import RecordKind
from memoryd.model.server import Durability, ServerState
from memoryd.model.snapshot import SnapshotTrigger
from memoryd.v1 import (
    context_service_pb2,
    conversation_pb2,
    entry_pb2,
    event_pb2,
    event_service_pb2,
    listing_pb2,
    long_term_memory_service_pb2,
    memory_pb2,
    plan_pb2,
    record_pb2,
    server_service_pb2,
    snapshot_pb2,
)

ENUMS = [
    (RecordKind, record_pb2.RecordKind, "RECORD_KIND"),
    (EntryType, entry_pb2.EntryType, "ENTRY_TYPE"),
    (MemoryType, memory_pb2.MemoryType, "MEMORY_TYPE"),
    (MemoryStatus, memory_pb2.MemoryStatus, "MEMORY_STATUS"),
    (MemoryLinkType, memory_pb2.MemoryLinkType, "MEMORY_LINK_TYPE"),
    (ContextOutcome, context_service_pb2.ContextOutcome, "CONTEXT_OUTCOME"),
    (MessageRole, conversation_pb2.MessageRole, "MESSAGE_ROLE"),
    (RecordKind, record_pb2.RecordKind, "RECORD_KIND"),
    (ListOrder, listing_pb2.ListOrder, "LIST_ORDER"),
    (RecordView, listing_pb2.RecordView, "RECORD_VIEW"),
    (CreateMemoryOutcome, long_term_memory_service_pb2.CreateMemoryOutcome, "CREATE_MEMORY_OUTCOME"),
    (PlanStatus, plan_pb2.PlanStatus, "PLAN_STATUS"),
    (PlanStepStatus, plan_pb2.PlanStepStatus, "PLAN_STEP_STATUS"),
    (EventType, event_pb2.EventType, "EVENT_TYPE"),
    (EventCause, event_pb2.EventCause, "EVENT_CAUSE"),
    (WatchPhase, event_service_pb2.WatchPhase, "WATCH_PHASE"),
    (Durability, server_service_pb2.Durability, "DURABILITY"),
    (ServerState, server_service_pb2.ServerState, "SERVER_STATE"),
    (SnapshotTrigger, snapshot_pb2.SnapshotTrigger, "SNAPSHOT_TRIGGER"),
]


@pytest.mark.parametrize(("words", "enum", "prefix"), ENUMS, ids=lambda part: getattr(part, "__name__", None))
def test_each_value_of_the_contract_has_its_word_and_back(words: type[StrEnum], enum: Any, prefix: str) -> None:
    both = EnumWords(enum, prefix)
    for name, number in enum.items():
        word = both.word(words, number)
        assert f"{prefix}_{word.name}" == name
        assert both.number(word) == number


def test_this_client_adds_one_phase_and_no_other_word() -> None:
    added = {(words, word.name) for words, enum, prefix in ENUMS for word in words} - {
        (words, name.removeprefix(f"{prefix}_")) for words, enum, prefix in ENUMS for name, _ in enum.items()
    }
    assert added == {(WatchPhase, "RESTARTED")}


def test_a_value_of_a_newer_server_is_unspecified() -> None:
    assert EnumWords(event_pb2.EventType, "EVENT_TYPE").word(EventType, 99) is EventType.UNSPECIFIED


@pytest.mark.parametrize("word", ["pref", "PREF", 3, None, "unspecified "])
def test_an_unknown_word_is_refused_with_those_that_there_are(word: Any) -> None:
    words = EnumWords(entry_pb2.EntryType, "ENTRY_TYPE")
    with pytest.raises(UnknownWord) as caught:
        words.number(word)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, MemorydError)
    assert caught.value.message.startswith(f"{word!r} is no entry type: ")
    assert "use fact, event, insight, preference, correction, conversation" in caught.value.message


def test_the_nearest_word_is_named() -> None:
    with pytest.raises(UnknownWord, match=r"did you mean 'preference'\? Or use fact"):
        EnumWords(entry_pb2.EntryType, "ENTRY_TYPE").number("preferences")
