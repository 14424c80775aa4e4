import pytest
from tests.unit.domain.sample import Agent

from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope_change import DisposeScope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import RecordNotFound, ScopeDisposed
from memoryd_server.domain.lifecycle.agent_change import ClearAgent
from memoryd_server.domain.limit import SECOND_NS


def nested_agent() -> tuple[Agent, str, str]:
    agent = Agent()
    outer = agent.create_scope(name="outer")
    return agent, outer, agent.create_scope(outer, "inner")


def test_a_lookup_goes_from_the_scope_through_its_ancestors_to_the_root() -> None:
    agent, outer, inner = nested_agent()
    assert agent.state.part(WORKING_MEMORY).lookup_path(inner) == (inner, outer, ROOT)
    assert agent.state.part(WORKING_MEMORY).lookup_path(ROOT) == (ROOT,)
    for scope_id, value in ((ROOT, "1"), (outer, "2"), (inner, "3")):
        agent.set("k", value, scope_id)
        assert agent.value("k", inner) == value
    assert (agent.value("k", outer), agent.value("k")) == ("2", "1")
    assert agent.state.part(WORKING_MEMORY).find(inner, "l", agent.now) is None


def test_a_local_lookup_stays_in_its_scope() -> None:
    agent, outer, inner = nested_agent()
    agent.set("k", "1", outer)
    assert agent.state.part(WORKING_MEMORY).find(inner, "k", agent.now, local_only=True) is None
    assert agent.state.part(WORKING_MEMORY).find(outer, "k", agent.now, local_only=True) is not None


def test_an_expired_entry_shows_the_one_behind_it() -> None:
    agent, outer, inner = nested_agent()
    agent.set("k", "1", outer)
    agent.set("k", "2", inner, ttl_ns=SECOND_NS)
    agent.now += SECOND_NS
    assert agent.value("k", inner) == "1"
    assert {entry.value_json for entry in agent.state.part(WORKING_MEMORY).visible_entries(inner, agent.now)} == {"1"}


def test_visible_entries_are_the_nearest_of_each_key() -> None:
    agent, outer, inner = nested_agent()
    agent.set("k", "1")
    agent.set("l", "1")
    agent.set("k", "2", inner)
    agent.set("m", "2", outer)
    visible = {
        entry.key: entry.scope_id for entry in agent.state.part(WORKING_MEMORY).visible_entries(inner, agent.now)
    }
    assert visible == {"k": inner, "l": ROOT, "m": outer}


def test_counting_leaves_out_what_is_over() -> None:
    agent, outer, _ = nested_agent()
    agent.set("k", "1", outer)
    agent.set("l", "1", outer, ttl_ns=SECOND_NS)
    assert agent.state.part(WORKING_MEMORY).live_count(outer, agent.now) == 2
    assert agent.state.part(WORKING_MEMORY).live_count(outer, agent.now + SECOND_NS) == 1


def test_unknown_and_disposed_scopes_raise_different_errors() -> None:
    agent, outer, inner = nested_agent()
    agent.do(DisposeScope(inner))
    with pytest.raises(ScopeDisposed, match="inner"):
        agent.state.part(WORKING_MEMORY).lookup_path(inner)
    with pytest.raises(RecordNotFound, match="unknown"):
        agent.state.part(WORKING_MEMORY).local_entries("unknown")
    assert agent.state.part(WORKING_MEMORY).local_entries(outer) is not None


def test_scopes_are_ordered_by_depth_or_by_creation() -> None:
    agent, outer, inner = nested_agent()
    other = agent.create_scope()
    assert [scope.scope_id for scope in agent.state.part(WORKING_MEMORY).scopes_deepest_first()] == [
        inner,
        outer,
        other,
    ]
    assert [scope.scope_id for scope in agent.state.part(WORKING_MEMORY).scopes_in_order()] == [outer, inner, other]
    assert [scope.scope_id for scope in agent.state.part(WORKING_MEMORY).descendants(outer)] == [inner]


def test_a_state_that_is_kept_does_not_change() -> None:
    agent, outer, _ = nested_agent()
    agent.set("k", "1", outer)
    kept = agent.state
    agent.set("k", "2", outer)
    agent.do(ClearAgent())
    found = kept.part(WORKING_MEMORY).find(outer, "k", agent.now)
    assert found is not None
    assert found.value_json == "1"
