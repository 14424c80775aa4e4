"""Entries over the wire: WM-01 to WM-05, WM-14."""

import pytest
from google.protobuf import json_format, struct_pb2
from google.protobuf.duration_pb2 import Duration
from tests.integration.wire import ABSENT, Memory, Wire, remove_operation, set_operation

from memoryd.v1 import entry_pb2, listing_pb2
from memoryd.v1 import working_memory_service_pb2 as pb


def test_nothing_of_one_agent_is_visible_through_another(wire: Wire) -> None:
    """WM-01."""
    one, other = wire.agent(), wire.agent()
    one.set("key", "of one")
    scope_id = one.scope()
    assert other.value("key") is ABSENT
    assert other.values() == {}
    assert other.scopes().total_count == 0
    other.set("key", "of other")
    assert one.value("key") == "of one"
    assert one.values(scope_id, include_inherited=True) == {"key": "of one"}


def test_clearing_one_agent_leaves_the_other_unchanged(wire: Wire) -> None:
    """WM-01."""
    one, other = wire.agent(), wire.agent()
    one.set("key")
    other.set("key")
    one.clear()
    assert (one.value("key"), other.value("key")) == (ABSENT, 1)


def test_an_agent_that_never_existed_is_empty_at_revision_0(agent: Memory) -> None:
    """WM-01: reading does not create an agent."""
    answer = agent.get("key")
    assert (answer.found, answer.revision, answer.HasField("entry")) == (False, 0, False)
    assert agent.values() == {}
    assert agent.scopes().total_count == 0


@pytest.mark.parametrize(
    "value_json",
    [
        "null",
        "true",
        "0",
        "-1.50e+3",
        '""',
        '"snow \\u2603 ☃ \\ud83d\\ude00"',
        "[]",
        "{}",
        ' { "b" : 1 , "a" : [ 1, 2.0 ] }\n',
        '{"a":1,"a":2}',
        "123456789012345678901234567890",
    ],
)
def test_a_value_is_stored_byte_for_byte(agent: Memory, value_json: str) -> None:
    """WM-02."""
    agent.wire.memory.SetEntry(pb.SetEntryRequest(agent_id=agent.id, key="key", value_json=value_json))
    assert agent.get("key").entry.value_json == value_json


def test_a_typed_value_is_stored_as_json_text(agent: Memory) -> None:
    """WM-02."""
    value = struct_pb2.Value()
    value.struct_value.update({"name": "Ada", "tags": ["a", None, True], "age": 36})
    agent.wire.memory.SetEntry(pb.SetEntryRequest(agent_id=agent.id, key="key", value=value))
    assert agent.value("key") == {"name": "Ada", "tags": ["a", None, True], "age": 36}


def test_the_numbers_of_a_typed_value_are_stored_exactly(agent: Memory) -> None:
    value = json_format.ParseDict({"n": [1, -2, 2.5, 1e300, 2**53]}, struct_pb2.Value())
    agent.wire.memory.SetEntry(pb.SetEntryRequest(agent_id=agent.id, key="key", value=value))
    assert agent.get("key").entry.value_json == '{"n":[1,-2,2.5,1e+300,9007199254740992]}'


def test_keys_are_case_sensitive(agent: Memory) -> None:
    """WM-02."""
    agent.set("Key", 1)
    agent.set("key", 2)
    assert agent.values() == {"Key": 1, "key": 2}


def test_any_printable_key_is_allowed(agent: Memory) -> None:
    """WM-02."""
    keys = ["a/b", "../x", "ключ", "鍵", "👋🏽", " padded ", "x" * 1024, "a b", "%00", "'; --", "a\u200b", "a\u0301"]
    for index, key in enumerate(keys):
        agent.set(key, index)
    assert agent.values() == {key: index for index, key in enumerate(keys)}


def test_overwriting_is_an_update_and_replaces_every_given_field(agent: Memory) -> None:
    """WM-02."""
    first = agent.set("key", 1, type_name="int", importance=0.9, tags=["a"], ttl={"seconds": 60})
    before = agent.get("key").entry
    second = agent.set("key", 2)
    after = agent.get("key").entry
    assert (first.created, second.created) == (True, False)
    assert second.revision == first.revision + 1 == after.revision
    assert (after.type_name, after.importance, list(after.tags), after.HasField("expire_time")) == ("", 0.5, [], False)
    assert after.entry_id == before.entry_id == first.entry.entry_id
    assert after.create_time.ToNanoseconds() == before.create_time.ToNanoseconds()
    assert after.update_time.ToNanoseconds() > before.update_time.ToNanoseconds()


def test_setting_a_removed_key_again_creates_a_new_entry(agent: Memory) -> None:
    """WM-14."""
    first = agent.set("key")
    agent.remove("key")
    again = agent.set("key")
    assert again.created
    assert again.entry.entry_id != first.entry.entry_id


def test_getting_a_missing_key_is_no_error(agent: Memory) -> None:
    """WM-03."""
    agent.set("key")
    answer = agent.get("other")
    assert (answer.found, answer.revision) == (False, 1)


def test_null_is_a_value_and_not_a_missing_entry(agent: Memory) -> None:
    """WM-03."""
    agent.set("key", None)
    assert agent.value("key") is None
    assert agent.contains("key").found


def test_get_or_set_stores_once_and_then_returns_the_stored_value(agent: Memory) -> None:
    """WM-04."""

    def get_or_set(value: int) -> pb.GetOrSetEntryResponse:
        request = pb.GetOrSetEntryRequest(agent_id=agent.id, key="key", value_json=str(value), type_name="int")
        return agent.wire.memory.GetOrSetEntry(request)

    first, second = get_or_set(1), get_or_set(2)
    assert (first.created, first.entry.value_json, first.revision) == (True, "1", 1)
    assert (second.created, second.entry.value_json, second.revision) == (False, "1", 1)


def test_get_or_set_in_a_scope_finds_the_parents_entry_unless_local_only(agent: Memory) -> None:
    """WM-04."""
    agent.set("key", "root's")
    scope_id = agent.scope()
    request = pb.GetOrSetEntryRequest(agent_id=agent.id, scope_id=scope_id, key="key", value_json='"mine"')
    assert not agent.wire.memory.GetOrSetEntry(request).created
    request.local_only = True
    assert agent.wire.memory.GetOrSetEntry(request).created
    assert (agent.value("key"), agent.value("key", scope_id)) == ("root's", "mine")


def test_contains_and_remove_return_whether_the_entry_existed(agent: Memory) -> None:
    """WM-05."""
    agent.set("key")
    assert agent.contains("key").found
    removed = agent.remove("key")
    assert (removed.deleted, removed.revision) == (True, 2)
    assert not agent.contains("key").found
    again = agent.remove("key")
    assert (again.deleted, again.revision) == (False, 2)


def test_listing_and_counting_the_root_exclude_scopes(agent: Memory) -> None:
    """WM-05: GetAll, Keys and Count."""
    agent.write({"b": 2, "a": 1, "c": 3})
    agent.set("of scope", 4, agent.scope())
    page = agent.list()
    assert [entry.key for entry in page.entries] == ["a", "b", "c"]
    assert page.total_count == 3 == agent.stats().stats.root_entry_count
    names = agent.list(view=listing_pb2.RECORD_VIEW_WITHOUT_CONTENT).entries
    assert [(entry.key, entry.value_json) for entry in names] == [("a", ""), ("b", ""), ("c", "")]


def test_clear_returns_the_count_and_leaves_scopes_unchanged(agent: Memory) -> None:
    """WM-05."""
    agent.write({"a": 1, "b": 2})
    scope_id = agent.scope()
    agent.set("kept", 3, scope_id)
    assert agent.clear().cleared_entry_count == 2
    assert agent.values() == {}
    assert agent.values(scope_id) == {"kept": 3}
    revision = agent.revision
    assert agent.clear().cleared_entry_count == 0
    assert agent.revision == revision


def test_all_pages_of_a_listing_have_one_revision_while_the_agent_changes(agent: Memory) -> None:
    """WM-05: pages."""
    agent.write({f"key-{index:02}": index for index in range(25)})
    page = agent.list(page_size=10)
    seen = list(page.entries)
    agent.write({"key-00a": "late", "key-20a": "late"})
    agent.clear()
    while page.next_page_token:
        page = agent.list(page_size=10, page_token=page.next_page_token)
        assert (page.total_count, page.revision) == (25, 1)
        seen += page.entries
    assert [entry.key for entry in seen] == [f"key-{index:02}" for index in range(25)]


def test_a_listing_is_filtered_by_prefix_tags_and_types(agent: Memory) -> None:
    """WM-05, WM-14."""
    agent.set("a:1", tags=["x", "y"], type=entry_pb2.ENTRY_TYPE_INSIGHT)
    agent.set("a:2", tags=["x"])
    agent.set("b:1", tags=["y"], type=entry_pb2.ENTRY_TYPE_EVENT)
    assert set(agent.values(filter={"entry": {"key_prefixes": ["a:"]}})) == {"a:1", "a:2"}
    assert set(agent.values(filter={"all_tags": ["x", "y"]})) == {"a:1"}
    types = [entry_pb2.ENTRY_TYPE_INSIGHT, entry_pb2.ENTRY_TYPE_EVENT]
    assert set(agent.values(filter={"entry": {"types": types}})) == {"a:1", "b:1"}
    assert agent.values(filter={"all_tags": ["y"], "entry": {"key_prefixes": ["a:"], "types": [2]}}) == {}


def test_a_page_ends_early_when_its_entries_are_large(agent: Memory) -> None:
    """WM-05: a page fits into a client's default maximum of a message."""
    text = "x" * 900_000
    for index in range(6):
        agent.set(f"key-{index}", text)
    page = agent.list(page_size=1000)
    assert 1 <= len(page.entries) < 6
    assert page.ByteSize() < 4 << 20
    assert len(agent.values()) == 6


def test_an_entry_has_the_fields_that_its_writer_set(agent: Memory) -> None:
    """WM-14, WM-02."""
    metadata = {"source": "chat", "turn": 3, "nested": {"ok": True, "none": None}}
    agent.set(
        "key",
        [1],
        type_name="list[int]",
        type=entry_pb2.ENTRY_TYPE_PREFERENCE,
        importance=0.25,
        tags=["b", "a", "b"],
        metadata=metadata,
        ttl=Duration(seconds=2 * 86_400),
    )
    entry = agent.get("key").entry
    assert (entry.key, entry.value_json, entry.type_name, entry.importance) == ("key", "[1]", "list[int]", 0.25)
    assert entry.type == entry_pb2.ENTRY_TYPE_PREFERENCE
    assert list(entry.tags) == ["b", "a"]
    assert json_format.MessageToDict(entry.metadata) == metadata
    assert round((entry.expire_time.ToNanoseconds() - entry.update_time.ToNanoseconds()) / 86_400e9, 3) == 2
    assert entry.entry_id
    assert (entry.scope_id, entry.revision) == ("", 1)


def test_an_entry_has_the_seeds_defaults(agent: Memory) -> None:
    """WM-14."""
    agent.set("key")
    entry = agent.get("key").entry
    assert (entry.type, entry.importance, entry.type_name) == (entry_pb2.ENTRY_TYPE_FACT, 0.5, "")
    assert not entry.tags
    assert not entry.HasField("metadata")
    assert not entry.HasField("expire_time")
    assert not entry.HasField("last_access_time")


def test_importance_zero_is_not_the_default(agent: Memory) -> None:
    """WM-14."""
    agent.set("key", importance=0.0)
    assert agent.get("key").entry.importance == 0.0


def test_gets_count_as_accesses_and_contains_and_listings_do_not(agent: Memory) -> None:
    """WM-14: access count and last accessed."""
    agent.set("key")
    agent.contains("key")
    agent.list()
    assert agent.get("key").entry.access_count == 0
    second = agent.get("key").entry
    assert second.access_count == 1
    assert second.HasField("last_access_time")
    batch = agent.wire.memory.BatchGetEntries(pb.BatchGetEntriesRequest(agent_id=agent.id, keys=["key"]))
    assert batch.entries[0].access_count == 2
    assert agent.list().entries[0].access_count == 3
    assert agent.revision == 1


def test_a_batch_is_one_revision_and_returns_which_keys_existed(agent: Memory) -> None:
    """WM-02."""
    agent.write({"a": 1, "b": 2})
    operations = [set_operation("a", 3), remove_operation("b"), set_operation("c", 4), remove_operation("none")]
    request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
    answer = agent.wire.memory.BatchWriteEntries(request)
    assert [(each.key, each.created, each.deleted, bool(each.entry_id)) for each in answer.results] == [
        ("a", False, False, True),
        ("b", False, True, False),
        ("c", True, False, True),
        ("none", False, False, False),
    ]
    assert answer.revision == 2
    assert agent.values() == {"a": 3, "c": 4}


def test_a_batch_get_returns_entries_in_order_and_the_missing_keys(agent: Memory) -> None:
    """WM-03, WM-09."""
    agent.write({"a": 1, "b": 2})
    scope_id = agent.scope()
    agent.set("b", 3, scope_id)
    request = pb.BatchGetEntriesRequest(agent_id=agent.id, scope_id=scope_id, keys=["none", "b", "a", "b"])
    answer = agent.wire.memory.BatchGetEntries(request)
    assert [(entry.key, entry.value_json, entry.scope_id) for entry in answer.entries] == [
        ("b", "3", scope_id),
        ("a", "1", ""),
        ("b", "3", scope_id),
    ]
    assert list(answer.missing_keys) == ["none"]
    request.local_only = True
    assert [entry.key for entry in agent.wire.memory.BatchGetEntries(request).entries] == ["b", "b"]
