"""Run by test_steps.py, and killed at a step: one operation on a daemon inside this process.

    step_victim.py OPERATION DATA ACKNOWLEDGED STEPS NUMBER ERROR

Begins to count steps once the daemon serves. Appends a line to ACKNOWLEDGED for each acknowledged call.
"""

import contextlib
import os
import struct
import sys
from pathlib import Path

import grpc
from tests.faults.step_operation import AGENT, FIRST, SECOND
from tests.integration.wire import Memory, Wire

from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd_server.testing.daemon import InProcessDaemon

WRITES = 4


def commit(wire: Wire, acknowledge: "Acknowledge") -> None:
    agent = Memory(wire, AGENT)
    for number in range(1, WRITES + 1):
        agent.write({"a": number, "b": number})
        acknowledge(number)


def snapshot(wire: Wire, acknowledge: "Acknowledge") -> None:
    wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(snapshot_id=SECOND))
    acknowledge(1)


def restore(wire: Wire, acknowledge: "Acknowledge") -> None:
    wire.snapshots.RestoreSnapshot(pb.RestoreSnapshotRequest(snapshot_id=FIRST, agent_id=AGENT))
    acknowledge(1)


OPERATIONS = {"commit": commit, "snapshot": snapshot, "restore": restore}


class Acknowledge:
    """Appends numbers to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, number: int) -> None:
        with self._path.open("a") as file:
            file.write(f"{number}\n")


def main(operation: str, data: str, acknowledged: str, steps: str, number: str, error: str) -> None:
    daemon = InProcessDaemon("--data-dir", data, "--embedder", "none", "--no-snapshot-on-shutdown")
    daemon.start()
    with daemon.channel() as channel:
        Path(steps).with_name("trace").write_bytes(b"")
        file = os.open(steps, os.O_RDWR)
        os.pwrite(file, struct.pack("qqq", 0, int(number), int(error)), 0)
        os.close(file)
        with contextlib.suppress(grpc.RpcError):
            OPERATIONS[operation](Wire(channel), Acknowledge(Path(acknowledged)))
    # As a kill would: what a stop does is not the operation's.
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
