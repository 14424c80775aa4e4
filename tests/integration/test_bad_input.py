"""Bad input: the error names the field, and nothing changes. WM-18, WM-02, WM-15."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf import struct_pb2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from tests.integration.wire import Memory, Refused, Wire, refused, remove_operation, set_operation

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.precondition_pb2 import Precondition

NAMES = {
    "empty": "",
    "blank": " ",
    "blank in Unicode": "\u00a0\u2003\t",
    "newline": "a\nb",
    "nul": "a\x00",
    "escape": "\x1b[31m",
    "delete": "a\x7f",
    "next line": "a\x85b",
}
"""Texts that are no valid name, by the reason."""


def refuses(agent: Memory, field: str, call: Callable[[], object]) -> Refused:
    """Assert that the call is refused for this field and leaves the agent unchanged; return the refusal."""
    before = agent.revision, agent.values()
    refusal = refused(call)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")
    assert refusal.own_metadata == {"field": field}
    assert refusal.fields == (field,)
    assert refusal.message.startswith(f"{field}: ")
    assert (agent.revision, agent.values()) == before
    return refusal


@pytest.fixture
def agent(wire: Wire) -> Memory:
    memory = wire.agent()
    memory.set("there")
    return memory


@pytest.mark.parametrize("key", [*NAMES.values(), "k" * 1025, "ключ" * 129], ids=[*NAMES, "long", "long in bytes"])
def test_a_key_that_is_not_allowed_is_refused_by_every_method(agent: Memory, key: str) -> None:
    """WM-18."""
    memory = agent.wire.memory
    refuses(agent, "key", lambda: agent.set(key))
    refuses(agent, "key", lambda: agent.get(key))
    refuses(agent, "key", lambda: agent.contains(key))
    refuses(agent, "key", lambda: agent.remove(key))
    refuses(agent, "key", lambda: agent.reserve(key))
    request = pb.GetOrSetEntryRequest(agent_id=agent.id, key=key, value_json="1")
    refuses(agent, "key", lambda: memory.GetOrSetEntry(request))
    keys = pb.BatchGetEntriesRequest(agent_id=agent.id, keys=["there", key])
    assert refused(lambda: memory.BatchGetEntries(keys)).fields[0].startswith("keys")
    for operation, field in ((set_operation(key), "set.key"), (remove_operation(key), "remove.key")):
        batch = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=[set_operation("ok"), operation])
        refuses(agent, f"operations[1].{field}", lambda batch=batch: memory.BatchWriteEntries(batch))  # type: ignore[misc]


@pytest.mark.parametrize("name", [*NAMES.values(), "n" * 257], ids=[*NAMES, "long"])
def test_a_scope_name_that_is_not_allowed_is_refused(agent: Memory, name: str) -> None:
    """WM-18."""
    refuses(agent, "name", lambda: agent.scope(name))
    assert agent.scopes().total_count == 0


@pytest.mark.parametrize("agent_id", [*NAMES.values(), "a" * 257], ids=[*NAMES, "long"])
def test_an_agent_id_that_is_not_allowed_is_refused(wire: Wire, agent_id: str) -> None:
    """WM-18."""
    bad = wire.agent("x")
    bad.id = agent_id
    for call in (lambda: bad.set("key"), lambda: bad.get("key"), bad.list, bad.stats, bad.scope):
        refusal = refused(call)
        assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("agent_id",))


NOT_JSON = {
    "nothing": "",
    "blank": " ",
    "a word": "hello",
    "single quotes": "'a'",
    "cut object": '{"a":',
    "cut text": '"abc',
    "trailing comma": "[1,]",
    "two values": "1 2",
    "trailing text": "{} x",
    "bare key": "{a:1}",
    "number as key": "{1:2}",
    "not a number": "NaN",
    "infinite": "Infinity",
    "plus": "+1",
    "leading zero": "01",
    "leading dot": ".5",
    "trailing dot": "5.",
    "hexadecimal": "0x10",
    "comment": "1 // one",
    "python": "None",
    "upper case": "TRUE",
    "raw newline in text": '"a\nb"',
    "raw control in text": '"a\x01b"',
    "bad escape": '"\\x41"',
    "cut escape": '"\\u12"',
    "byte order mark": "\ufeff1",
    "unopened": "]",
    "unclosed deep": "[" * 100_000,
    "unmatched": "[}",
}


@pytest.mark.parametrize("value_json", NOT_JSON.values(), ids=NOT_JSON)
def test_invalid_json_is_refused(agent: Memory, value_json: str) -> None:
    """WM-18."""
    memory = agent.wire.memory
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json=value_json)
    refuses(agent, "value_json", lambda: memory.SetEntry(request))
    get_or_set = pb.GetOrSetEntryRequest(agent_id=agent.id, key="key", value_json=value_json)
    refuses(agent, "value_json", lambda: memory.GetOrSetEntry(get_or_set))
    operation = pb.EntryOperation(set=pb.SetEntryOperation(key="key", value_json=value_json))
    batch = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=[set_operation("ok"), operation])
    refuses(agent, "operations[1].set.value_json", lambda: memory.BatchWriteEntries(batch))


@pytest.mark.parametrize("value_json", ['"\\ud800"', '["\\udc00"]', '{"\\ud83d": 1}', '"\\ude00\\ud83d"'])
def test_a_lone_surrogate_is_refused_or_stored_but_never_breaks_a_reader(agent: Memory, value_json: str) -> None:
    """WM-18: RFC 8259 lets each implementation choose."""
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json=value_json)
    try:
        agent.wire.memory.SetEntry(request)
    except grpc.RpcError:
        refuses(agent, "value_json", lambda: agent.wire.memory.SetEntry(request))
    else:
        assert agent.get("key").entry.value_json == value_json


def test_deep_json_is_stored_or_refused_but_never_breaks_the_daemon(agent: Memory) -> None:
    """WM-18."""
    for depth in (10, 100, 900, 5_000, 100_000):
        value_json = "[" * depth + "]" * depth
        request = pb.SetEntryRequest(agent_id=agent.id, key="deep", value_json=value_json)
        try:
            agent.wire.memory.SetEntry(request)
        except grpc.RpcError:
            refuses(agent, "value_json", lambda request=request: agent.wire.memory.SetEntry(request))  # type: ignore[misc]
            assert depth > 100
        else:
            assert agent.get("deep").entry.value_json == value_json
    agent.remove("deep")


def test_a_value_is_required(agent: Memory) -> None:
    """WM-18."""
    memory = agent.wire.memory
    refuses(agent, "content", lambda: memory.SetEntry(pb.SetEntryRequest(agent_id=agent.id, key="key")))
    empty = pb.SetEntryRequest(agent_id=agent.id, key="key", value=struct_pb2.Value())
    refuses(agent, "value", lambda: memory.SetEntry(empty))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_have_are_refused(agent: Memory, number: float) -> None:
    """WM-18."""
    memory = agent.wire.memory
    typed = pb.SetEntryRequest(agent_id=agent.id, key="key", value=struct_pb2.Value(number_value=number))
    refuses(agent, "value", lambda: memory.SetEntry(typed))
    metadata = struct_pb2.Struct(fields={"a": struct_pb2.Value(number_value=number)})
    refuses(agent, "metadata", lambda: agent.set("key", metadata=metadata))
    refuses(agent, "importance", lambda: agent.set("key", importance=number))


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("importance", {"importance": -0.1}),
        ("importance", {"importance": 1.01}),
        ("type", {"type": 7}),
        ("type", {"type": -1}),
        ("type_name", {"type_name": "T" * 257}),
        ("type_name", {"type_name": "a\nb"}),
        ("tags", {"tags": [f"tag-{index}" for index in range(65)]}),
        ("tags", {"tags": [""]}),
        ("tags", {"tags": ["t" * 257]}),
        ("metadata", {"metadata": {"a": "x" * 65_536}}),
        ("ttl", {"ttl": Duration()}),
        ("ttl", {"ttl": Duration(seconds=-1)}),
        ("ttl", {"ttl": Duration(nanos=-1)}),
        ("ttl", {"ttl": Duration(seconds=315_576_000_000)}),
        ("ttl", {"ttl": Duration(seconds=2**63 - 1)}),
        ("ttl", {"ttl": Duration(seconds=1, nanos=2_000_000_000)}),
        ("ttl", {"ttl": Duration(seconds=1, nanos=-5)}),
        ("expire_time", {"expire_time": Timestamp(seconds=1)}),
        ("expire_time", {"expire_time": Timestamp(seconds=-1)}),
        ("expire_time", {"expire_time": Timestamp(seconds=2**63 - 1)}),
        ("expire_time", {"expire_time": Timestamp(seconds=2_000_000_000, nanos=-1)}),
        ("expire_time", {"expire_time": Timestamp(seconds=2_000_000_000, nanos=2_000_000_000)}),
        ("user_id", {"user_id": " "}),
        ("user_id", {"user_id": "u" * 257}),
        ("precondition", {"precondition": Precondition()}),
        ("precondition.must_not_exist", {"precondition": Precondition(must_not_exist=False)}),
        ("precondition.expected_revision", {"precondition": Precondition(expected_revision=-1)}),
        ("request_id", {"request_id": "r" * 129}),
        ("request_id", {"request_id": " "}),
    ],
)
def test_each_field_of_a_write_is_checked(agent: Memory, field: str, fields: dict[str, Any]) -> None:
    """WM-02, WM-14, WM-15."""
    refuses(agent, field, lambda: agent.set("key", **fields))
    if field == "request_id":
        return
    batch = pb.BatchWriteEntriesRequest(
        agent_id=agent.id, operations=[set_operation("ok"), set_operation("k", **fields)]
    )
    refuses(agent, f"operations[1].set.{field}", lambda: agent.wire.memory.BatchWriteEntries(batch))


def test_a_batch_must_have_one_to_a_thousand_operations_of_different_keys(agent: Memory) -> None:
    def batch(*operations: pb.EntryOperation) -> Callable[[], object]:
        request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
        return lambda: agent.wire.memory.BatchWriteEntries(request)

    refuses(agent, "operations", batch())
    refuses(agent, "operations", batch(*(set_operation(f"key-{index}") for index in range(1001))))
    refuses(agent, "operations", batch(set_operation("key", 1), set_operation("key", 2)))
    refuses(agent, "operations", batch(set_operation("key"), remove_operation("key")))
    refuses(agent, "operations[1].operation", batch(set_operation("key"), pb.EntryOperation()))


@pytest.mark.parametrize("keys", [[], ["key"] * 1001], ids=["none", "too many"])
def test_a_batch_get_must_have_one_to_a_thousand_keys(agent: Memory, keys: list[str]) -> None:
    request = pb.BatchGetEntriesRequest(agent_id=agent.id, keys=keys)
    refuses(agent, "keys", lambda: agent.wire.memory.BatchGetEntries(request))


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("lease_duration", {"lease_duration": Duration(nanos=1)}),
        ("lease_duration", {"lease_duration": Duration(seconds=601)}),
        ("lease_duration", {"lease_duration": Duration(seconds=-(2**63))}),
        ("wait_duration", {"wait_duration": Duration(seconds=-1)}),
        ("wait_duration", {"wait_duration": Duration(seconds=61)}),
        ("wait_duration", {"wait_duration": Duration(seconds=1, nanos=-1)}),
    ],
)
def test_leases_and_waits_have_bounds(agent: Memory, field: str, fields: dict[str, Any]) -> None:
    """WM-04."""
    refuses(agent, field, lambda: agent.reserve("key", **fields))


@pytest.mark.parametrize("page_size", [-1, -(2**31)])
def test_negative_page_sizes_are_refused_by_every_listing(agent: Memory, page_size: int) -> None:
    wire = agent.wire
    size: dict[str, Any] = {"page_size": page_size}
    refuses(agent, "page_size", lambda: agent.list(**size))
    refuses(agent, "page_size", lambda: agent.scopes(**size))
    refuses(agent, "page_size", lambda: wire.agents.ListAgents(agent_pb.ListAgentsRequest(**size)))
    refuses(agent, "page_size", lambda: wire.events.ListEvents(event_pb.ListEventsRequest(**size)))
    refuses(agent, "page_size", lambda: wire.snapshots.ListSnapshots(snapshot_pb.ListSnapshotsRequest(**size)))


def test_a_large_page_size_is_capped(agent: Memory) -> None:
    for start in (0, 600):
        agent.write({f"key-{index:04}": index for index in range(start, start + 600)})
    assert len(agent.list(page_size=2**31 - 1).entries) == 1000
    assert len(agent.list().entries) == 100


def test_unknown_numbers_in_filters_are_refused(agent: Memory) -> None:
    refuses(agent, "filter.entry.types", lambda: agent.list(filter={"entry": {"types": [99]}}))
    refuses(agent, "filter.entry.types", lambda: agent.list(filter={"entry": {"types": [0]}}))
    refuses(agent, "order", lambda: agent.list(order=99))
    refuses(agent, "view", lambda: agent.list(view=99))
    for number in (0, 99, -1):
        filters = [EventFilter(), EventFilter(event_types=[number])]  # type: ignore[list-item]
        request = event_pb.ListEventsRequest(filters=filters)
        refuses(agent, "filters[1].event_types", lambda request=request: agent.wire.events.ListEvents(request))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("filters", {"filters": [EventFilter()] * 17}),
        ("filters[0].agent_ids", {"filters": [EventFilter(agent_ids=[f"a{index}" for index in range(257)])]}),
        ("filters[0].agent_ids", {"filters": [EventFilter(agent_ids=["a", ""])]}),
        ("filters[0].scope_ids", {"filters": [EventFilter(scope_ids=[f"s{index}" for index in range(257)])]}),
        ("filters[0].key_prefix", {"filters": [EventFilter(key_prefix="k" * 1025)]}),
        ("exclude_origin", {"exclude_origin": "o" * 129}),
        ("progress_interval", {"progress_interval": Duration()}),
        ("progress_interval", {"progress_interval": Duration(seconds=-1)}),
        ("progress_interval", {"progress_interval": Duration(seconds=3601)}),
        ("progress_on_commit", {"progress_on_commit": True}),
        ("after_revision", {"after_revision": 1}),
        ("after_revision", {"after_revision": -1}),
        ("resume_token", {"resume_token": ""}),
    ],
)
def test_each_field_of_a_watch_is_checked(agent: Memory, field: str, fields: dict[str, Any]) -> None:
    request = event_pb.WatchEventsRequest(**fields)
    refuses(agent, field, lambda: next(agent.wire.events.WatchEvents(request)))


@pytest.mark.parametrize("snapshot_id", ["..", ".", "../x", "a/b", "A", "a b", "-a", "a" * 101, "a\x00", "ä"])
def test_a_snapshot_id_is_never_a_path(agent: Memory, snapshot_id: str) -> None:
    """WM-20."""
    stub = agent.wire.snapshots
    header = snapshot_pb.ImportSnapshotHeader(snapshot_id=snapshot_id)
    for call in (
        lambda: stub.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(agent_id=agent.id, snapshot_id=snapshot_id)),
        lambda: stub.GetSnapshot(snapshot_pb.GetSnapshotRequest(snapshot_id=snapshot_id)),
        lambda: stub.DeleteSnapshot(snapshot_pb.DeleteSnapshotRequest(snapshot_id=snapshot_id)),
        lambda: stub.RestoreSnapshot(snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id)),
        lambda: next(stub.ExportSnapshot(snapshot_pb.ExportSnapshotRequest(snapshot_id=snapshot_id))),
    ):
        refuses(agent, "snapshot_id", call)
    requests = [snapshot_pb.ImportSnapshotRequest(header=header)]
    refuses(agent, "header.snapshot_id", lambda: stub.ImportSnapshot(iter(requests)))


def test_an_origin_that_is_too_long_is_refused(agent: Memory) -> None:
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1")
    metadata = (("memoryd-origin", "o" * 129),)
    refuses(agent, "memoryd-origin", lambda: agent.wire.memory.SetEntry(request, metadata=metadata))
