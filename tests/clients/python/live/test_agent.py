from datetime import timedelta
from pathlib import Path

import pytest

import memoryd
from memoryd import errors


def test_stats_count_root_and_scopes(agent: memoryd.Agent) -> None:
    agent.set("a", 1)
    scope = agent.create_scope("task")
    scope.set("b", 1)
    stats = agent.stats()
    assert (stats.record_counts, stats.root_entry_count) == ({"entry": 2, "scope": 1}, 1)
    assert 0 < stats.storage_bytes < stats.storage_bytes_max
    assert (stats.count("entry"), stats.count("note")) == (2, 0)
    assert stats.oldest_entry_time is not None
    assert stats.newest_entry_time is not None
    assert stats.oldest_entry_time <= stats.newest_entry_time


def test_an_agent_that_never_existed_is_not_found(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.AgentNotFound):
        agent.stats()
    with pytest.raises(errors.AgentNotFound):
        agent.info()


def test_info_has_the_revision(agent: memoryd.Agent) -> None:
    stored = agent.set("k", 1)
    info = agent.info()
    assert (info.agent_id, info.revision) == (agent.agent_id, stored.revision)
    assert info.create_time <= info.update_time


def test_clearing_all_takes_entries_and_scopes_and_leaves_the_agent(agent: memoryd.Agent) -> None:
    agent.set("a", 1)
    agent.create_scope("task").set("b", 1)
    cleared = agent.clear_all(["entry"])
    assert cleared.cleared == {"entry": 2, "scope": 1}
    assert agent.info().revision == cleared.revision
    assert list(agent.keys()) == []


def test_a_condition_on_an_agent_that_is_not_met_changes_nothing(agent: memoryd.Agent) -> None:
    changes = (agent.clear, agent.clear_all, agent.end)
    for refused in changes:
        with pytest.raises(errors.AgentNotFound):
            refused(must_exist=True)
    revision = agent.set("k", 1).revision
    for refused in changes:
        with pytest.raises(errors.RevisionMismatch):
            refused(expected_revision=revision + 5)
    assert agent.clear(must_exist=True) == 1
    assert agent.clear_all(must_exist=True).cleared == {}
    assert agent.end(must_exist=True).deleted


def test_ending_removes_all_after_a_last_snapshot(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    ended = agent.end(snapshot=True)
    assert ended.cleared == {"entry": 1}
    assert ended.snapshot is not None
    assert ended.snapshot.trigger is memoryd.SnapshotTrigger.END_AGENT
    assert agent.agent_id not in [info.agent_id for info in client.agents()]
    agent.restore_snapshot(ended.snapshot.snapshot_id)
    assert agent.get("k") == 1


def test_an_agent_has_a_name_labels_and_defaults(client: memoryd.Client, agent: memoryd.Agent) -> None:
    with pytest.raises(errors.AgentNotFound):
        agent.update_info(display_name="x", must_exist=True)
    defaults = memoryd.AgentDefaults(entry_ttl=3_600, context_max_tokens=50, model="gpt-5")
    updated = agent.update_info(display_name="Support", tags=["a"], metadata={"team": 7}, defaults=defaults)
    assert (updated.display_name, updated.tags, updated.metadata) == ("Support", ("a",), {"team": 7})
    assert updated.defaults == memoryd.AgentDefaults(timedelta(hours=1), None, 50, "gpt-5")
    assert agent.info() == updated
    agent.set("k", 1)
    entry = agent.get_entry("k")
    assert entry is not None
    assert entry.expire_time is not None
    with pytest.raises(errors.RevisionMismatch):
        agent.update_info(defaults=None, expected_revision=1)
    agent.update_info(defaults=None)
    (listed,) = client.agents(agent.agent_id, order="update_time_descending", view="without_content")
    assert (listed.display_name, listed.defaults, listed.revision) == ("", None, 3)
    assert list(client.agents(agent.agent_id, all_tags=["a"], filter={"metadata": {"team": 7}})) == [agent.info()]
    assert list(client.agents(agent.agent_id, any_tags=["b", "c"])) == []
    with pytest.raises(TypeError, match="did you mean 'any_tags'"):
        client.agents(tags=["a"])  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="no changes"):
        agent.update_info()
    kinds = [event.type for event in agent.events()]
    assert kinds == ["agent_updated", "entry_set", "agent_updated"]


def test_events_are_listed_in_either_order_and_within_bounds(client: memoryd.Client, agent: memoryd.Agent) -> None:
    for number in range(4):
        agent.set("k", number)
    newest = agent.events(order="create_time_descending", end_revision=3, after_revision=1, previous=True)
    assert [event.revision for event in newest] == [3, 2]
    begin = agent.info().create_time
    pattern = memoryd.EventFilter([f"{agent.agent_id[:-1]}*"])
    assert [event.revision for event in client.events(pattern, start_time=begin)] == [1, 2, 3, 4]
    assert list(client.events(pattern, end_time=begin)) == []


def test_a_watch_by_a_pattern_has_new_agents(client: memoryd.Client, agent_id: str) -> None:
    with client.watch(memoryd.EventFilter([f"{agent_id}-*"])) as watch:
        client.agent(f"{agent_id}-new").set("k", 1)
        assert next(iter(watch)).agent_id == f"{agent_id}-new"


def test_agents_are_listed_by_prefix(client: memoryd.Client, agent_id: str) -> None:
    for number in range(3):
        client.agent(f"{agent_id}-{number}").set("k", 1)
    assert [info.agent_id for info in client.agents(f"{agent_id}-*")] == [f"{agent_id}-{number}" for number in range(3)]


def test_the_server_describes_itself(client: memoryd.Client) -> None:
    info = client.server_info()
    assert info.version
    assert info.state is memoryd.ServerState.SERVING
    assert info.durability is not memoryd.Durability.UNSPECIFIED
    assert all(value > 0 for value in info.limits.values())
    assert info.embedder is not None
    assert info.embedder.dimensions == 256


def test_a_snapshot_is_made_listed_and_restored(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", "then")
    snapshot = agent.create_snapshot()
    agent.set("k", "now")
    agent.set("other", 1)
    assert client.get_snapshot(snapshot.snapshot_id) == snapshot
    assert [found.snapshot_id for found in client.snapshots(agent.agent_id)] == [snapshot.snapshot_id]
    (listed,) = client.snapshots(agent.agent_id, order="id", view="without_content")
    assert (listed.snapshot_id, listed.label) == (snapshot.snapshot_id, "")
    restored = agent.restore_snapshot(snapshot.snapshot_id)
    assert (restored.restored_agent_count, agent.get_many(["k", "other"])) == (1, {"k": "then"})


def test_another_agents_snapshot_is_refused_unless_cloned_on_purpose(
    client: memoryd.Client, agent: memoryd.Agent
) -> None:
    agent.set("k", 1)
    snapshot = agent.create_snapshot()
    clone = client.agent(f"{agent.agent_id}-clone")
    with pytest.raises(errors.SnapshotAgentMismatch):
        clone.restore_snapshot(snapshot.snapshot_id)
    client.restore_snapshot(snapshot.snapshot_id, as_agent_id=clone.agent_id)
    assert clone.get("k") == 1


def test_a_snapshot_travels_as_a_file(client: memoryd.Client, agent: memoryd.Agent, tmp_path: Path) -> None:
    agent.set("k", 1)
    snapshot = agent.create_snapshot()
    file = tmp_path / "agent.snapshot"
    progress: list[tuple[int, int]] = []
    client.export_snapshot(snapshot.snapshot_id, file, progress=lambda done, total: progress.append((done, total)))
    assert file.stat().st_size == snapshot.size_bytes
    assert progress[-1] == (snapshot.size_bytes, snapshot.size_bytes)
    client.delete_snapshot(snapshot.snapshot_id)
    with pytest.raises(errors.SnapshotNotFound):
        client.export_snapshot(snapshot.snapshot_id, file)
    assert [path.name for path in tmp_path.iterdir()] == ["agent.snapshot"]
    imported = client.import_snapshot(file, snapshot_id=snapshot.snapshot_id)
    assert imported.snapshot_id == snapshot.snapshot_id
    agent.clear()
    agent.restore_snapshot(imported.snapshot_id)
    assert agent.get("k") == 1


def test_a_damaged_file_is_refused(client: memoryd.Client, agent: memoryd.Agent, tmp_path: Path) -> None:
    agent.set("k", 1)
    file = tmp_path / "agent.snapshot"
    client.export_snapshot(agent.create_snapshot().snapshot_id, file)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(errors.SnapshotDamaged):
        client.import_snapshot(file)
    assert agent.get("k") == 1
