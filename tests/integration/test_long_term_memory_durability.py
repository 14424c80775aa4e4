"""Long-term memories survive a kill, a snapshot and a migration, except for purged ones."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.integration.long_term_memory import SUPERSEDES, LongTermMemories
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire, refused
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb

Connect = Callable[[Daemon], Wire]
SECRET = "zebracorn"


def held(memories: LongTermMemories) -> dict[str, Any]:
    """Return an agent's memories and links, without the fields that each read or the time changes."""
    every: Any = {"memory": {"statuses": [1, 2, 3]}}
    listed = list(memories.listed(filter=every).memories) + list(memories.listed(forgotten_only=True).memories)
    whole = {
        each.memory_id: memories.get(each.memory_id, include_embedding=True, include_forgotten=True) for each in listed
    }
    for each in whole.values():
        each.salience = 0
        each.access_count = 0
        each.ClearField("last_access_time")
    return {"memories": whole, "links": memories.links()}


def fill(memories: LongTermMemories) -> dict[str, str]:
    """Create memories in every state, and return the ids of the existing ones by name."""
    ids = {name: memories.create(f"{name} fox", metadata={"n": 1}, tags=["t"]) for name in ("old", "new", "lost")}
    ids["brought"] = memories.create("brought fox", embedding={"vector": [1, 2], "model": "m"})
    memories.link(ids["new"], ids["old"], SUPERSEDES)
    memories.update(ids["new"], content="newer fox")
    memories.reinforce(ids["brought"])
    memories.forget(ids["lost"])
    gone = memories.create("gone fox")
    memories.purge(gone, block_reimport=True)
    return ids


def test_every_acknowledged_change_survives_a_kill_and_a_migration(
    tmp_path: Path, launch_process: Callable[..., Daemon], connect: Connect
) -> None:
    daemon = launch_process("--embedder", "none")
    memories = LongTermMemories(connect(daemon).agent())
    ids = fill(memories)
    before = held(memories)
    daemon.kill()
    daemon.start()
    check(LongTermMemories(connect(daemon).agent(memories.agent.id)), before, ids)
    daemon.stop()
    moved = migrated(daemon, tmp_path / "moved")
    moved.start()
    try:
        check(LongTermMemories(connect(moved).agent(memories.agent.id)), before, ids)
    finally:
        moved.close()


def migrated(daemon: Daemon, directory: Path) -> Daemon:
    """Migrate a stopped daemon's store to a new directory, and return a daemon for that."""
    target = Daemon(directory, *daemon.flags)
    command = [Path(sys.executable).with_name("memoryd"), "migrate", "--from", f"sqlite:{daemon.data_dir}"]
    command += ["--to", f"sqlite:{target.data_dir}"]
    moved = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert moved.returncode == 0, moved.stderr
    return target


def check(memories: LongTermMemories, before: dict[str, Any], ids: dict[str, str]) -> None:
    """Assert that the memories are unchanged, and that recall, the past and the blocked content work."""
    assert held(memories) == before
    assert set(memories.found("fox")) == {"newer fox", "brought fox"}
    asked: Any = {"vector": [1, 2], "model": "m"}
    assert memories.found("", embedding=asked) == ["brought fox"]
    created = before["memories"][ids["new"]].create_time
    assert memories.get(ids["new"], read_time=created).content == "new fox"
    assert memories.created("gone fox").outcome == pb.CREATE_MEMORY_OUTCOME_BLOCKED


def test_a_snapshot_restores_and_clones_all_memories_except_blocked_ones(wire: Wire) -> None:
    memories = LongTermMemories(wire.agent())
    ids = fill(memories)
    blocked = memories.create("later blocked fox")
    before = held(memories)
    agent_id = memories.agent.id
    snapshot_id = wire.snapshots.CreateSnapshot(
        snapshot_pb.CreateSnapshotRequest(agent_id=agent_id)
    ).snapshot.snapshot_id
    memories.purge(blocked, block_reimport=True)
    memories.purge(ids["old"])
    memories.create("after the snapshot")
    memories.forget(ids["new"])
    restore = snapshot_pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=agent_id)
    wire.snapshots.RestoreSnapshot(restore)
    after = held(memories)
    del before["memories"][blocked]
    for each in (*before["memories"].values(), *after["memories"].values(), *before["links"], *after["links"]):
        each.revision = 0
    assert after == before
    assert memories.created("gone fox").outcome == pb.CREATE_MEMORY_OUTCOME_BLOCKED
    restore.as_agent_id = f"{agent_id}-clone"
    wire.snapshots.RestoreSnapshot(restore)
    clone = LongTermMemories(wire.agent(f"{agent_id}-clone"))
    assert set(clone.found("fox")) == {"newer fox", "brought fox", "later blocked fox"}
    assert clone.get(ids["new"]).link_count == 1
    assert clone.created("gone fox").outcome == pb.CREATE_MEMORY_OUTCOME_BLOCKED
    assert memories.found("later blocked") != ["later blocked fox"]


@pytest.mark.whole
def test_a_purged_content_is_in_no_response_event_or_file(daemon: Daemon, connect: Connect) -> None:
    memories = LongTermMemories(connect(daemon).agent())
    first = memories.create("stays")
    secret = memories.create(f"the {SECRET} of Ann", metadata={"n": SECRET}, tags=[SECRET])
    memories.update(secret, content=f"another {SECRET}")
    memories.link(first, secret)
    memories.forget(secret)
    request_id = pb.CreateMemoryRequest(agent_id=memories.agent.id, request_id="r")
    request_id.draft.content, request_id.draft.user_id = f"third {SECRET}", "ann"
    third = memories.stub.CreateMemory(request_id).memory.memory_id
    assert SECRET in files_of(daemon)
    for memory_id in (secret, third):
        memories.purge(memory_id)
    filters = [event_pb2.EventFilter(agent_ids=[memories.agent.id])]
    listed = memories.agent.wire.events.ListEvents(event_pb.ListEventsRequest(filters=filters)).events
    with Watcher(memories.agent.wire, memories.agent.id, after_revision=0).opened() as watcher:
        watched = watcher.until_events(len(listed))
    for event in (*listed, *watched):
        assert SECRET not in str(event)
    assert refused(lambda: memories.get(secret, include_forgotten=True)).reason == "RECORD_NOT_FOUND"
    assert memories.found(SECRET) in ([], ["stays"])
    assert memories.contents() == ["stays"]
    assert memories.get(first).link_count == 0
    assert SECRET not in files_of(daemon)
    daemon.stop()
    assert SECRET not in files_of(daemon)


def files_of(daemon: Daemon) -> str:
    """Return the content of all files of the daemon's data directory."""
    return "".join(path.read_bytes().decode("latin-1") for path in daemon.data_dir.rglob("*") if path.is_file())


@pytest.mark.faults
def test_a_purge_that_a_kill_interrupts_is_completed_and_no_acknowledged_one_is_undone(
    daemon: Daemon, connect: Connect
) -> None:
    memories = LongTermMemories(connect(daemon).agent())
    for _ in range(5):
        ids = [
            memories.create(f"{SECRET} {number}", allow_duplicates=True, skip_contradictions=True)
            for number in range(5)
        ]
        for memory_id in ids[1:]:
            memories.purge(memory_id)
        purge = pb.PurgeMemoryRequest(agent_id=memories.agent.id, memory_id=ids[0])
        interrupted = memories.stub.PurgeMemory.future(purge)
        daemon.kill()
        interrupted.exception()
        daemon.start()
        memories = LongTermMemories(connect(daemon).agent(memories.agent.id))
        if memories.listed().total_count:
            memories.purge(ids[0])
        until(lambda: SECRET not in files_of(daemon), "the purge is complete")
        assert memories.listed().total_count == 0
