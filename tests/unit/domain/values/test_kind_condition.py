"""Conditions on the fields that only one kind of records has."""

from typing import Any

import msgspec
import pytest
from tests.unit.domain.made import made

from memoryd_server.domain.conversations.conversation import MESSAGE_SHAPE, ConversationMessage, MessageCondition
from memoryd_server.domain.documents.document import DOCUMENT_SHAPE, Document, DocumentCondition
from memoryd_server.domain.entries.entry import ENTRY_SHAPE, Entry, EntryCondition, EntryType
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE, Fragment, FragmentCondition
from memoryd_server.domain.kinds import SHAPES
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, Memory, MemoryCondition, MemoryStatus, MemoryType
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE, LinkType, MemoryLink, MemoryLinkCondition
from memoryd_server.domain.notes.note import NOTE_SHAPE, Note, NoteCondition
from memoryd_server.domain.plans.plan import PLAN_SHAPE, Plan, PlanCondition, PlanStatus
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.record_filter import KindCondition, Matcher, RecordFilter, RecordShape

ONE = frozenset({"one"})
RECORDS: dict[RecordShape, type[Any]] = {
    ENTRY_SHAPE: Entry,
    FRAGMENT_SHAPE: Fragment,
    MEMORY_SHAPE: Memory,
    MEMORY_LINK_SHAPE: MemoryLink,
    NOTE_SHAPE: Note,
    PLAN_SHAPE: Plan,
    DOCUMENT_SHAPE: Document,
    MESSAGE_SHAPE: ConversationMessage,
}
# Texts are "one" or "other", integers 1 or 2, floats 0.25 or 0.75, enums their first or their second member.
OF_FIRST = [
    (ENTRY_SHAPE, EntryCondition(key_prefixes=("x", "on"))),
    (ENTRY_SHAPE, EntryCondition(types=frozenset({EntryType(1)}))),
    (ENTRY_SHAPE, EntryCondition(type_names=ONE)),
    (FRAGMENT_SHAPE, FragmentCondition(types=ONE)),
    (FRAGMENT_SHAPE, FragmentCondition(dynamic_types=ONE)),
    (FRAGMENT_SHAPE, FragmentCondition(flushed=False)),
    (FRAGMENT_SHAPE, FragmentCondition(any_participants=ONE)),
    (MEMORY_SHAPE, MemoryCondition(types=frozenset({MemoryType(1)}))),
    (MEMORY_SHAPE, MemoryCondition(statuses=frozenset({MemoryStatus(1)}))),
    (MEMORY_SHAPE, MemoryCondition(project_ids=ONE)),
    (MEMORY_SHAPE, MemoryCondition(document_ids=ONE)),
    (MEMORY_SHAPE, MemoryCondition(occur_end=2)),
    (MEMORY_LINK_SHAPE, MemoryLinkCondition(types=frozenset({LinkType(1)}))),
    (NOTE_SHAPE, NoteCondition(notebooks=ONE)),
    (PLAN_SHAPE, PlanCondition(statuses=frozenset({PlanStatus(1)}))),
    (DOCUMENT_SHAPE, DocumentCondition(media_types=ONE)),
    (DOCUMENT_SHAPE, DocumentCondition(sources=ONE)),
    (MESSAGE_SHAPE, MessageCondition(roles=frozenset({MessageRole(1)}))),
    (MESSAGE_SHAPE, MessageCondition(names=ONE)),
]
"""Conditions that the first of two records meets, and the second does not."""

OF_SECOND = [
    (ENTRY_SHAPE, EntryCondition(min_importance=0.75)),
    (FRAGMENT_SHAPE, FragmentCondition(flushed=True)),
    (FRAGMENT_SHAPE, FragmentCondition(min_confidence=0.75)),
    (MEMORY_SHAPE, MemoryCondition(occur_start=2)),
    (MEMORY_SHAPE, MemoryCondition(min_importance=0.75)),
    (MEMORY_SHAPE, MemoryCondition(min_confidence=0.75)),
    (MEMORY_LINK_SHAPE, MemoryLinkCondition(min_strength=0.75)),
    (NOTE_SHAPE, NoteCondition(min_importance=0.75)),
    (MESSAGE_SHAPE, MessageCondition(min_importance=0.75)),
]
"""Conditions that the second of two records meets, and the first does not."""


@pytest.mark.parametrize(
    ("shape", "condition", "which"), [(*each, 0) for each in OF_FIRST] + [(*each, 1) for each in OF_SECOND]
)
def test_a_condition_keeps_the_record_that_meets_it_alone(
    shape: RecordShape, condition: KindCondition, which: int
) -> None:
    matcher = Matcher(RecordFilter(condition=condition), shape)
    assert [matcher.keeps(made(RECORDS[shape], each)) for each in (0, 1)] == [which == 0, which == 1]


def test_every_condition_of_every_kind_is_tried() -> None:
    declared = {
        (shape.condition, name)
        for shape in SHAPES.values()
        if shape.condition is not None
        for name in shape.condition.__struct_fields__
    }
    tried = {
        (type(condition), name)
        for _, condition in OF_FIRST + OF_SECOND
        for name, value in msgspec.structs.asdict(condition).items()
        if value != getattr(type(condition)(), name)
    }
    # The salience of a memory depends on its links and on the time: it is compared apart from these.
    assert declared - tried == {(MemoryCondition, "min_salience")}


def test_a_fragment_of_unknown_confidence_has_not_even_the_least() -> None:
    fragment = msgspec.structs.replace(made(Fragment, 0), confidence=None)
    assert not Matcher(RecordFilter(condition=FragmentCondition(min_confidence=0.0)), FRAGMENT_SHAPE).keeps(fragment)


def test_the_condition_of_another_kind_keeps_nothing() -> None:
    chosen = RecordFilter(condition=NoteCondition())
    assert Matcher(chosen, NOTE_SHAPE).keeps(made(Note, 0))
    assert not Matcher(chosen, MESSAGE_SHAPE).keeps(made(ConversationMessage, 0))
