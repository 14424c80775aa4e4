import json
import logging
from datetime import timedelta

import pytest
from tests.wait import until

import memoryd
from memoryd import errors


def test_a_scope_shadows_and_falls_back(agent: memoryd.Agent) -> None:
    agent.set("a", "root")
    agent.set("b", "root")
    with agent.scope("task") as scope:
        scope.set("a", "scope")
        assert (scope.get("a"), scope.get("b")) == ("scope", "root")
        assert scope.contains("b")
        assert not scope.contains("b", local_only=True)
        assert scope.get("b", "none", local_only=True) == "none"
        assert list(scope.keys()) == ["a"]
        assert list(scope.keys(inherited=True)) == ["a", "b"]
        assert scope.get_many(["a", "b"], local_only=True) == {"a": "scope"}
        assert (agent.get("a"), agent.count(), scope.count()) == ("root", 2, 1)
        entry = scope.get_entry("b")
        assert entry is not None
        assert entry.scope_id == ""
        assert scope.remove("a")
        assert scope.get("a") == "root"


def test_a_scope_ends_with_its_block(agent: memoryd.Agent) -> None:
    with agent.scope("task") as scope:
        scope.set("k", 1)
    assert agent.get("k") is None
    assert list(agent.scopes()) == []
    with pytest.raises(errors.ScopeDisposed) as caught:
        scope.get("k")
    assert caught.value.metadata == {
        "agent_id": agent.agent_id,
        "scope_id": scope.scope_id,
        "scope_name": "task",
    }
    assert scope.info().disposed


@pytest.mark.parametrize(("merge", "value"), [("overwrite", "scope"), ("keep_parent", "root")])
def test_a_scope_may_merge_when_its_block_ends_without_an_exception(
    agent: memoryd.Agent, merge: memoryd.Conflict, value: str
) -> None:
    agent.set("k", "root")
    with agent.scope("task", merge=merge) as scope:
        scope.set("k", "scope")
        scope.set("new", 1)
    assert agent.get_many(["k", "new"]) == {"k": value, "new": 1}
    assert list(agent.scopes()) == []


def test_a_scope_whose_block_fails_is_disposed_and_not_merged(agent: memoryd.Agent) -> None:
    with pytest.raises(ZeroDivisionError), agent.scope("task", merge="overwrite") as scope:
        scope.set("k", 1 / 0)
    assert scope.info().disposed
    assert list(agent.keys()) == []


def test_scopes_nest_and_their_ids_distinguish_them(agent: memoryd.Agent) -> None:
    with agent.scope("same") as outer, outer.scope("same", merge="overwrite") as inner:
        outer.set("k", 1)
        assert inner.get("k") == 1
        assert inner.info().parent_scope_id == outer.scope_id
        assert [info.scope_id for info in agent.scopes()] == [outer.scope_id, inner.scope_id]
        assert [info.scope_id for info in outer.scopes()] == [inner.scope_id]
        inner.set("found", 2)
        assert inner.merge(dispose=False) == 1
        assert outer.info().entry_count == 2


def test_a_merge_disposes_the_scope_unless_it_only_copies(agent: memoryd.Agent) -> None:
    scope = agent.create_scope("task")
    scope.set("k", 1)
    assert scope.merge(dispose=False) == 1
    assert scope.get("k") == agent.get("k") == 1
    assert scope.merge() == 1
    with pytest.raises(errors.ScopeDisposed):
        scope.get("k")


def test_a_scope_is_reached_by_its_id(agent: memoryd.Agent) -> None:
    scope = agent.create_scope("task")
    again = agent.attach(scope.scope_id)
    again.set("k", 1)
    assert scope.get("k") == 1
    assert (again.info().name, again.info().entry_count) == ("task", 1)
    assert again.dispose() == 1


def test_a_second_dispose_is_ignored_with_a_warning(agent: memoryd.Agent, caplog: pytest.LogCaptureFixture) -> None:
    scope = agent.create_scope("task")
    scope.dispose()
    with caplog.at_level(logging.WARNING, logger="memoryd"):
        assert scope.dispose() == 0
    assert scope.scope_id in caplog.text


def test_a_scope_that_ended_with_its_agent_is_disposed_without_an_error(
    agent: memoryd.Agent, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="memoryd"), agent.scope("task") as scope:
        scope.set("k", 1)
        agent.end()
    assert scope.scope_id in caplog.text
    assert scope.dispose() == 0


def test_a_condition_on_the_agent_that_is_not_met_keeps_the_scope(agent: memoryd.Agent) -> None:
    scope = agent.create_scope("task")
    revision = scope.set("k", 1).revision
    for refused in (scope.merge, scope.dispose):
        with pytest.raises(errors.RevisionMismatch):
            refused(expected_revision=revision + 5)
    assert scope.merge(must_exist=True, dispose=False) == 1
    assert scope.dispose(must_exist=True) == 1
    agent.end()
    for refused in (scope.merge, scope.dispose):
        with pytest.raises(errors.AgentNotFound):
            refused(must_exist=True)


def test_a_scopes_name_can_be_required_to_exist(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.RecordNotFound):
        agent.create_scope("task", must_exist=True)
    agent.create_scope("task", expected_revision=0)
    with pytest.raises(errors.RevisionMismatch):
        agent.create_scope("task", expected_revision=0)
    agent.create_scope("task", must_exist=True)


def test_a_scopes_name_can_be_required_to_be_new(agent: memoryd.Agent) -> None:
    agent.create_scope("task", must_not_exist=True)
    with pytest.raises(errors.RecordExists):
        agent.create_scope("task", must_not_exist=True)


def test_the_scope_of_a_block_takes_a_user_and_a_condition(agent: memoryd.Agent) -> None:
    with agent.scope("task", user_id="ada", must_not_exist=True) as scope:
        assert scope.info().user_id == "ada"
        with pytest.raises(memoryd.errors.RecordExists), agent.scope("task", must_not_exist=True):
            pass


def test_an_unknown_scope_is_not_found(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    with pytest.raises(errors.RecordNotFound):
        agent.attach("never").get("k")


@pytest.mark.whole
def test_a_scope_of_a_block_is_kept_and_has_an_idle_time(agent: memoryd.Agent) -> None:
    with agent.scope("task", idle_ttl=6.0) as task:

        def listed() -> memoryd.ScopeInfo:
            (info,) = agent.scopes()
            return info

        first = listed()
        assert first.idle_ttl == timedelta(seconds=6)
        assert first.expire_time is not None
        until(lambda: listed().expire_time != first.expire_time, "the scope is renewed")
        task.set("k", 1)
    assert list(agent.scopes()) == []
    with agent.scope("task") as task:
        assert task.info().idle_ttl == timedelta(minutes=10)
    plain = agent.create_scope("lasting")
    assert (plain.info().idle_ttl, plain.info().expire_time) == (None, None)


def test_the_error_of_one_scope_too_many_names_the_oldest(agent: memoryd.Agent) -> None:
    oldest = agent.create_scope("oldest")
    for _ in range(99):
        agent.create_scope("s")
    with pytest.raises(errors.QuotaExceeded, match=f"'oldest' .{oldest.scope_id}. of 20") as refused:
        agent.create_scope("s")
    assert json.loads(refused.value.metadata["oldest_scopes"])[0]["scope_id"] == oldest.scope_id
