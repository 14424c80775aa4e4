"""Limits: the error names the limit, and nothing is lost. WM-19."""

import json

import grpc
import pytest
from tests.integration.wire import Memory, Refused, Wire, code_of, refused, remove_operation, set_operation

from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.domain.limit import Limits


def exceeds(agent: Memory, limit: str, value: int, call: object) -> Refused:
    before = agent.revision, agent.values(), agent.scopes().total_count
    refusal = refused(call)  # type: ignore[arg-type]
    of_one_request = (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE")
    of_all = (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")
    assert (refusal.code, refusal.reason) == (of_one_request if limit == "entry_bytes" else of_all)
    assert {name: refusal.own_metadata[name] for name in ("limit", "value")} == {"limit": limit, "value": str(value)}
    assert limit in refusal.message
    assert (agent.revision, agent.values(), agent.scopes().total_count) == before
    return refusal


def test_the_10_001st_entry_is_refused_without_losing_another(wire: Wire) -> None:
    agent = wire.agent()
    scope_id = agent.scope()
    for start in range(0, 10_000, 1000):
        where = scope_id if start == 5000 else ""
        agent.write({f"key-{index:05}": index for index in range(start, start + 1000)}, where)
    assert agent.stats().stats.record_counts[0].count == 10_000
    before = agent.revision
    for call in (
        lambda: agent.set("one more"),
        lambda: agent.set("one more", 1, scope_id),
        lambda: agent.write({"key-00000": "changed", "one more": 1}),
        lambda: agent.wire.memory.GetOrSetEntry(
            pb.GetOrSetEntryRequest(agent_id=agent.id, key="one more", value_json="1")
        ),
    ):
        refusal = refused(call)
        assert refusal.own_metadata == {"limit": "entries_per_agent", "value": "10000"}
    assert agent.revision == before
    assert agent.values() == {f"key-{index:05}": index for index in range(10_000) if index // 1000 != 5}
    assert not agent.set("key-00000", "changed").created
    agent.remove("key-00001")
    assert agent.set("one more").created


def test_the_101st_scope_is_refused_until_one_is_disposed(agent: Memory) -> None:
    scope_ids = [agent.scope(f"scope-{index}") for index in range(100)]
    refusal = exceeds(agent, "scopes_per_agent", 100, lambda: agent.scope("one more"))
    assert [each["scope_id"] for each in json.loads(refusal.own_metadata["oldest_scopes"])] == scope_ids[:3]
    exceeds(agent, "scopes_per_agent", 100, lambda: agent.scope("one more", scope_ids[0]))
    agent.dispose(scope_ids[0])
    agent.scope("one more")


def test_an_entry_may_have_a_mebibyte_and_not_a_byte_more(agent: Memory) -> None:
    most = 1 << 20
    agent.wire.memory.SetEntry(
        pb.SetEntryRequest(agent_id=agent.id, key="key", value_json='"' + "x" * (most - 2) + '"')
    )
    for text in ("x" * (most - 1), "é" * (most // 2)):
        request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json=f'"{text}"')
        exceeds(agent, "entry_bytes", most, lambda request=request: agent.wire.memory.SetEntry(request))
    assert len(agent.get("key").entry.value_json) == most


def test_configured_limits_apply_to_every_method_that_writes(small_wire: Wire) -> None:
    agent = small_wire.agent()
    agent.write({str(index): index for index in range(5)})
    exceeds(agent, "entries_per_agent", 5, lambda: agent.set("5"))
    exceeds(agent, "entry_bytes", 64, lambda: agent.set("0", "x" * 63))
    operations = [remove_operation("0"), set_operation("5")]
    request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
    assert agent.wire.memory.BatchWriteEntries(request).revision == 2
    assert sorted(agent.values()) == ["1", "2", "3", "4", "5"]


def test_a_merge_that_exceeds_a_limit_merges_nothing(small_wire: Wire) -> None:
    agent = small_wire.agent()
    scope_id = agent.scope()
    agent.write({"a": 1, "b": 2, "c": 3}, scope_id)
    agent.set("d")
    exceeds(agent, "entries_per_agent", 5, lambda: agent.merge(scope_id))
    assert agent.values(scope_id) == {"a": 1, "b": 2, "c": 3}


def test_an_agents_storage_is_limited(small_wire: Wire) -> None:
    agent = small_wire.agent()
    text = "x" * 60
    for key in ("a", "b", "c"):
        agent.set(key, text)
    exceeds(agent, "storage_bytes_per_agent", 200, lambda: agent.set("d", text))
    agent.set("a", "small")
    agent.set("d", text)


def test_expired_entries_do_not_count_against_limits(small_wire: Wire) -> None:
    agent = small_wire.agent()
    agent.set("gone", ttl={"nanos": 1_000_000})
    agent.write({str(index): index for index in range(4)})
    while agent.contains("gone").found:
        pass
    agent.set("one more")
    assert sorted(agent.values()) == ["0", "1", "2", "3", "one more"]


def test_the_server_info_has_the_limits_by_the_names_that_errors_use(small_wire: Wire) -> None:
    limits = small_wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).limits
    assert limits["entries_per_agent"] == 5
    assert limits["entry_bytes"] == 64
    assert limits["scopes_per_agent"] == 3
    assert limits["storage_bytes_per_agent"] == 200
    assert len(limits) == len(Limits.__struct_fields__) + 2, "two limits have one name"


def test_a_message_over_the_limit_is_refused_and_the_next_call_works(shared_wire: Wire) -> None:
    agent = shared_wire.agent()
    agent.set("key")
    limits = agent.wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).limits
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json='"' + "x" * limits["message_bytes"] + '"')
    with pytest.raises(grpc.RpcError) as caught:
        agent.wire.memory.SetEntry(request)
    assert code_of(caught.value) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (agent.value("key"), agent.revision) == (1, 1)
