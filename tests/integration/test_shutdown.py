"""Shutdown: calls and watches end, the snapshot is written, and nothing acknowledged is lost."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from tests.daemon import Daemon
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, code_of, details_of
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import snapshot_pb2
from memoryd.v1 import snapshot_service_pb2 as snapshot_service_pb
from memoryd.v1 import working_memory_service_pb2 as pb

Connect = Callable[[Daemon], Wire]


def shutdown_snapshots(wire: Wire) -> list[snapshot_pb2.Snapshot]:
    request = snapshot_service_pb.ListSnapshotsRequest()
    snapshots = wire.snapshots.ListSnapshots(request).snapshots
    return [each for each in snapshots if each.trigger == snapshot_pb2.SNAPSHOT_TRIGGER_SHUTDOWN]


def test_sigterm_exits_with_0_and_writes_a_snapshot_and_loses_nothing(daemon: Daemon, connect: Connect) -> None:
    """DC-03."""
    agent = connect(daemon).agent()
    agent.write({"a": 1, "b": 2})
    assert daemon.stop() == 0
    assert "Traceback" not in daemon.log
    daemon.start()
    wire = connect(daemon)
    assert wire.agent(agent.id).values() == {"a": 1, "b": 2}
    (snapshot,) = shutdown_snapshots(wire)
    assert (snapshot.agent_id, snapshot.agent_count, snapshot.record_count) == ("", 1, 2)


def test_a_draining_daemon_ends_watches_with_a_last_progress_and_unavailable(daemon: Daemon, connect: Connect) -> None:
    """Rule 6."""
    wire = connect(daemon)
    agent = wire.agent()
    watchers = [Watcher(wire, agent.id).opened(), Watcher(wire).opened()]
    last = agent.set("key").revision
    assert daemon.stop() == 0
    for watcher in watchers:
        refusal = watcher.refused()
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        assert refusal.retry_ms is not None
        assert refusal.retry_ms > 0
        assert [event.revision for event in watcher.events] == [last]
        assert watcher.messages[-1].phase == event_pb.WATCH_PHASE_PROGRESS
        assert watcher.messages[-1].resume_token


def test_calls_in_flight_end_and_new_ones_are_refused_with_a_retry_delay(daemon: Daemon, connect: Connect) -> None:
    """A wait for a reservation ends with the present outcome; writes are acknowledged, or refused with RetryInfo."""
    wire = connect(daemon)
    agent = wire.agent()
    agent.reserve("key", lease_duration=Duration(seconds=600))
    request = pb.ReserveEntryRequest(agent_id=agent.id, key="key", wait_duration=Duration(seconds=60))
    waiting: Any = wire.memory.ReserveEntry.future(request)
    assert agent.reserve("key", wait_duration=Duration()).outcome == pb.RESERVE_OUTCOME_HELD
    refusals: list[Any] = []
    acknowledged: list[str] = []

    def write() -> None:
        for index in range(100_000):
            try:
                agent.set(f"key-{index}")
            except grpc.RpcError as error:
                refusals.append(error)
                return
            acknowledged.append(f"key-{index}")

    writers = [threading.Thread(target=write)]
    writers[0].start()
    until(lambda: len(acknowledged) >= 20, "calls are in flight")
    assert daemon.stop() == 0
    for writer in writers:
        writer.join()
    assert waiting.result().outcome == pb.RESERVE_OUTCOME_HELD
    (error,) = refusals
    # gRPC itself refuses a call that arrives while it stops, without details: the daemon never sees that call.
    assert code_of(error) in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
    if error.trailing_metadata():
        details = details_of(error)
        assert (details.reason, bool(details.retry_ms)) == ("DRAINING", True)
    daemon.start()
    assert connect(daemon).agent(agent.id).values().keys() == set(acknowledged)


def endless_upload(agent: Memory, ends: threading.Event) -> Iterator[document_pb.UploadDocumentRequest]:
    """Yield the messages of an upload that lasts until ``ends`` is set."""
    yield document_pb.UploadDocumentRequest(header=document_pb.UploadDocumentHeader(agent_id=agent.id, create={}))
    yield document_pb.UploadDocumentRequest(data=b"The fox")
    ends.wait(WAIT_S_MAX)


def filled(agent: Memory) -> dict[str, int]:
    """Make the agent so large that its snapshot takes a while; return small values to set next."""
    for index in range(10):
        agent.set(f"large-{index}", os.urandom(300_000).hex())
    return {f"last-{index}": index for index in range(20)}


@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_a_second_sigterm_skips_the_snapshot_and_loses_nothing(
    launch_process: Callable[..., Daemon], connect: Connect, durability: str
) -> None:
    daemon = launch_process("--durability", durability, "--drain-timeout", f"{WAIT_S_MAX}s")
    agent = connect(daemon).agent()
    last = filled(agent)
    for key, value in last.items():
        agent.set(key, value)
    # While a call is in flight, the daemon drains, and has not begun the snapshot.
    ends = threading.Event()
    uploading: Any = agent.wire.documents.UploadDocument.future(endless_upload(agent, ends))
    until(lambda: list((daemon.data_dir / "uploads").iterdir()), "the upload is under way")
    os.kill(daemon.pid, signal.SIGTERM)
    until(lambda: "draining" in daemon.log, "the daemon drains")
    os.kill(daemon.pid, signal.SIGTERM)
    uploading.cancel()
    ends.set()
    assert daemon.wait() == 0
    daemon.start()
    wire = connect(daemon)
    assert wire.agent(agent.id).values(filter={"entry": {"key_prefixes": ["last-"]}}) == last
    assert shutdown_snapshots(wire) == []


def test_no_snapshot_is_written_with_no_snapshot_on_shutdown(
    launch_process: Callable[..., Daemon], connect: Connect
) -> None:
    daemon = launch_process("--no-snapshot-on-shutdown")
    connect(daemon).agent().set("key")
    assert daemon.stop() == 0
    daemon.start()
    assert shutdown_snapshots(connect(daemon)) == []


@pytest.mark.parametrize("store", ["sqlite", "memory"])
def test_a_store_of_one_daemon_gets_a_snapshot_at_shutdown_by_default(
    launch_process: Callable[..., Daemon], connect: Connect, store: str
) -> None:
    daemon = launch_process("--store", store)
    assert daemon.stop() == 0
    daemon.start()
    assert len(shutdown_snapshots(connect(daemon))) == 1


def test_sigint_stops_the_daemon_as_sigterm_does(launch_process: Callable[..., Daemon], connect: Connect) -> None:
    daemon = launch_process("--durability", "memory")
    os.kill(daemon.pid, signal.SIGINT)
    assert daemon.wait() == 0
    assert "stopped" in daemon.log


def test_a_hangup_is_logged_and_changes_nothing(launch_process: Callable[..., Daemon], connect: Connect) -> None:
    daemon = launch_process("--durability", "memory")
    for _ in range(2):
        daemon.signal(signal.SIGHUP)
    until(lambda: "SIGHUP ignored" in daemon.log, "the signal is logged")
    assert connect(daemon).agent().set("key").revision == 1
    assert daemon.stop() == 0


def test_a_hangup_while_the_daemon_starts_does_not_end_it(tmp_path: Path) -> None:
    memoryd = Path(sys.executable).with_name("memoryd")
    command = [memoryd, "serve", "--listen", "127.0.0.1:0", "--data-dir", tmp_path / "data"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        lock = tmp_path / "data" / "lock"
        until(lock.exists, "the daemon has begun to start")
        process.send_signal(signal.SIGHUP)
        assert process.stderr is not None
        assert any(" serving " in line for line in process.stderr)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_S_MAX) == 0
