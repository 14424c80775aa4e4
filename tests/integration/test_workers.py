"""Several workers on one port, by ``memoryd serve --workers``."""

import contextlib
import itertools
import json
import os
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.daemon import Daemon, insecure_channel
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import server_service_pb2_grpc as server_pb_grpc
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2_grpc as pb_grpc

WORKERS = 2


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, valkey: ValkeyServer) -> Iterator[Daemon]:
    """A daemon with workers, for all tests that do not end it."""
    running = run(tmp_path_factory.mktemp("workers"), valkey, WORKERS)
    yield running
    running.close()


def run(directory: Path, valkey: ValkeyServer, count: int, *flags: str) -> Daemon:
    """Start a daemon with ``count`` workers, and return it once all serve."""
    daemon = Daemon(directory, *shared(valkey), "--workers", str(count), *flags)
    daemon.start()
    until(lambda: len(serving(daemon)) == count, "all workers serve")
    return daemon


def shared(valkey: ValkeyServer) -> list[str]:
    """Return the flags of a new shared store."""
    url = with_options(valkey.url, prefix=f"workers-{os.urandom(4).hex()}", shards=4)
    return ["--store", url, "--durability", "journaled"]


def serving(daemon: Daemon) -> list[int]:
    """Return the ids of the running workers by the log; none until all that were started serve."""
    begun = re.findall(r"worker started worker=\d+ pid=(\d+)", daemon.log)
    died = re.findall(r"worker died, replacing it worker=\d+ pid=(\d+)", daemon.log)
    if daemon.log.count(" serving listen=") < len(begun):
        return []
    return [int(pid) for pid in begun if pid not in died]


def stubs(daemon: Daemon) -> Iterator[pb_grpc.WorkingMemoryServiceStub]:
    """Yield the stubs of new connections, each of which the kernel assigns to some worker."""
    while True:
        with insecure_channel(daemon.address) as channel:
            yield pb_grpc.WorkingMemoryServiceStub(channel)


@pytest.mark.whole
def test_all_workers_serve_one_memory(daemon: Daemon) -> None:
    connections = stubs(daemon)
    for number in range(24):
        next(connections).SetEntry(pb.SetEntryRequest(agent_id="ann", key=f"k{number}", value_json=str(number)))
        answer = next(connections).GetEntry(pb.GetEntryRequest(agent_id="ann", key=f"k{number}"))
        assert (answer.entry.value_json, answer.revision) == (str(number), number + 1)
    assert daemon.log.count("working memory initialized agent_id=ann") == 1


def test_a_worker_that_is_killed_is_replaced_while_the_others_serve(daemon: Daemon) -> None:
    victim, *others = serving(daemon)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(serving(daemon)) == WORKERS and victim not in serving(daemon), "the worker is replaced")
    assert set(others) < set(serving(daemon))
    connections = stubs(daemon)
    for _ in range(12):
        request = pb.ContainsEntryRequest(agent_id="ann", key="k")
        next(connections).ContainsEntry(request, timeout=WAIT_S_MAX, wait_for_ready=True)


def test_every_worker_reports_the_same_health(daemon: Daemon) -> None:
    for _ in range(8):
        with insecure_channel(daemon.address) as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
            assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_a_second_daemon_on_the_port_is_refused_with_workers_or_without(
    daemon: Daemon, tmp_path: Path, valkey: ValkeyServer
) -> None:
    for flags in ([], ["--workers", "2"]):
        second = Daemon(tmp_path / "second", "--store", valkey.url, *flags)
        second.directory.mkdir(exist_ok=True)
        second.address = daemon.address
        # The first daemon accepts connections on the port, so that the second seems to have started at once.
        second.start()
        assert second.wait() == 1
        assert "cannot listen on" in second.log


def test_one_signal_ends_all_workers_and_the_first_one_writes_the_snapshot(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    running = run(tmp_path, valkey, WORKERS, "--snapshot-on-shutdown")
    workers = serving(running)
    request = pb.SetEntryRequest(agent_id="ann", key="k", value_json="1")
    with insecure_channel(running.address) as channel:
        pb_grpc.WorkingMemoryServiceStub(channel).SetEntry(request)
    assert running.stop() == 0
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert len([path for path in (running.data_dir / "snapshots").iterdir() if path.suffix != ".info"]) == 1


def test_workers_listen_on_the_port_of_a_daemon_that_was_killed_with_open_connections(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with contextlib.closing(Daemon(tmp_path, *shared(valkey))) as daemon:
        daemon.start()
        host, port = daemon.address.split(":")
        with socket.create_connection((host, int(port))) as client:
            # The first byte of the HTTP/2 settings: the daemon has accepted the connection.
            client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            assert client.recv(1)
            daemon.kill()
            daemon.flags += ["--workers", "2"]
            daemon.start()
        assert daemon.stop() == 0


def test_a_metrics_port_that_is_in_use_ends_the_daemon_before_a_worker_starts(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with socket.socket() as taken:
        # Only this test uses this address.
        taken.bind(("127.7.6.4", 0))
        taken.listen()
        host, port = taken.getsockname()
        flags = ["--workers", "2", "--metrics-listen", f"{host}:{port - 1}"]
        with contextlib.closing(Daemon(tmp_path, *shared(valkey), *flags)) as daemon:
            with pytest.raises(AssertionError, match="ended with 1"):
                daemon.start()
            assert f"metrics_listen: cannot listen on {host}:{port}" in daemon.log
            assert "worker started" not in daemon.log


def test_an_error_of_all_workers_is_printed_once(tmp_path: Path) -> None:
    with contextlib.closing(Daemon(tmp_path, "--store", "redis://127.0.0.1/none", "--workers", "4")) as daemon:
        with pytest.raises(AssertionError, match="ended with 1"):
            daemon.start()
        assert daemon.log.count("memoryd: store: must have a database's number as its path") == 1
        assert daemon.log.count("worker failed to start") == 1


def test_partial_snapshots_of_an_earlier_daemon_are_removed_but_not_those_being_written(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    snapshots = tmp_path / "data" / "snapshots"
    snapshots.mkdir(parents=True)
    (snapshots / ".incoming-1").touch()
    with contextlib.closing(run(tmp_path, valkey, WORKERS)) as running:
        assert not (snapshots / ".incoming-1").exists()
        (snapshots / ".incoming-2").touch()
        first = serving(running)[0]
        os.kill(first, signal.SIGKILL)
        until(lambda: len(serving(running)) == WORKERS and first not in serving(running), "the worker is replaced")
        assert (snapshots / ".incoming-2").exists()
        assert running.stop() == 0


def test_the_records_of_all_workers_are_in_one_audit_log_and_in_the_stream_of_each(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    path = tmp_path / "audit.log"
    with contextlib.closing(run(tmp_path, valkey, WORKERS, "--audit-log", str(path))) as running:
        with insecure_channel(running.address) as channel:
            watch = server_pb_grpc.ServerServiceStub(channel).WatchAudit(
                server_pb.WatchAuditRequest(), timeout=WAIT_S_MAX
            )
            assert not next(watch).HasField("record")
            count = 0
            # Each connection is to some worker: after enough of them, to all.
            for stub in itertools.islice(stubs(running), 16):
                stub.SetEntry(pb.SetEntryRequest(agent_id="a", key=f"k{count}", value_json="1", request_id=f"r{count}"))
                count += 1
            expected = {f"r{number}" for number in range(count)}
            seen: set[str] = set()
            while seen < expected:
                seen.add(next(watch).record.request_id)
                seen.discard("")
            assert seen == expected
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert {each["request_id"] for each in lines if "request_id" in each} == expected
