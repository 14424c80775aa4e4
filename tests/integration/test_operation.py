"""Operations over the wire: long work that no call waits for."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.summary_endpoint import SummaryEndpoint
from tests.integration.test_summary_endpoint import Talk
from tests.integration.wire import Wire, code_of, refused
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import error_reason_pb2, record_pb2
from memoryd.v1 import operation_pb2 as operation
from memoryd.v1 import operation_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb

Launch = Callable[..., AnyDaemon]
Connect = Callable[[Any], Wire]


def start(wire: Wire, operation_id: str = "o", **request: Any) -> operation.Operation:
    return wire.operations.StartOperation(pb.StartOperationRequest(operation_id=operation_id, **request)).operation


def end(wire: Wire, operation_id: str = "o") -> operation.Operation:
    request = pb.WaitOperationRequest(operation_id=operation_id, wait_duration=Duration(seconds=60))
    ended = wire.operations.WaitOperation(request).operation
    assert ended.state != operation.OPERATION_STATE_RUNNING
    return ended


@pytest.fixture
def large(launch: Launch, connect: Connect) -> tuple[AnyDaemon, Wire]:
    """A daemon whose snapshot takes much longer than a call: some hundred agents, whose values do not compress."""
    daemon = launch("--durability", "memory")
    wire = connect(daemon)
    for number in range(300):
        wire.agent(f"agent-{number:03d}").set("key", os.urandom(250_000).hex())
    return daemon, wire


def files(daemon: AnyDaemon) -> list[Path]:
    return list((daemon.data_dir / "snapshots").iterdir())


def test_a_large_snapshot_is_cancelled_midway_and_leaves_no_file(large: tuple[AnyDaemon, Wire]) -> None:
    daemon, wire = large
    request = snapshot_pb.CreateSnapshotRequest(snapshot_id="large")
    wire.operations.StartOperation(pb.StartOperationRequest(operation_id="o", create_snapshot=request))
    states = []
    for response in wire.operations.WatchOperation(pb.WatchOperationRequest(operation_id="o")):
        states.append(response.operation)
        if response.operation.progress.done_count:
            cancelling = wire.operations.CancelOperation(pb.CancelOperationRequest(operation_id="o"))
            assert cancelling.operation.cancel_requested
    last = states[-1]
    assert (last.state, last.WhichOneof("response")) == (operation.OPERATION_STATE_CANCELLED, None)
    assert (last.progress.kind, last.progress.total_count) == (record_pb2.RECORD_KIND_AGENT, 300)
    assert 0 < last.progress.done_count < 300
    assert files(daemon) == []
    listing = wire.snapshots.ListSnapshots(snapshot_pb.ListSnapshotsRequest())
    assert not listing.snapshots
    start(wire, "again", create_snapshot=request)
    done = end(wire, "again")
    assert (done.state, done.create_snapshot.snapshot.agent_count) == (operation.OPERATION_STATE_SUCCEEDED, 300)
    assert (done.progress.done_count, done.progress.total_count) == (300, 300)


def test_a_cancelled_restore_of_all_agents_leaves_what_its_progress_counts(large: tuple[AnyDaemon, Wire]) -> None:
    _, wire = large
    wire.snapshots.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(snapshot_id="s"))
    for number in range(300):
        wire.agent(f"agent-{number:03d}").set("key", "changed")
    start(wire, restore_snapshot=snapshot_pb.RestoreSnapshotRequest(snapshot_id="s"))
    for response in wire.operations.WatchOperation(pb.WatchOperationRequest(operation_id="o")):
        if response.operation.progress.done_count:
            wire.operations.CancelOperation(pb.CancelOperationRequest(operation_id="o"))
    cancelled = end(wire)
    assert cancelled.state == operation.OPERATION_STATE_CANCELLED
    restored = sum(wire.agent(f"agent-{number:03d}").value("key") != "changed" for number in range(300))
    # The change that was being committed when the cancellation came is committed, and may not be counted.
    assert cancelled.progress.done_count <= restored <= cancelled.progress.done_count + 1 < 300


@pytest.fixture
def endpoint() -> Iterator[SummaryEndpoint]:
    with SummaryEndpoint() as running:
        yield running


class Held:
    """A daemon with an operation "o" that waits for a model."""

    def __init__(self, launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, *flags: str) -> None:
        self.daemon = launch_process("--summary-url", endpoint.url, "--summary-model", "m", *flags)
        self._endpoint = endpoint

    def start(self, wire: Wire) -> Talk:
        talk = Talk(wire)
        talk.append("one", "two", "three")
        self._endpoint.gate.clear()
        self._endpoint.asked.clear()
        start(wire, compact_messages=talk.request(request_id="r1"))
        assert self._endpoint.asked.wait(WAIT_S_MAX)
        return talk

    def drain(self) -> None:
        self.daemon.signal(signal.SIGTERM)
        until(lambda: "draining" in self.daemon.log, "the daemon drains while the operation runs")


def test_a_shutdown_waits_for_an_operation(
    launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, connect: Connect
) -> None:
    held = Held(launch_process, endpoint, "--drain-timeout", "120s")
    wire = connect(held.daemon)
    talk = held.start(wire)
    held.drain()
    endpoint.gate.set()
    assert held.daemon.wait() == 0
    held.daemon.start()
    wire = connect(held.daemon)
    assert Talk(wire, talk.agent_id).contents() == ["three"]
    forgotten = refused(lambda: wire.operations.GetOperation(pb.GetOperationRequest(operation_id="o")))
    assert (forgotten.code, forgotten.reason) == (grpc.StatusCode.NOT_FOUND, "OPERATION_NOT_FOUND")
    assert forgotten.own_metadata == {"operation_id": "o"}
    # The request_id of the request makes starting again safe: its first result is returned.
    start(wire, compact_messages=Talk(wire, talk.agent_id).request(request_id="r1"))
    assert end(wire).compact_messages.deleted_message_count == 2


def test_a_shutdown_stops_an_operation_that_takes_too_long(
    launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, connect: Connect
) -> None:
    held = Held(launch_process, endpoint, "--drain-timeout", "0s")  # time: none is what it tries
    wire = connect(held.daemon)
    talk = held.start(wire)
    watch: Any = wire.operations.WatchOperation(pb.WatchOperationRequest(operation_id="o"))
    assert next(watch).operation.state == operation.OPERATION_STATE_RUNNING
    held.drain()
    (last,) = (response.operation for response in watch)
    assert (last.state, last.error.reason) == (
        operation.OPERATION_STATE_FAILED,
        error_reason_pb2.ERROR_REASON_DRAINING,
    )
    assert held.daemon.wait() == 0
    endpoint.gate.set()
    held.daemon.start()
    assert Talk(connect(held.daemon), talk.agent_id).contents() == ["one", "two", "three"]


def test_the_number_of_running_operations_is_limited(
    launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, connect: Connect
) -> None:
    held = Held(launch_process, endpoint, "--limit-concurrent-operations", "1")
    wire = connect(held.daemon)
    held.start(wire)
    wire.agent("a").set("key")
    request = snapshot_pb.CreateSnapshotRequest(agent_id="a")
    refusal = refused(lambda: start(wire, "second", create_snapshot=request))
    assert (refusal.reason, refusal.own_metadata) == ("OVERLOADED", {"limit": "concurrent_operations", "value": "1"})
    wire.operations.CancelOperation(pb.CancelOperationRequest(operation_id="o"))
    assert end(wire).state == operation.OPERATION_STATE_CANCELLED
    start(wire, "second", create_snapshot=request)
    assert end(wire, "second").state == operation.OPERATION_STATE_SUCCEEDED
    endpoint.gate.set()


def test_a_wait_that_exceeds_its_deadline_does_not_end_the_operation(
    launch_process: Callable[..., Daemon], endpoint: SummaryEndpoint, connect: Connect
) -> None:
    held = Held(launch_process, endpoint)
    wire = connect(held.daemon)
    held.start(wire)
    with pytest.raises(grpc.RpcError) as late:
        wire.operations.WaitOperation(pb.WaitOperationRequest(operation_id="o"), timeout=0.2)  # time: it must expire
    assert code_of(late.value) is grpc.StatusCode.DEADLINE_EXCEEDED
    assert wire.operations.GetOperation(pb.GetOperationRequest(operation_id="o")).operation.state == (
        operation.OPERATION_STATE_RUNNING
    )
    endpoint.gate.set()
    assert end(wire).state == operation.OPERATION_STATE_SUCCEEDED
