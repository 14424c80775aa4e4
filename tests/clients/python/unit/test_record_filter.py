"""The filter as keywords and dictionaries: what is sent, and what is refused."""

from datetime import UTC, datetime
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

import memoryd
from memoryd.model.event import EventFilter
from memoryd.protocol.event import filter_of as event_filter_of
from memoryd.protocol.note import NoteListOptions
from memoryd.protocol.record_filter import filter_of, own_filter, record_filter_message

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def sent(chosen: memoryd.RecordFilter) -> dict[str, Any]:
    return dict(MessageToDict(record_filter_message(chosen), preserving_proto_field_name=True))


def test_all_conditions_are_sent() -> None:
    chosen: memoryd.RecordFilter = {
        "ids": ["a"],
        "user_ids": ["ada", ""],
        "all_tags": ("x",),
        "any_tags": ["y"],
        "create_start_time": NOON,
        "update_end_time": NOON,
        "conversation_ids": [""],
        "any_of": [{"note": {"notebooks": ["n"], "min_importance": 0.5}}],
        "none_of": [{"memory": {"types": ["semantic"], "occur_start_time": NOON}}],
        "plan": {"statuses": ["completed"]},
    }
    time = "2026-01-01T12:00:00Z"
    assert sent(chosen) == {
        "ids": ["a"],
        "user_ids": ["ada", ""],
        "all_tags": ["x"],
        "any_tags": ["y"],
        "create_start_time": time,
        "update_end_time": time,
        "conversation_ids": [""],
        "any_of": [{"note": {"notebooks": ["n"], "min_importance": 0.5}}],
        "none_of": [{"memory": {"types": ["MEMORY_TYPE_SEMANTIC"], "occur_start_time": time}}],
        "plan": {"statuses": ["PLAN_STATUS_COMPLETED"]},
    }


def test_metadata_are_compared_by_value_or_by_a_condition() -> None:
    chosen: memoryd.RecordFilter = {
        "metadata": {
            "tier": "gold",
            "list": [1, None],
            "none": None,
            "amount": [memoryd.MetadataRange(at_least=1, less_than=2.5), memoryd.MetadataExists()],
            "day": memoryd.MetadataRange(greater_than="2026-01-01"),
            "any": memoryd.MetadataAnyOf(["a", 1]),
            "has": memoryd.MetadataContains("a"),
            "no": memoryd.MetadataExists(False),
        }
    }
    assert sent(chosen)["metadata"] == [
        {"path": "tier", "equals": "gold"},
        {"path": "list", "equals": [1.0, None]},
        {"path": "none", "equals": None},
        {"path": "amount", "range": {"at_least": 1.0, "less_than": 2.5}},
        {"path": "amount", "exists": True},
        {"path": "day", "range": {"greater_than": "2026-01-01"}},
        {"path": "any", "any_of": ["a", 1.0]},
        {"path": "has", "contains": "a"},
        {"path": "no", "exists": False},
    ]


@pytest.mark.parametrize(
    "chosen",
    [{"user": "ada"}, {"note": {"notebook": ""}}, {"any_of": [{"userid": ["ada"]}]}, {"user_ids": "ada"}],
)
def test_an_unknown_key_and_one_string_for_many_are_refused(chosen: Any) -> None:
    with pytest.raises(TypeError):
        record_filter_message(chosen)


def test_the_nearest_key_is_named() -> None:
    with pytest.raises(TypeError, match="'userids' is no condition of a filter: did you mean 'user_ids'"):
        record_filter_message({"userids": ["ada"]})


def test_keywords_and_the_filter_are_one() -> None:
    options: NoteListOptions = {"user_id": "ada", "all_tags": ["x"], "filter": {"all_tags": ["y"]}}
    found = filter_of(options, note={"notebooks": ["n"], "min_importance": None})
    assert (found.user_ids, found.all_tags, found.note.notebooks) == (["ada"], ["y", "x"], ["n"])
    assert filter_of({"all_users": True}).all_users
    assert filter_of({"user_id": ""}).user_ids == [""]
    assert own_filter({"user_id": None}) is None


@pytest.mark.parametrize(
    "options",
    [
        {"user_id": "ada", "all_users": True},
        {"user_id": "ada", "filter": {"user_ids": ["bob"]}},
        {"all_users": True, "filter": {"user_ids": ["bob"]}},
    ],
)
def test_users_are_given_once(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        filter_of(options)


def test_a_condition_is_given_once() -> None:
    with pytest.raises(ValueError, match="notebooks is given twice"):
        filter_of({"filter": {"note": {"notebooks": ["a"]}}}, note={"notebooks": ["b"]})
    with pytest.raises(ValueError, match="at_least and greater_than"):
        record_filter_message({"metadata": {"a": memoryd.MetadataRange(at_least=1, greater_than=1)}})


def test_the_filter_of_events_has_users_conversations_and_a_record() -> None:
    assert not event_filter_of(EventFilter(["a"])).HasField("record")
    chosen = event_filter_of(EventFilter(["a"], conversation_ids=["c"], user_ids=["u"], record={"any_tags": ["t"]}))
    found = chosen.record
    assert (found.conversation_ids, found.user_ids, found.any_tags) == (["c"], ["u"], ["t"])


@pytest.mark.parametrize("name", ["ids", "user_ids", "any_tags", "conversation_ids", "any_of"])
def test_a_list_of_nothing_does_not_select_all(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is empty, which selects nothing"):
        record_filter_message({name: []})  # type: ignore[misc]
    with pytest.raises(ValueError, match="is empty"):
        record_filter_message({"none_of": [{"note": {"notebooks": []}}]})


def test_what_excludes_nothing_may_be_empty() -> None:
    assert sent({"all_tags": [], "none_of": [], "metadata": {}}) == {}


def test_a_list_of_alternatives_is_given_once() -> None:
    with pytest.raises(ValueError, match="any_tags is given twice"):
        filter_of({"any_tags": ["a"], "filter": {"any_tags": ["b"]}})
    with pytest.raises(ValueError, match="user_ids is given twice"):
        event_filter_of(EventFilter(user_ids=["ann"], record={"user_ids": ["bob"]}))
    with pytest.raises(ValueError, match="exclude each other"):
        record_filter_message({"user_ids": ["ann"], "all_users": True})


@pytest.mark.parametrize("name", ["agent_ids", "scope_ids", "event_types", "kinds", "causes", "user_ids"])
def test_a_filter_of_events_of_nothing_does_not_select_all(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is empty"):
        event_filter_of(EventFilter(**{name: []}))
