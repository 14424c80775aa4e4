"""Filters of records: each condition, and what they say of a record that is known in part."""

from typing import Any

import msgspec
import pytest
from tests.unit.domain.made import made

from memoryd_server.domain.entries.scope import SCOPE_SHAPE, Scope
from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE, Fragment
from memoryd_server.domain.notes.note import NOTE_SHAPE, Note
from memoryd_server.domain.values.json_key import json_key_of
from memoryd_server.domain.values.metadata_condition import MetadataCondition, MetadataRange
from memoryd_server.domain.values.record_filter import KindCondition, Matcher, RecordFilter, RecordShape, matcher_of

SCOPE = Scope(scope_id="s", name="trip", ancestors=(), revision=1, create_time=5, user_id="ada")
NOTE = Note("n", "work", "Title", "Content", 0.5, "ada", ("a", "b"), '{"tier": "gold", "amount": 12}', 5, 7, 2, 9)


def keeps(chosen: RecordFilter, record: Any = NOTE) -> bool:
    return Matcher(chosen, NOTE_SHAPE if isinstance(record, Note) else SCOPE_SHAPE).keeps(record)


def of_tier(**test: Any) -> RecordFilter:
    return RecordFilter(metadata=(MetadataCondition(("tier",), **test),))


def of_amount(**bounds: Any) -> RecordFilter:
    return RecordFilter(metadata=(MetadataCondition(("amount",), range=MetadataRange(**bounds)),))


@pytest.mark.parametrize(
    "chosen",
    [
        RecordFilter(ids=frozenset({"n"}), user_ids=frozenset({"ada", ""})),
        RecordFilter(create_start=5, create_end=6, update_start=7, update_end=8),
        RecordFilter(all_tags=frozenset({"a", "b"}), any_tags=frozenset({"b", "c"})),
        of_tier(equals=frozenset({json_key_of("gold")})),
        of_tier(exists=True),
        of_tier(range=MetadataRange("gold", "silver")),
        of_amount(start=12.0, end=12.0),
        of_amount(start=11.0, has_start=False),
        of_amount(end=13.0, has_end=False),
        RecordFilter(any_of=(RecordFilter(ids=frozenset({"x"})), RecordFilter(all_tags=frozenset({"a"})))),
        RecordFilter(none_of=(RecordFilter(any_tags=frozenset({"c"})),)),
    ],
)
def test_a_record_that_meets_every_condition_is_kept(chosen: RecordFilter) -> None:
    assert keeps(chosen)
    assert Matcher(chosen, NOTE_SHAPE).verdict(NOTE, ()) is True


@pytest.mark.parametrize(
    "chosen",
    [
        RecordFilter(ids=frozenset({"m"})),
        RecordFilter(user_ids=frozenset({""})),
        RecordFilter(create_start=6),
        RecordFilter(update_end=7),
        RecordFilter(all_tags=frozenset({"a", "c"})),
        RecordFilter(any_tags=frozenset({"c"})),
        RecordFilter(all_tags=frozenset({"a"}), any_tags=frozenset({"c"})),
        of_tier(exists=False),
        of_tier(contains=json_key_of("gold")),
        of_tier(range=MetadataRange(1.0, 2.0)),
        of_amount(start="1"),
        of_amount(start=12.0, has_start=False),
        of_amount(end=12.0, has_end=False),
        RecordFilter(metadata=(MetadataCondition(("none",), equals=frozenset({"null"})),)),
        RecordFilter(any_of=(RecordFilter(ids=frozenset({"x"})),)),
        RecordFilter(none_of=(RecordFilter(ids=frozenset({"n"})),)),
    ],
)
def test_a_record_that_misses_one_condition_is_not_kept(chosen: RecordFilter) -> None:
    assert not keeps(chosen)
    assert Matcher(chosen, NOTE_SHAPE).verdict(NOTE, ()) is False


def test_a_condition_on_a_field_that_the_records_lack_keeps_none() -> None:
    assert keeps(RecordFilter(user_ids=frozenset({"ada"}), create_start=5, update_end=6), SCOPE)
    assert not keeps(RecordFilter(all_tags=frozenset({"a"})), SCOPE)
    assert not keeps(RecordFilter(any_tags=frozenset({"a"})), SCOPE)
    assert not keeps(RecordFilter(conversation_ids=frozenset({"c"})), SCOPE)
    assert not keeps(of_tier(exists=True), SCOPE)
    assert list(KindCondition().tests()) == []


@pytest.mark.parametrize(("shape", "record_type"), [(SCOPE_SHAPE, Scope), (FRAGMENT_SHAPE, Fragment)])
def test_a_record_that_never_changes_has_its_creation_as_its_last_change(
    shape: RecordShape, record_type: type[Any]
) -> None:
    record = msgspec.structs.replace(made(record_type, 0), create_time=5)
    assert Matcher(RecordFilter(update_start=5, update_end=6), shape).keeps(record)
    assert not Matcher(RecordFilter(update_start=6), shape).keeps(record)


def test_what_depends_on_an_unknown_field_is_unknown() -> None:
    by_tag, by_id = RecordFilter(all_tags=frozenset({"a"})), RecordFilter(ids=frozenset({"x"}))

    def verdict(chosen: RecordFilter) -> bool | None:
        return Matcher(chosen, NOTE_SHAPE).verdict(NOTE, {"tags"})

    assert verdict(by_tag) is None
    assert verdict(RecordFilter(any_of=(by_tag, by_id))) is None
    assert verdict(RecordFilter(none_of=(by_tag, by_id))) is None
    # What is known decides, if it suffices.
    assert verdict(RecordFilter(ids=frozenset({"x"}), all_tags=frozenset({"a"}))) is False
    assert verdict(RecordFilter(any_of=(by_tag, RecordFilter(ids=frozenset({"n"}))))) is True
    assert verdict(RecordFilter(none_of=(by_tag, RecordFilter(ids=frozenset({"n"}))))) is False


def test_a_matcher_is_kept_with_its_filter() -> None:
    chosen = RecordFilter(ids=frozenset({"n"}))
    assert matcher_of(chosen, NOTE_SHAPE) is matcher_of(chosen, NOTE_SHAPE)
    assert matcher_of(chosen, NOTE_SHAPE) is not matcher_of(chosen, SCOPE_SHAPE)
    assert Matcher(RecordFilter(any_of=(chosen,), user_ids=frozenset()), NOTE_SHAPE).fields == {"id", "user_id"}


def test_numbers_are_compared_as_doubles_however_large() -> None:
    assert json_key_of(1) == json_key_of(1.0)
    assert json_key_of(10**400) == float("inf")
    assert json_key_of(-(10**400)) == float("-inf")
    assert json_key_of({"a": 10**400, "b": [True]}) == json_key_of({"b": [True], "a": 10**400})
