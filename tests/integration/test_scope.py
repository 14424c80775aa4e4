"""Scopes over the wire: WM-06 to WM-13."""

import grpc
import pytest
from tests.integration.watcher import Watcher
from tests.integration.wire import ABSENT, Memory, absent, refused

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EVENT_TYPE_SCOPE_DISPOSED


def described(agent: Memory, scope_id: str) -> pb.GetScopeResponse:
    return agent.wire.memory.GetScope(pb.GetScopeRequest(agent_id=agent.id, scope_id=scope_id))


def test_scopes_have_unique_ids_but_may_share_a_name(agent: Memory) -> None:
    """WM-06."""
    first, second = agent.scope("task"), agent.scope("task")
    assert first
    assert first != second
    assert [(scope.scope_id, scope.name) for scope in agent.scopes().scopes] == [(first, "task"), (second, "task")]


def test_must_not_exist_refuses_a_second_scope_of_the_name_under_the_same_parent(agent: Memory) -> None:
    """WM-06."""
    first = agent.scope("task", precondition=absent())
    refusal = refused(lambda: agent.scope("task", precondition=absent()))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.ALREADY_EXISTS, "RECORD_EXISTS")
    assert refusal.own_metadata == {"kind": "scope", "record_id": first, "name": "task", "revision": "1"}
    assert agent.scope("task", first, precondition=absent()) != first


def test_a_scope_has_its_name_parent_creation_time_and_entry_count(agent: Memory) -> None:
    """WM-07."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.write({"a": 1, "b": 2}, inner)
    answer = described(agent, inner)
    scope = answer.scope
    assert (scope.scope_id, scope.name, scope.parent_scope_id) == (inner, "inner", outer)
    assert (scope.disposed, scope.entry_count, answer.revision) == (False, 2, 3)
    assert scope.HasField("create_time")
    agent.dispose(inner)
    scope = described(agent, inner).scope
    assert (scope.disposed, scope.entry_count, scope.name) == (True, 0, "inner")


def test_scopes_can_be_listed_by_parent_and_in_pages(agent: Memory) -> None:
    """WM-06."""
    outer = agent.scope("outer")
    inner = [agent.scope(f"inner-{index}", outer) for index in range(5)]
    assert [scope.scope_id for scope in agent.scopes(parent_scope_id="").scopes] == [outer]
    page = agent.scopes(parent_scope_id=outer, page_size=2)
    listed = list(page.scopes)
    while page.next_page_token:
        page = agent.scopes(parent_scope_id=outer, page_size=2, page_token=page.next_page_token)
        listed += page.scopes
    assert [scope.scope_id for scope in listed] == inner
    assert page.total_count == 5


def test_a_scopes_value_shadows_the_parents(agent: Memory) -> None:
    """WM-08."""
    agent.set("key", "root's")
    scope_id = agent.scope()
    assert agent.set("key", "scope's", scope_id).created
    assert (agent.value("key"), agent.value("key", scope_id)) == ("root's", "scope's")


def test_lookups_go_from_the_scope_through_its_ancestors_to_the_root(agent: Memory) -> None:
    """WM-09."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.write({"root": 0, "both": 0, "all": 0})
    agent.write({"outer": 1, "both": 1, "all": 1}, outer)
    agent.write({"inner": 2, "all": 2}, inner)
    found = {key: agent.get(key, inner).entry for key in ("root", "outer", "inner", "both", "all")}
    assert {key: (entry.value_json, entry.scope_id) for key, entry in found.items()} == {
        "root": ("0", ""),
        "outer": ("1", outer),
        "inner": ("2", inner),
        "both": ("1", outer),
        "all": ("2", inner),
    }
    assert agent.value("inner", outer) is ABSENT
    assert agent.contains("both", inner).scope_id == outer
    assert agent.values(inner, include_inherited=True) == {"root": 0, "outer": 1, "inner": 2, "both": 1, "all": 2}


def test_local_lookups_read_only_the_scope_itself(agent: Memory) -> None:
    """WM-09."""
    agent.set("parent's")
    scope_id = agent.scope()
    agent.set("own", 2, scope_id)
    assert agent.value("parent's", scope_id, local_only=True) is ABSENT
    assert not agent.contains("parent's", scope_id, local_only=True).found
    assert agent.contains("own", scope_id, local_only=True).found
    assert agent.values(scope_id) == {"own": 2}


def test_a_lookup_never_reads_a_sibling(agent: Memory) -> None:
    """WM-09."""
    one, other = agent.scope("one"), agent.scope("other")
    agent.set("key", 1, one)
    assert agent.value("key", other) is ABSENT


def test_a_removed_entry_no_longer_shadows_the_parents_value(agent: Memory) -> None:
    """WM-10."""
    agent.set("key", "root's")
    scope_id = agent.scope()
    agent.set("key", "scope's", scope_id)
    assert agent.remove("key", scope_id).deleted
    assert agent.value("key", scope_id) == "root's"
    assert not agent.remove("key", scope_id).deleted
    assert agent.value("key") == "root's"


def test_scopes_nest_to_any_depth_within_the_limit(agent: Memory) -> None:
    """WM-11."""
    agent.set("key", "root's")
    scope_id = ""
    for depth in range(100):
        scope_id = agent.scope(f"depth-{depth}", scope_id)
    assert agent.value("key", scope_id) == "root's"
    top = agent.scopes(parent_scope_id="").scopes[0].scope_id
    disposed = agent.dispose(top).disposed_scope_ids
    assert (len(disposed), disposed[0], disposed[-1]) == (100, scope_id, top)


def test_merging_copies_the_local_entries_to_the_parent_and_returns_their_number(agent: Memory) -> None:
    """WM-12."""
    agent.write({"both": "parent's", "parent's": 0})
    scope_id = agent.scope()
    agent.write({"both": "scope's", "own": 1}, scope_id)
    merged = agent.merge(scope_id)
    assert merged.merged_entry_count == 2
    assert agent.values() == {"both": "scope's", "parent's": 0, "own": 1}
    assert agent.values(scope_id) == {"both": "scope's", "own": 1}
    assert {entry.revision for entry in agent.list().entries if entry.key != "parent's"} == {merged.revision}


def test_merging_without_overwriting_keeps_the_parents_values(agent: Memory) -> None:
    """WM-12."""
    agent.set("both", "parent's")
    scope_id = agent.scope()
    agent.write({"both": "scope's", "own": 1}, scope_id)
    assert agent.merge(scope_id, overwrite=False).merged_entry_count == 1
    assert agent.values() == {"both": "parent's", "own": 1}


def test_merging_copies_to_the_parent_scope_only(agent: Memory) -> None:
    """WM-12."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.set("key", 1, inner)
    agent.merge(inner)
    assert (agent.values(outer), agent.values()) == ({"key": 1}, {})


def test_merging_can_dispose_in_the_same_revision(agent: Memory) -> None:
    """WM-12."""
    scope_id = agent.scope()
    agent.set("key", 1, scope_id)
    before = agent.revision
    assert agent.merge(scope_id, dispose=True).revision == before + 1
    assert agent.value("key") == 1
    assert agent.scopes().total_count == 0


def test_disposing_ends_descendants_first_and_returns_the_number_of_removed_entries(agent: Memory) -> None:
    """WM-13."""
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    innermost = agent.scope("innermost", inner)
    other = agent.scope("other")
    agent.write({"a": 1, "b": 2}, outer)
    agent.set("c", 3, innermost)
    with Watcher(agent.wire, agent.id).opened() as watcher:
        answer = agent.dispose(outer)
        events = watcher.until_events(3)
    assert answer.cleared_entry_count == 3
    assert list(answer.disposed_scope_ids) == [innermost, inner, outer]
    assert [scope.scope_id for scope in agent.scopes().scopes] == [other]
    assert [(event.type, event.scope.scope_id, event.scope.cleared_entry_count) for event in events] == [
        (EVENT_TYPE_SCOPE_DISPOSED, innermost, 1),
        (EVENT_TYPE_SCOPE_DISPOSED, inner, 0),
        (EVENT_TYPE_SCOPE_DISPOSED, outer, 2),
    ]


def test_a_second_disposal_is_ignored_with_a_warning(agent: Memory) -> None:
    """WM-13; test_observability checks the warning."""
    scope_id = agent.scope()
    first = agent.dispose(scope_id)
    second = agent.dispose(scope_id)
    assert (first.deleted, second.deleted) == (True, False)
    assert (second.cleared_entry_count, second.revision) == (0, first.revision)


CALLS_ON_A_SCOPE = {
    "SetEntry": lambda agent, scope_id: agent.set("key", 1, scope_id),
    "GetEntry": lambda agent, scope_id: agent.get("key", scope_id),
    "ContainsEntry": lambda agent, scope_id: agent.contains("key", scope_id),
    "RemoveEntry": lambda agent, scope_id: agent.remove("key", scope_id),
    "ListEntries": lambda agent, scope_id: agent.list(scope_id),
    "ListEntries inherited": lambda agent, scope_id: agent.list(scope_id, include_inherited=True),
    "ClearEntries": lambda agent, scope_id: agent.clear(scope_id),
    "ReserveEntry": lambda agent, scope_id: agent.reserve("key", scope_id=scope_id),
    "RenewReservation": lambda agent, scope_id: agent.renew("key", "t", scope_id=scope_id),
    "ReleaseReservation": lambda agent, scope_id: agent.release("key", "t", scope_id=scope_id),
    "GetOrSetEntry": lambda agent, scope_id: agent.wire.memory.GetOrSetEntry(
        pb.GetOrSetEntryRequest(agent_id=agent.id, scope_id=scope_id, key="key", value_json="1")
    ),
    "BatchGetEntries": lambda agent, scope_id: agent.wire.memory.BatchGetEntries(
        pb.BatchGetEntriesRequest(agent_id=agent.id, scope_id=scope_id, keys=["key"])
    ),
    "BatchWriteEntries": lambda agent, scope_id: agent.write({"key": 1}, scope_id),
    "CreateScope": lambda agent, scope_id: agent.scope("child", scope_id),
    "ListScopes": lambda agent, scope_id: agent.scopes(parent_scope_id=scope_id),
    "MergeScope": lambda agent, scope_id: agent.merge(scope_id),
}


@pytest.mark.parametrize("call", CALLS_ON_A_SCOPE.values(), ids=CALLS_ON_A_SCOPE)
def test_any_call_on_a_disposed_scope_is_an_error_that_names_the_scope(agent: Memory, call) -> None:  # type: ignore[no-untyped-def]
    """WM-13."""
    scope_id = agent.scope("job")
    agent.dispose(scope_id)
    revision = agent.revision
    refusal = refused(lambda: call(agent, scope_id))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SCOPE_DISPOSED")
    assert refusal.own_metadata == {"scope_id": scope_id, "scope_name": "job"}
    assert "job" in refusal.message
    assert agent.revision == revision


@pytest.mark.parametrize("call", CALLS_ON_A_SCOPE.values(), ids=CALLS_ON_A_SCOPE)
def test_any_call_on_a_scope_that_the_agent_does_not_have_is_not_found(agent: Memory, call) -> None:  # type: ignore[no-untyped-def]
    """WM-01, WM-13: including a scope of another agent."""
    agent.set("mine")
    for scope_id in ("no-such-scope", agent.wire.agent().scope()):
        refusal = refused(lambda scope_id=scope_id: call(agent, scope_id))  # type: ignore[misc]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "RECORD_NOT_FOUND")
        assert refusal.metadata == {"agent_id": agent.id, "kind": "scope", "record_id": scope_id}
    assert agent.revision == 1


@pytest.mark.parametrize("method", ["GetScope", "DisposeScope"])
def test_an_unknown_scope_cannot_be_described_or_disposed(agent: Memory, method: str) -> None:
    """WM-13."""
    calls = {"GetScope": lambda: described(agent, "none"), "DisposeScope": lambda: agent.dispose("none")}
    assert refused(calls[method]).reason == "RECORD_NOT_FOUND"


@pytest.mark.parametrize("method", ["GetScope", "DisposeScope", "MergeScope"])
def test_the_root_is_not_a_scope_that_can_be_described_merged_or_disposed(agent: Memory, method: str) -> None:
    """WM-12, WM-13."""
    calls = {
        "GetScope": lambda: described(agent, ""),
        "DisposeScope": lambda: agent.dispose(""),
        "MergeScope": lambda: agent.merge(""),
    }
    assert refused(calls[method]).fields == ("scope_id",)
