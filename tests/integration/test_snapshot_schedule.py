"""Snapshots that the daemon takes by itself, and those that it restores at its start: DC-03."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.in_process import AnyDaemon
from tests.integration.wire import Wire
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


def test_the_daemon_starts_from_a_named_snapshot_of_one_agent_or_all(launch: Launch, connect: Connect) -> None:
    daemon = launch()
    wire = connect(daemon)
    wire.agent("a").set("key", 1)
    wire.agent("b").set("key", 1)
    create(wire, "a", "of-a")
    create(wire, "", "of-all")
    wire.agent("a").set("key", 2)
    wire.agent("b").set("key", 2)
    for snapshot_id, values in (("of-a", (1, 2)), ("of-all", (1, 1))):
        daemon.stop()
        daemon.flags = ["--restore", snapshot_id]
        daemon.start()
        wire = connect(daemon)
        assert (wire.agent("a").value("key"), wire.agent("b").value("key")) == values


def test_every_start_restores_and_so_loses_what_came_after_the_snapshot(launch: Launch, connect: Connect) -> None:
    daemon = launch()
    wire = connect(daemon)
    wire.agent("kept").set("key", 1)
    create(wire, "", "named")
    daemon.flags += ["--restore", "named"]
    for value in (2, 3):
        wire.agent("kept").set("key", value)
        wire.agent("later").set("key", value)
        daemon.stop()
        daemon.start()
        wire = connect(daemon)
        assert (wire.agent("kept").value("key"), wire.agent("later").values()) == (1, {})


@pytest.mark.parametrize("snapshot_id", ["latest", "no-such"])
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
