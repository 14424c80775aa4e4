"""Operations that are interrupted at each of their steps, and what must be there afterwards.

An operation runs in a process of its own, on a copy of what ``Prepared`` has. A step is a call of the system that
changes a file: what a kill or a failure between two of them leaves is all that it can leave.
"""

import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
from tests.daemon import COMMAND, Daemon
from tests.faults.machine import Faults, Steps
from tests.in_process import InProcess
from tests.integration.wire import Memory, Wire
from tests.wait import WAIT_S_MAX

from memoryd.v1 import snapshot_service_pb2 as pb

AGENT, OTHER = "steps", "other"
FIRST, SECOND = "first", "second"
IN_SNAPSHOT = {"a": -1, "b": -1, "only-then": 1}
BEFORE = {"a": 0, "b": 0}
OF_OTHER = {f"k{number}": number for number in range(20)}
_QUICK = ("--embedder", "none", "--no-snapshot-on-shutdown")


class Prepared:
    """A data directory with two agents and a snapshot, a backup of it, and a daemon that serves a copy."""

    def __init__(self, directory: Path) -> None:
        self.data = directory / "data"
        self.backup = directory / "backup"
        self.daemon = Daemon(directory, *_QUICK)
        self.daemon.start()
        with self.daemon.channel() as channel:
            wire = Wire(channel)
            Memory(wire, OTHER).write(OF_OTHER)
            agent = Memory(wire, AGENT)
            agent.write(IN_SNAPSHOT)
            wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(snapshot_id=FIRST))
            self.run("backup", "create", "--to", self.backup)
            agent.remove("only-then")
            agent.write(BEFORE)
        self.daemon.stop()
        self.daemon.data_dir = shutil.copytree(self.data, directory / "served")
        self.daemon.start()

    def run(self, *arguments: str | Path) -> None:
        """Run a command against the daemon; it must succeed."""
        done = run(self.daemon.address, {}, *arguments)
        assert done.returncode == 0, done.stderr

    def close(self) -> None:
        """End the daemon."""
        self.daemon.close()


class Interrupted(NamedTuple):
    """An operation that was interrupted, in ``directory``; ``acknowledged`` is the last number that it acknowledged."""

    prepared: Prepared
    directory: Path
    code: int
    acknowledged: int

    @property
    def data(self) -> Path:
        """The copy of the prepared data directory."""
        return self.directory / "data"


class Operation(NamedTuple):
    """``command`` returns the command line of an operation; None if step_victim.py carries it out.

    ``check`` asserts what must be there afterwards, in everything that is promised.
    """

    name: str
    command: Callable[[Prepared, Path], list[str | Path]] | None
    check: Callable[[Interrupted], None]


def run(address: str, environment: dict[str, str], *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run ``memoryd`` as an operator does."""
    return subprocess.run(
        [COMMAND, *arguments],
        env={**environment, "MEMORYD_ADDRESS": address, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=WAIT_S_MAX,
        check=False,
    )


def interrupt(
    operation: Operation, prepared: Prepared, faults: Faults, directory: Path, number: int, error: int
) -> tuple[Interrupted, list[str]]:
    """Carry an operation out, up to a step that kills it or fails. Return what is left, and the steps that it made."""
    work = directory / "work"
    shutil.copytree(prepared.data, work / "data")
    shutil.copytree(prepared.backup, work / "backup")
    acknowledged = directory / "acknowledged"
    acknowledged.touch()
    steps = Steps(faults, work)
    steps.arm(number if operation.command else 0, error)
    if operation.command is not None:
        arguments = operation.command(prepared, work)
        done = run(prepared.daemon.address, steps.environment, *arguments)
        if done.returncode == 0:
            acknowledged.write_text("1\n")
    else:
        victim = Path(__file__).with_name("step_victim.py")
        command = [sys.executable, victim, operation.name, work / "data", acknowledged, faults.directory / "steps"]
        done = subprocess.run(
            [*command, str(number), str(error)],
            env={**steps.environment, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            timeout=WAIT_S_MAX,
            check=False,
        )
    numbers = [int(line) for line in acknowledged.read_text().split()]
    assert "Traceback" not in done.stderr, done.stderr
    return Interrupted(prepared, work, done.returncode, max(numbers, default=0)), steps.names


def _served(data: Path, check: Callable[[Wire], None]) -> None:
    """Start a daemon on data that an operation left, check it, and write to it."""
    daemon = InProcess(data.parent, *_QUICK)
    daemon.start()
    try:
        with daemon.channel() as channel:
            wire = Wire(channel)
            check(wire)
            assert Memory(wire, OTHER).values() == OF_OTHER
            Memory(wire, "later").set("key")
    finally:
        daemon.close()


def _check_commit(left: Interrupted) -> None:
    def check(wire: Wire) -> None:
        held = Memory(wire, AGENT).values()
        assert held in ({"a": number, "b": number} for number in (left.acknowledged, left.acknowledged + 1)), held

    _served(left.data, check)


def _check_snapshot(left: Interrupted) -> None:
    def check(wire: Wire) -> None:
        assert Memory(wire, AGENT).values() == BEFORE
        listed = wire.snapshots.ListSnapshots(pb.ListSnapshotsRequest(page_size=9)).snapshots
        ids = {each.snapshot_id for each in listed}
        assert ids == {FIRST, SECOND} or (ids == {FIRST} and not left.acknowledged), ids
        # A listing leaves out what is damaged.
        names = {path.name for path in (left.data / "snapshots").iterdir() if path.suffix != ".info"}
        assert names == {f"{each}.snapshot" for each in ids}, names
        if SECOND not in ids:
            wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(snapshot_id=SECOND))
        for snapshot_id, values in ((FIRST, IN_SNAPSHOT), (SECOND, BEFORE)):
            _restore(wire, snapshot_id)
            _equal(Memory(wire, AGENT).values(), values)

    _served(left.data, check)


def _check_restore(left: Interrupted) -> None:
    def check(wire: Wire) -> None:
        held = Memory(wire, AGENT).values()
        assert held == IN_SNAPSHOT or (held == BEFORE and not left.acknowledged), held
        _restore(wire, FIRST)
        _equal(Memory(wire, AGENT).values(), IN_SNAPSHOT)

    _served(left.data, check)


def _restore(wire: Wire, snapshot_id: str) -> None:
    wire.snapshots.RestoreSnapshot(pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=AGENT))


def _migration(_: Prepared, work: Path) -> list[str | Path]:
    return ["migrate", "--from", f"sqlite:{work / 'data'}", "--to", f"sqlite:{work / 'target' / 'data'}"]


def _check_migration(left: Interrupted) -> None:
    again = run("", {}, *_migration(left.prepared, left.directory))
    assert again.returncode == 0, again.stderr
    for data in (left.data, left.directory / "target" / "data"):
        _served(data, lambda wire: _equal(Memory(wire, AGENT).values(), BEFORE))


def _equal(found: dict[str, object], expected: dict[str, int]) -> None:
    assert found == expected, found


def _backup(_: Prepared, work: Path) -> list[str | Path]:
    return ["backup", "create", "--to", work / "backup"]


def _check_backup(left: Interrupted) -> None:
    backup = left.directory / "backup"
    # What was there before is whole, whatever the interrupted run left.
    verified = run("", {}, "backup", "verify", backup)
    assert verified.returncode == 0, verified.stderr
    again = run(left.prepared.daemon.address, {}, *_backup(left.prepared, left.directory))
    assert again.returncode == 0, again.stderr
    compared = run(left.prepared.daemon.address, {}, "backup", "verify", backup, "--compare")
    assert compared.returncode == 0, compared.stderr


def _restoration(_: Prepared, work: Path) -> list[str | Path]:
    return ["backup", "restore", work / "backup", "--data-dir", work / "restored" / "data"]


def _check_restoration(left: Interrupted) -> None:
    target = left.directory / "restored" / "data"
    again = run("", {}, *_restoration(left.prepared, left.directory))
    # What a finished run filled is refused.
    assert again.returncode == 0 or "is not empty" in again.stderr, again.stderr
    _served(target, lambda wire: _equal(Memory(wire, AGENT).values(), IN_SNAPSHOT))


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("commit", None, _check_commit),
        Operation("snapshot", None, _check_snapshot),
        Operation("restore", None, _check_restore),
        Operation("migrate", _migration, _check_migration),
        Operation("backup", _backup, _check_backup),
        Operation("backup-restore", _restoration, _check_restoration),
    )
}


class Broken(msgspec.Struct, frozen=True):
    """A step after which something was not as promised."""

    operation: str
    number: int
    step: str
    error: int
    problem: str


def try_steps(
    operation: Operation, prepared: Prepared, faults: Faults, directory: Path, errors: tuple[int, ...], every: int
) -> tuple[int, list[Broken]]:
    """Interrupt an operation at every Nth step by each fault. Return how many were reached, and what was wrong.

    Two runs need not make equally many steps, as some depend on the time: one may end before it reaches a late step.
    """
    whole, names = interrupt(operation, prepared, faults, directory / "whole", 0, 0)
    operation.check(whole)
    assert whole.acknowledged
    assert names
    broken, count = [], 0
    for error in errors:
        for number in range(1, len(names) + 1, every):
            place = directory / f"{error}-{number}"
            try:
                left, made = interrupt(operation, prepared, faults, place, number, error)
                reached = len(made) >= number
                assert reached or left.acknowledged, "it neither reached the step nor succeeded"
                operation.check(left)
                count += reached
            except Exception as failure:  # noqa: BLE001 - a command that hangs or a daemon that does not start is found, too
                broken.append(Broken(operation.name, number, names[number - 1], error, _problem_of(failure)))
            shutil.rmtree(place, ignore_errors=True)
    return count, broken


def _problem_of(failure: Exception) -> str:
    """Return what failed and where: an assertion alone may say nothing."""
    place = [frame for frame in traceback.extract_tb(failure.__traceback__) if frame.filename == __file__][-1]
    return f"{type(failure).__name__} in {place.name}, line {place.lineno}: {failure}"[:300]
