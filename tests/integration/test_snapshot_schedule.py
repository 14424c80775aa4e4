"""Snapshots that the daemon takes by itself, and those that it restores at its start: DC-03."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.wire import Wire, refused
from tests.wait import WAIT_S_MAX

from memoryd.v1 import snapshot_pb2
from memoryd.v1 import snapshot_service_pb2 as pb

Launch = Callable[..., AnyDaemon]
Connect = Callable[[AnyDaemon], Wire]


def snapshots(wire: Wire) -> list[snapshot_pb2.Snapshot]:
    return list(wire.snapshots.ListSnapshots(pb.ListSnapshotsRequest()).snapshots)


def create(wire: Wire, agent_id: str, snapshot_id: str) -> None:
    wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(agent_id=agent_id, snapshot_id=snapshot_id))


def test_with_durability_memory_a_snapshot_preserves_the_data_over_a_restart(launch: Launch, connect: Connect) -> None:
    daemon = launch("--durability", "memory")
    agent = connect(daemon).agent()
    agent.write({"a": 1, "b": 2})
    agent.set("own", 3, agent.scope("s"))
    daemon.stop()
    daemon.flags += ["--restore", "latest"]
    daemon.start()
    again = connect(daemon).agent(agent.id)
    assert again.values() == {"a": 1, "b": 2}
    assert [scope.entry_count for scope in again.scopes().scopes] == [1]


def test_a_start_restores_into_an_empty_store_only(launch_process: Callable[..., Daemon], connect: Connect) -> None:
    daemon = launch_process()
    wire = connect(daemon)
    wire.agent("kept").set("key", 1)
    create(wire, "", "named")
    daemon.flags += ["--restore", "named"]
    for value in (2, 3):
        wire.agent("kept").set("key", value)
        wire.agent("later").set("key", value)
        daemon.kill()
        daemon.start()
        wire = connect(daemon)
        assert (wire.agent("kept").value("key"), wire.agent("later").value("key")) == (value, value)
    daemon.kill()
    for path in daemon.data_dir.glob("memoryd.*"):
        path.unlink()
    daemon.start()
    wire = connect(daemon)
    assert (wire.agent("kept").value("key"), wire.agent("later").values()) == (1, {})


def test_latest_names_a_snapshot_in_every_call_and_is_no_id(launch: Launch, connect: Connect) -> None:
    wire = connect(launch())
    wire.agent("a").set("key", 1)
    create(wire, "", "older")
    wire.agent("a").set("key", 2)
    create(wire, "", "newer")
    create(wire, "a", "of-one-agent")
    assert wire.snapshots.GetSnapshot(pb.GetSnapshotRequest(snapshot_id="latest")).snapshot.snapshot_id == "newer"
    exported = wire.snapshots.ExportSnapshot(pb.ExportSnapshotRequest(snapshot_id="latest"))
    assert next(exported).snapshot.snapshot_id == "newer"
    wire.agent("a").set("key", 3)
    assert wire.snapshots.RestoreSnapshot(pb.RestoreSnapshotRequest(snapshot_id="latest")).restored_agent_count == 1
    assert wire.agent("a").value("key") == 2
    for call in (
        lambda: create(wire, "", "latest"),
        lambda: wire.snapshots.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id="latest")),
    ):
        assert "latest" in refused(call).message


@pytest.mark.parametrize("snapshot_id", ["no-such"])
def test_the_daemon_names_a_missing_snapshot_and_does_not_start(tmp_path: Path, snapshot_id: str) -> None:
    command: list[str | Path] = [Path(sys.executable).with_name("memoryd"), "serve", "--listen", "127.0.0.1:0"]
    command += ["--data-dir", tmp_path / "data", "--restore", snapshot_id]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert answer.returncode not in (0, -9)
    (line,) = (line for line in answer.stderr.splitlines() if line.startswith("memoryd: "))
    assert snapshot_id in line
    assert "serving" not in answer.stderr


def test_the_oldest_periodic_snapshots_are_deleted_but_never_requested_ones(launch: Launch, connect: Connect) -> None:
    daemon = launch("--durability", "memory", "--snapshot-interval", "0.05", "--snapshot-keep", "2")
    wire = connect(daemon)
    wire.agent("a").set("key")
    create(wire, "a", "kept")
    seen: set[str] = set()
    while len(seen) < 5:
        taken = snapshots(wire)
        seen |= {each.snapshot_id for each in taken if each.trigger == snapshot_pb2.SNAPSHOT_TRIGGER_PERIODIC}
        assert "kept" in {each.snapshot_id for each in taken}
        # A new one may have been written before the oldest is deleted.
        assert len(taken) <= 4
    daemon.stop()
    daemon.flags = ["--durability", "memory"]
    daemon.start()
    left = snapshots(connect(daemon))
    assert [each.trigger for each in left if each.snapshot_id != "kept"] == [
        snapshot_pb2.SNAPSHOT_TRIGGER_SHUTDOWN,
        snapshot_pb2.SNAPSHOT_TRIGGER_PERIODIC,
    ]
