import json

import pytest
from tests.unit.domain.sample import MUST_NOT_EXIST, NOW, Agent, at, image

from memoryd_server.domain.agent.commit import WritesCommitted
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.scope_change import (
    CreateScope,
    DisposeScope,
    MergeScope,
    ScopeMerged,
    ScopesDisposed,
)
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import QuotaExceeded, RecordExists, RecordNotFound, RevisionMismatch, ScopeDisposed
from memoryd_server.domain.lifecycle.agent_change import ClearAgent, RestoreAgent
from memoryd_server.domain.limit import DISPOSED_SCOPES_REMEMBERED_MAX, SECOND_NS, Limits


def merge(agent: Agent, scope_id: str, *, overwrite: bool = True, dispose: bool = False) -> object:
    return agent.do(MergeScope(scope_id, overwrite, dispose, agent.new_id()))


def test_scopes_nest_and_know_their_ancestors_the_parent_first() -> None:
    agent = Agent()
    outer = agent.create_scope(name="outer")
    inner = agent.create_scope(outer, "inner")
    innermost = agent.create_scope(inner, "innermost")
    assert agent.state.part(WORKING_MEMORY).scope(innermost).ancestors == (inner, outer)
    assert agent.state.part(WORKING_MEMORY).scope(innermost).parent_scope_id == inner
    assert agent.state.part(WORKING_MEMORY).scope(outer).parent_scope_id == ROOT
    event = agent.events[-1]
    assert (event.subject.scope_id, event.subject.scope_name, event.subject.ancestors) == (
        innermost,
        "innermost",
        (inner, outer),
    )


def test_names_may_repeat_unless_must_not_exist_asks_otherwise() -> None:
    agent = Agent()
    first = agent.create_scope(name="name")
    last = agent.create_scope(name="name")
    with pytest.raises(RecordExists) as refused:
        agent.do(CreateScope("name", ROOT, "new", MUST_NOT_EXIST))
    named = {"kind": "scope", "name": "name"}
    assert refused.value.metadata == {**named, "record_id": last, "revision": "2"}
    with pytest.raises(RecordNotFound) as missing:
        agent.do(CreateScope("name", last, "new", Precondition(must_exist=True)))
    assert missing.value.metadata == {**named, "agent_id": "a"}
    assert missing.value.message == "agent 'a' has no scope named 'name'"
    agent.do(CreateScope("other", ROOT, "under root", MUST_NOT_EXIST))
    agent.do(CreateScope("name", first, "elsewhere", MUST_NOT_EXIST))
    with pytest.raises(RevisionMismatch):
        agent.do(CreateScope("x", ROOT, "y"), precondition=at(3))


def test_the_scope_past_the_limit_is_refused_until_one_ends() -> None:
    agent = Agent()
    scope_ids = [agent.create_scope() for _ in range(100)]
    with pytest.raises(QuotaExceeded) as refused:
        agent.create_scope()
    created = {"name": "scope", "create_time": "2027-01-15T08:00:00.000000Z"}
    assert {**refused.value.metadata, "oldest_scopes": json.loads(refused.value.metadata["oldest_scopes"])} == {
        "limit": "scopes_per_agent",
        "value": "100",
        "oldest_scopes": [{"scope_id": scope_id, **created} for scope_id in scope_ids[:3]],
    }
    assert f"oldest: 'scope' ({scope_ids[0]}) of 2027-01-15T08:00:00.000000Z, " in refused.value.message
    agent.do(DisposeScope(scope_ids[50]))
    agent.create_scope()


def test_disposal_ends_the_deepest_first_and_says_what_ended() -> None:
    agent = Agent()
    outer = agent.create_scope()
    inner = agent.create_scope(outer)
    innermost = agent.create_scope(inner)
    sibling = agent.create_scope(outer)
    agent.create_scope()
    agent.set("k", "1", innermost)
    agent.set("l", "1", outer, ttl_ns=SECOND_NS)
    agent.do(ReserveEntry(inner, "r", "t", SECOND_NS * 5))
    agent.now += SECOND_NS
    agent.take_events()
    disposed = agent.do(DisposeScope(outer))
    assert disposed == ScopesDisposed(True, 1, (innermost, inner, sibling, outer), 9, "scope")
    # No erasure would find the name among the results that are stored.
    assert WritesCommitted((disposed,), 9).remembered.results[0].scope_name == ""
    events = [(event.subject.scope_id, event.cause.name, event.subject.entries_cleared) for event in agent.events]
    below = "PARENT_DISPOSED"
    assert events == [(innermost, below, 1), (inner, below, 0), (sibling, below, 0), (outer, "REQUEST", 0)]
    assert not agent.state.part(WORKING_MEMORY).reservations
    assert len(agent.state.part(WORKING_MEMORY).scopes) == 1


def test_a_second_disposal_is_ignored() -> None:
    agent = Agent()
    scope_id = agent.create_scope()
    agent.do(DisposeScope(scope_id))
    assert agent.do(DisposeScope(scope_id)) == ScopesDisposed(False, 0, (), 2)
    with pytest.raises(RecordNotFound):
        agent.do(DisposeScope("unknown"))


def test_disposal_and_merge_check_the_agents_revision() -> None:
    agent = Agent()
    scope_id = agent.create_scope()
    with pytest.raises(RevisionMismatch):
        agent.do(DisposeScope(scope_id), precondition=at(7))
    with pytest.raises(RevisionMismatch):
        agent.do(MergeScope(scope_id, True, False, "id"), precondition=at(7))
    agent.do(DisposeScope(scope_id), precondition=at(1))


def test_only_so_many_disposed_scopes_stay_known_the_latest_of_them() -> None:
    agent = Agent()
    count = DISPOSED_SCOPES_REMEMBERED_MAX + 2
    scopes = tuple(Scope(f"s{number:04}", "name", (), NOW, 1) for number in range(count))
    agent.do(RestoreAgent(image(*scopes), "snapshot"))
    agent.do(DisposeScope("s0500"))
    agent.do(DisposeScope("s0400"))
    agent.do(ClearAgent())
    assert len(agent.state.part(WORKING_MEMORY).disposed_scopes) == DISPOSED_SCOPES_REMEMBERED_MAX
    for forgotten in ("s0400", "s0500"):
        with pytest.raises(RecordNotFound):
            agent.value("k", forgotten)
    with pytest.raises(ScopeDisposed):
        agent.value("k", "s0000")


def test_merging_copies_live_entries_up_and_keeps_the_scope() -> None:
    agent = Agent()
    agent.set("k", "1")
    scope_id = agent.create_scope()
    source = agent.set("k", "2", scope_id, ttl_ns=5 * SECOND_NS)
    agent.set("expired", "2", scope_id, ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    agent.take_events()
    assert merge(agent, scope_id) == ScopeMerged(1, 5)
    assert agent.take_events() == [("ENTRY_SET", "MERGE", ROOT, "k")]
    merged = agent.state.part(WORKING_MEMORY).entries[ROOT]["k"]
    assert (merged.value_json, merged.expire_time, merged.tags) == ("2", source.expire_time, source.tags)
    assert agent.value("k", scope_id) == "2"


def test_merging_without_overwrite_keeps_what_the_parent_has() -> None:
    agent = Agent()
    agent.set("k", "1")
    scope_id = agent.create_scope()
    agent.set("k", "2", scope_id)
    agent.set("l", "2", scope_id)
    assert merge(agent, scope_id, overwrite=False) == ScopeMerged(1, 5)
    assert (agent.value("k"), agent.value("l")) == ("1", "2")


def test_merging_goes_to_the_parent_scope_and_disposes_if_asked() -> None:
    agent = Agent()
    outer = agent.create_scope()
    inner = agent.create_scope(outer)
    innermost = agent.create_scope(inner)
    agent.set("k", "1", inner)
    agent.take_events()
    merge(agent, inner, dispose=True)
    assert agent.take_events() == [
        ("ENTRY_SET", "MERGE", outer, "k"),
        ("SCOPE_DISPOSED", "PARENT_DISPOSED", innermost, ""),
        ("SCOPE_DISPOSED", "REQUEST", inner, ""),
    ]
    assert agent.value("k", outer) == "1"
    assert agent.value("k") is None


def test_merging_nothing_changes_nothing() -> None:
    agent = Agent()
    scope_id = agent.create_scope()
    assert merge(agent, scope_id) == ScopeMerged(0, 1)
    assert agent.decision.events == []


def test_a_merge_past_a_limit_is_refused_whole() -> None:
    agent = Agent(Limits(entries_per_agent=3))
    scope_id = agent.create_scope()
    for key in ("k", "l"):
        agent.set(key, "1", scope_id)
    before = agent.state
    with pytest.raises(QuotaExceeded):
        merge(agent, scope_id)
    assert agent.state is before


def test_a_merge_that_disposes_needs_no_room_for_both() -> None:
    agent = Agent(Limits(entries_per_agent=4, storage_bytes_per_agent=8))
    scope_id = agent.create_scope()
    below = agent.create_scope(scope_id)
    for key in ("k", "l", "m"):
        agent.set(key, "1", scope_id)
    agent.set("n", "1", below)
    assert merge(agent, scope_id, dispose=True) == ScopeMerged(3, 7)
    assert (agent.state.part(WORKING_MEMORY).entry_count, agent.state.size_bytes) == (3, 6)
    agent.set("n")
    with pytest.raises(QuotaExceeded):
        agent.set("o")


def test_a_merge_at_the_limit_lets_expired_entries_go_first() -> None:
    agent = Agent(Limits(entries_per_agent=2))
    scope_id = agent.create_scope()
    agent.set("k", "1", scope_id)
    agent.set("expired", "1", scope_id, ttl_ns=SECOND_NS)
    agent.limits = Limits(entries_per_agent=1)
    agent.now += SECOND_NS
    assert merge(agent, scope_id, dispose=True) == ScopeMerged(1, 4)
    assert (agent.value("k"), agent.state.part(WORKING_MEMORY).entry_count) == ("1", 1)
