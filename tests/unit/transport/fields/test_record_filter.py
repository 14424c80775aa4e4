"""The decoder of filters: what it refuses, before any work, and what it returns."""

from typing import Any

import pytest
from google.protobuf.struct_pb2 import ListValue, Value

from memoryd.v1 import record_filter_pb2 as pb
from memoryd_server.domain.conversations.conversation import MESSAGE_SHAPE, MessageCondition
from memoryd_server.domain.documents.document import DOCUMENT_SHAPE, DocumentCondition
from memoryd_server.domain.entities.entity import ENTITY_WINDOW_SHAPE
from memoryd_server.domain.entries.entry import ENTRY_SHAPE, EntryCondition, EntryType
from memoryd_server.domain.entries.scope import SCOPE_SHAPE
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE, FragmentCondition
from memoryd_server.domain.memories.memory import MEMORY_SHAPE, MemoryCondition, MemoryStatus
from memoryd_server.domain.memories.memory_link import MEMORY_LINK_SHAPE, LinkType, MemoryLinkCondition
from memoryd_server.domain.notes.note import NOTE_SHAPE, NoteCondition
from memoryd_server.domain.plans.plan import PLAN_SHAPE, PlanCondition, PlanStatus
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.metadata_condition import MetadataCondition, MetadataRange
from memoryd_server.domain.values.record_filter import NO_USER, RecordFilter, RecordShape
from memoryd_server.transport.fields.record_filter import record_filter_of
from memoryd_server.transport.fields.wire import bytes_tag

GOLD, FIVE = Value(string_value="gold"), Value(number_value=5)


def decoded(fields: dict[str, Any], shape: RecordShape | None = MEMORY_SHAPE) -> RecordFilter:
    return record_filter_of(pb.RecordFilter(**fields), shape)


def test_a_filter_without_users_selects_records_of_no_user() -> None:
    assert decoded({}) == RecordFilter(user_ids=NO_USER)
    assert decoded({"user_ids": ["a", "", "a"]}) == RecordFilter(user_ids=frozenset({"a", ""}))
    assert decoded({"all_users": True}) == RecordFilter()


def test_the_users_of_nested_filters_are_no_condition_by_default() -> None:
    chosen = decoded({"any_of": [{}, {"user_ids": ["a"]}], "none_of": [{"ids": ["m"]}]})
    of_a = RecordFilter(user_ids=frozenset({"a"}))
    none_of = (RecordFilter(ids=frozenset({"m"})),)
    assert chosen == RecordFilter(user_ids=NO_USER, any_of=(RecordFilter(), of_a), none_of=none_of)


def test_a_path_has_dots_between_its_keys_and_escaped_ones_within() -> None:
    def path(text: str) -> tuple[str, ...]:
        (condition,) = decoded({"metadata": [{"path": text, "exists": True}]}).metadata
        return condition.path

    assert path("a") == ("a",)
    assert path("a.b.c") == ("a", "b", "c")
    assert path(r"a\.b.c\\d") == ("a.b", r"c\d")


@pytest.mark.parametrize(
    ("test", "condition"),
    [
        ({"equals": GOLD}, MetadataCondition(("k",), equals=frozenset({'"gold'}))),
        ({"equals": FIVE}, MetadataCondition(("k",), equals=frozenset({5.0}))),
        ({"exists": False}, MetadataCondition(("k",), exists=False)),
        ({"any_of": ListValue(values=[GOLD, FIVE])}, MetadataCondition(("k",), equals=frozenset({'"gold', 5.0}))),
        ({"contains": GOLD}, MetadataCondition(("k",), contains='"gold')),
        ({"range": {"at_least": FIVE}}, MetadataCondition(("k",), range=MetadataRange(5.0, None, True, False))),
        (
            {"range": {"greater_than": GOLD, "at_most": GOLD}},
            MetadataCondition(("k",), range=MetadataRange("gold", "gold", False, True)),
        ),
    ],
)
def test_a_condition_on_metadata_has_one_test(test: dict[str, Any], condition: MetadataCondition) -> None:
    assert decoded({"metadata": [{"path": "k", **test}]}).metadata == (condition,)


@pytest.mark.parametrize(
    ("shape", "fields", "condition"),
    [
        (
            ENTRY_SHAPE,
            {"entry": {"key_prefixes": ["a", "b"], "types": [2], "type_names": [""], "min_importance": 0.5}},
            EntryCondition(("a", "b"), frozenset({EntryType.EVENT}), frozenset({""}), 0.5),
        ),
        (
            FRAGMENT_SHAPE,
            {"fragment": {"types": ["t"], "dynamic_types": [""], "flushed": False, "min_confidence": 0}},
            FragmentCondition(frozenset({"t"}), frozenset({""}), False, 0.0),
        ),
        (
            MEMORY_SHAPE,
            {"memory": {"statuses": [2], "project_ids": [""], "document_ids": ["d"], "min_salience": 1}},
            MemoryCondition(
                statuses=frozenset({MemoryStatus.ARCHIVED}),
                project_ids=frozenset({""}),
                document_ids=frozenset({"d"}),
                min_salience=1.0,
            ),
        ),
        (
            MEMORY_LINK_SHAPE,
            {"memory_link": {"types": [4], "min_strength": 0.25}},
            MemoryLinkCondition(frozenset({LinkType.SUPERSEDES}), 0.25),
        ),
        (NOTE_SHAPE, {"note": {"notebooks": ["", "n"]}}, NoteCondition(frozenset({"", "n"}))),
        (PLAN_SHAPE, {"plan": {"statuses": [2]}}, PlanCondition(frozenset({PlanStatus.COMPLETED}))),
        (
            DOCUMENT_SHAPE,
            {"document": {"media_types": ["text/plain"], "sources": [""]}},
            DocumentCondition(frozenset({"text/plain"}), frozenset({""})),
        ),
        (
            MESSAGE_SHAPE,
            {"message": {"roles": [2], "names": ["Ann"], "min_importance": 0.5}},
            MessageCondition(frozenset({MessageRole.USER}), frozenset({"Ann"}), 0.5),
        ),
    ],
)
def test_each_kind_has_its_own_conditions(shape: RecordShape, fields: dict[str, Any], condition: object) -> None:
    assert decoded(fields, shape).condition == condition
    others = [ENTRY_SHAPE, NOTE_SHAPE, SCOPE_SHAPE, ENTITY_WINDOW_SHAPE]
    for other in (each for each in others if each is not shape):
        with pytest.raises(InvalidField, match="of another kind"):
            decoded(fields, other)
    assert decoded(fields | {"memory": {}}, None) if shape is MEMORY_SHAPE else decoded(fields, None)


@pytest.mark.parametrize(
    ("shape", "fields"),
    [
        (SCOPE_SHAPE, {"all_tags": ["t"]}),
        (SCOPE_SHAPE, {"metadata": [{"path": "k", "exists": True}]}),
        (FRAGMENT_SHAPE, {"any_tags": ["t"]}),
        (NOTE_SHAPE, {"conversation_ids": ["c"]}),
        (NOTE_SHAPE, {"any_of": [{"none_of": [{"conversation_ids": ["c"]}]}]}),
        (MEMORY_LINK_SHAPE, {"ids": ["a"]}),
    ],
)
def test_a_condition_on_what_the_records_do_not_have_is_refused(shape: RecordShape, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidField):
        decoded(fields, shape)


def nested(depth: int) -> dict[str, Any]:
    return {} if depth == 1 else {"any_of": [nested(depth - 1)]}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"all_users": True, "user_ids": ["a"]}, "filter.all_users"),
        ({"any_of": [{"all_users": True}]}, "filter.any_of[0].all_users"),
        ({"any_of": [{"memory": {"min_salience": 0.5}}]}, "filter.any_of[0].memory.min_salience"),
        ({"ids": [str(number) for number in range(257)]}, "filter.ids"),
        ({"ids": [""]}, "filter.ids"),
        ({"user_ids": [str(number) for number in range(257)]}, "filter.user_ids"),
        ({"user_ids": [" "]}, "filter.user_ids"),
        (nested(5), "filter"),
        ({"any_of": [{}] * 64}, "filter"),
        ({"metadata": [{"path": "a", "exists": True}] * 17}, "filter.metadata"),
        ({"any_of": [{"metadata": [{"path": "a", "exists": True}] * 16}] * 5}, "filter"),
        ({"metadata": [{"path": "a"}]}, "filter.metadata[0].test"),
        ({"metadata": [{"path": "", "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": "a..b", "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": "a\\b", "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": "a\\", "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": ".".join("a" * 17), "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": "a" * 1_025, "exists": True}]}, "filter.metadata[0].path"),
        ({"metadata": [{"path": "a", "equals": Value()}]}, "filter.metadata[0].equals"),
        ({"metadata": [{"path": "a", "equals": Value(string_value="x" * 5_000)}]}, "filter.metadata[0].equals"),
        ({"metadata": [{"path": "a", "equals": Value(number_value=float("nan"))}]}, "filter.metadata[0].equals"),
        ({"metadata": [{"path": "a", "any_of": ListValue()}]}, "filter.metadata[0].any_of"),
        ({"metadata": [{"path": "a", "any_of": ListValue(values=[FIVE] * 257)}]}, "filter.metadata[0].any_of"),
        ({"metadata": [{"path": "a", "range": {}}]}, "filter.metadata[0].range"),
        ({"metadata": [{"path": "a", "range": {"at_least": GOLD, "at_most": FIVE}}]}, "filter.metadata[0].range"),
        ({"metadata": [{"path": "a", "range": {"at_least": Value()}}]}, "filter.metadata[0].range.at_least"),
        (
            {"metadata": [{"path": "a", "range": {"less_than": Value(number_value=float("inf"))}}]},
            "filter.metadata[0].range.less_than",
        ),
        ({"create_start_time": {"nanos": -1}}, "filter.create_start_time"),
    ],
)
def test_a_bad_filter_is_refused_with_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        decoded(fields)
    assert refused.value.field == field


@pytest.mark.parametrize("nested", ["", "any_of", "entry", "metadata"])
def test_a_filter_with_a_condition_of_a_newer_client_is_refused(nested: str) -> None:
    newer = bytes_tag(90) + b"\x01x"
    message = pb.RecordFilter()
    part = message
    if nested in ("any_of", "metadata"):
        part = getattr(message, nested).add(**({"path": "a", "exists": True} if nested == "metadata" else {}))
    elif nested:
        part = getattr(message, nested)
    part.MergeFromString(newer)
    with pytest.raises(InvalidField, match="does not know"):
        record_filter_of(message, ENTRY_SHAPE)
