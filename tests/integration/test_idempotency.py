"""Request ids: a repeated change returns the first result and changes nothing. Preconditions."""

from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.wire import Memory, Wire, absent, at_revision, refused, remove_operation, set_operation

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import working_memory_service_pb2 as pb

CHANGES: dict[str, Callable[[Memory, str], object]] = {
    "SetEntry": lambda agent, scope_id: agent.set("new", 1, request_id="r"),
    "GetOrSetEntry": lambda agent, scope_id: agent.wire.memory.GetOrSetEntry(
        pb.GetOrSetEntryRequest(agent_id=agent.id, key="new", value_json="1", request_id="r")
    ),
    "ReserveEntry": lambda agent, scope_id: agent.reserve("new", request_id="r"),
    "RemoveEntry": lambda agent, scope_id: agent.remove("key", request_id="r"),
    "ClearEntries": lambda agent, scope_id: agent.clear(request_id="r"),
    "BatchWriteEntries": lambda agent, scope_id: agent.write({"key": 2, "new": 1}, request_id="r"),
    "CreateScope": lambda agent, scope_id: agent.wire.memory.CreateScope(
        pb.CreateScopeRequest(agent_id=agent.id, name="new", request_id="r")
    ),
    "MergeScope": lambda agent, scope_id: agent.merge(scope_id, request_id="r"),
    "DisposeScope": lambda agent, scope_id: agent.dispose(scope_id, request_id="r"),
    "ClearAgent": lambda agent, scope_id: agent.wire.agents.ClearAgent(
        agent_pb.ClearAgentRequest(agent_id=agent.id, request_id="r")
    ),
    "EndAgent": lambda agent, scope_id: agent.wire.agents.EndAgent(
        agent_pb.EndAgentRequest(agent_id=agent.id, request_id="r")
    ),
}


def without_access(response: Any) -> object:
    """Return a response without the access count and time of its entry, which keep changing."""
    if hasattr(response, "entry"):
        response.entry.ClearField("access_count")
        response.entry.ClearField("last_access_time")
    return response


def prepared(agent: Memory) -> str:
    agent.set("key")
    scope_id = agent.scope()
    agent.set("own", 1, scope_id)
    return scope_id


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_repeated_change_returns_the_first_result_and_changes_nothing(
    agent: Memory, change: Callable[[Memory, str], object]
) -> None:
    scope_id = prepared(agent)
    first = without_access(change(agent, scope_id))
    revision = agent.revision
    assert revision == 4
    assert without_access(change(agent, scope_id)) == first
    assert agent.revision == revision
    agent.set("later")
    assert without_access(change(agent, scope_id)) == first
    assert agent.revision == revision + 1


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_request_id_with_another_body_is_refused(agent: Memory, change: Callable[[Memory, str], object]) -> None:
    scope_id = prepared(agent)
    change(agent, scope_id)
    revision = agent.revision
    refusal = refused(lambda: agent.set("other", 2, request_id="r"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED")
    assert refusal.own_metadata == {"request_id": "r"}
    assert agent.revision == revision


def test_request_ids_belong_to_their_agent(agent: Memory) -> None:
    agent.set("key", 1, request_id="r")
    other = agent.wire.agent()
    other.set("key", 2, request_id="r")
    assert other.value("key") == 2


def test_a_refused_change_may_be_retried_under_its_request_id(agent: Memory) -> None:
    agent.set("key")
    refused(lambda: agent.set("key", 2, precondition=at_revision(7), request_id="r"))
    assert agent.set("key", 2, precondition=at_revision(1), request_id="r").revision == 2


def test_concurrent_repetitions_change_once(agent: Memory) -> None:
    request = pb.SetEntryRequest(agent_id=agent.id, key="key", value_json="1", request_id="r")
    calls = [agent.wire.memory.SetEntry.future(request) for _ in range(50)]
    assert {call.result().SerializeToString() for call in calls} == {calls[0].result().SerializeToString()}
    assert agent.revision == 1


def test_request_ids_outlive_a_killed_daemon(daemon: Daemon, connect: Callable[[Daemon], Wire]) -> None:
    wire = connect(daemon)
    agents = {name: wire.agent() for name in CHANGES}
    scope_ids = {name: prepared(agent) for name, agent in agents.items()}
    first = {name: without_access(CHANGES[name](agent, scope_ids[name])) for name, agent in agents.items()}
    daemon.kill()
    daemon.start()
    wire = connect(daemon)
    for name, agent in agents.items():
        again = wire.agent(agent.id)
        assert without_access(CHANGES[name](again, scope_ids[name])) == first[name], name
        assert again.revision == 4, name
        assert refused(lambda again=again: again.set("x", request_id="r")).reason == "REQUEST_ID_REUSED"  # type: ignore[misc]


def test_must_not_exist_and_expected_revision_are_checked_for_one_entry(agent: Memory) -> None:
    revision = agent.set("key", 1, precondition=absent()).revision
    exists = refused(lambda: agent.set("key", 2, precondition=absent()))
    assert (exists.code, exists.reason) == (grpc.StatusCode.ALREADY_EXISTS, "RECORD_EXISTS")
    assert exists.own_metadata == {"kind": "entry", "record_id": "key", "revision": str(revision)}
    agent.set("other")
    agent.set("key", 2, precondition=at_revision(revision))
    stale = refused(lambda: agent.set("key", 3, precondition=at_revision(revision)))
    assert (stale.code, stale.reason) == (grpc.StatusCode.ABORTED, "REVISION_MISMATCH")
    assert stale.own_metadata == {"expected_revision": "1", "actual_revision": "3"}
    assert refused(lambda: agent.remove("key", precondition=at_revision(1))).reason == "REVISION_MISMATCH"
    assert agent.value("key") == 2
    assert agent.remove("key", precondition=at_revision(3)).deleted
    assert agent.set("key", 4, precondition=at_revision(0)).revision == 5


def test_a_precondition_is_about_the_scopes_own_entry(agent: Memory) -> None:
    agent.set("key")
    scope_id = agent.scope()
    assert agent.set("key", 2, scope_id, precondition=absent()).revision == 3
    assert refused(lambda: agent.remove("none", scope_id, precondition=at_revision(1))).own_metadata == {
        "expected_revision": "1",
        "actual_revision": "0",
    }


def test_a_batch_with_one_failed_precondition_writes_nothing(agent: Memory) -> None:
    agent.write({"a": 1, "b": 1})
    operations = [
        set_operation("a", 2),
        remove_operation("b"),
        set_operation("c", 2),
        set_operation("a2", 2, precondition=at_revision(9)),
    ]
    request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
    assert refused(lambda: agent.wire.memory.BatchWriteEntries(request)).reason == "REVISION_MISMATCH"
    assert (agent.values(), agent.revision) == ({"a": 1, "b": 1}, 1)


def test_preconditions_of_a_batch_are_about_the_state_before_it(agent: Memory) -> None:
    agent.set("a")
    operations = [
        remove_operation("a", precondition=at_revision(1)),
        set_operation("b", 1, precondition=absent()),
    ]
    request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
    assert agent.wire.memory.BatchWriteEntries(request).revision == 2


def test_changes_of_scopes_and_agents_check_the_agents_revision(agent: Memory) -> None:
    scope_id = agent.scope()
    for call in (
        lambda: agent.scope("x", agent_precondition=at_revision(9)),
        lambda: agent.merge(scope_id, agent_precondition=at_revision(9)),
        lambda: agent.dispose(scope_id, agent_precondition=at_revision(9)),
        lambda: agent.clear(agent_precondition=at_revision(9)),
    ):
        assert refused(call).own_metadata == {"expected_revision": "9", "actual_revision": "1"}
    assert agent.dispose(scope_id, agent_precondition=at_revision(1)).revision == 2
