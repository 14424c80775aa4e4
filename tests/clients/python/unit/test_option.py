from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import memoryd
from memoryd.errors import UnknownWord
from memoryd.model.entry import EntryType, metadata_from
from memoryd.protocol.entry import Place, set_operation, store_entry
from memoryd.v1 import entry_pb2
from memoryd.v1 import working_memory_service_pb2 as pb

PLACE = Place("agent", "scope")


def request_of(value: Any = 1, **options: Any) -> pb.SetEntryRequest:
    request: pb.SetEntryRequest = store_entry(PLACE, "k", value, options).request  # type: ignore[arg-type]
    return request


def test_a_plain_set_says_where_what_and_which_request() -> None:
    request = request_of({"a": "ü"})
    assert (request.agent_id, request.scope_id, request.key) == ("agent", "scope", "k")
    assert (request.value_json, request.type_name) == ('{"a":"ü"}', "dict")
    assert not request.HasField("importance")
    assert not request.HasField("precondition")
    assert request.WhichOneof("expiry") is None


def test_each_change_has_its_own_request_id() -> None:
    assert len({request_of().request_id for _ in range(100)} - {""}) == 100


def test_all_options_of_a_value_are_sent() -> None:
    request = request_of(
        type_name="Mood",
        entry_type="insight",
        importance=0.0,
        tags=("a", "b"),
        metadata={"n": 3, "deep": {"list": [1.5, None, True, "x"]}},
    )
    assert request.type_name == "Mood"
    assert request.type == entry_pb2.ENTRY_TYPE_INSIGHT
    assert request.HasField("importance")
    assert list(request.tags) == ["a", "b"]
    assert metadata_from(request.metadata) == {"n": 3, "deep": {"list": [1.5, None, True, "x"]}}


def test_an_option_that_is_none_is_left_out() -> None:
    request = request_of(type_name=None, entry_type=None, importance=None, tags=None, metadata=None, ttl=None)
    assert request.type_name == "int"
    assert request.WhichOneof("expiry") is None


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"ttl": 1.5}, "ttl"),
        ({"ttl": timedelta(hours=1)}, "ttl"),
        ({"expire_time": datetime(2040, 1, 1, tzinfo=UTC)}, "expire_time"),
        ({"expiry_days": 3}, "ttl"),
    ],
)
def test_an_entry_ends_in_one_of_three_ways(options: dict[str, Any], field: str) -> None:
    assert request_of(**options).WhichOneof("expiry") == field


@pytest.mark.parametrize("other", [{"expire_time": datetime(2040, 1, 1, tzinfo=UTC)}, {"expiry_days": 1}])
def test_two_ways_to_end_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exclude"):
        request_of(ttl=1, **other)


def test_conditions_travel_also_when_they_are_zero() -> None:
    assert request_of(must_not_exist=True).precondition.must_not_exist
    assert request_of(must_exist=True).precondition.must_exist
    assert request_of(expected_revision=0).precondition.WhichOneof("condition") == "expected_revision"
    assert not request_of(must_not_exist=False).HasField("precondition")


def test_two_conditions_are_refused() -> None:
    with pytest.raises(ValueError, match="exclude"):
        request_of(must_not_exist=True, expected_revision=1)
    with pytest.raises(ValueError, match="exclude"):
        request_of(must_not_exist=True, must_exist=True)


def test_one_string_is_not_many_tags() -> None:
    with pytest.raises(TypeError, match="tags"):
        request_of(tags="urgent")


def test_an_unknown_entry_type_is_refused() -> None:
    with pytest.raises(UnknownWord, match="'dream' is no entry type: use fact, event, insight"):
        request_of(entry_type="dream")


def test_a_batch_takes_the_same_options() -> None:
    operation = set_operation("k", [1], {"entry_type": EntryType.EVENT, "ttl": 5, "expected_revision": 4}).set
    assert (operation.value_json, operation.type_name) == ("[1]", "list")
    assert operation.type == entry_pb2.ENTRY_TYPE_EVENT
    assert operation.ttl.seconds == 5
    assert operation.precondition.expected_revision == 4


def one_string(agent: memoryd.Agent, client: memoryd.Client) -> dict[str, Callable[[], object]]:
    """Return calls with one string where they take several."""
    return {
        "keys": lambda: agent.get_many("ab"),
        "memory_ids": lambda: agent.memories.get_many("ab"),
        "scope_ids": lambda: agent.watch(scope_ids="ab"),
        "agent_ids": lambda: client.watch(memoryd.EventFilter("ab")),
        "user_ids": lambda: client.watch(memoryd.EventFilter(user_ids="ab")),
        "conversation_ids": lambda: client.watch(memoryd.EventFilter(conversation_ids="ab")),
    }


@pytest.mark.parametrize("option", ["keys", "memory_ids", "scope_ids", "agent_ids", "user_ids", "conversation_ids"])
def test_one_string_is_not_its_letters(option: str) -> None:
    with memoryd.connect("127.0.0.1:1") as client, pytest.raises(TypeError, match=f"{option} is one string"):
        one_string(client.agent("a"), client)[option]()
