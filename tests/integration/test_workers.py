"""Several workers behind one port, as ``memoryd serve --workers`` runs them."""

import contextlib
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

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2_grpc as pb_grpc

WORKERS = 2


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, valkey: ValkeyServer) -> Iterator[Daemon]:
    """One that all tests may use that do not end it."""
    running = run(tmp_path_factory.mktemp("workers"), valkey, WORKERS)
    yield running
    running.close()


def run(directory: Path, valkey: ValkeyServer, count: int, *flags: str) -> Daemon:
    """A daemon with so many workers, all of which serve."""
    daemon = Daemon(directory, *shared(valkey), "--workers", str(count), *flags)
    daemon.start()
    until(lambda: len(serving(daemon)) == count, "all workers serve")
    return daemon


def shared(valkey: ValkeyServer) -> list[str]:
    """The flags of a store of its own."""
    url = with_options(valkey.url, prefix=f"workers-{os.urandom(4).hex()}", shards=4)
    return ["--store", url, "--durability", "journaled"]


def serving(daemon: Daemon) -> list[int]:
    """The processes that were begun and have not been told to have died, once as many serve."""
    begun = re.findall(r"worker started worker=\d+ pid=(\d+)", daemon.log)
    died = re.findall(r"worker died, replacing it worker=\d+ pid=(\d+)", daemon.log)
    if daemon.log.count(" serving listen=") < len(begun):
        return []
    return [int(pid) for pid in begun if pid not in died]


def stubs(daemon: Daemon) -> Iterator[pb_grpc.WorkingMemoryServiceStub]:
    """Connections, each of which the kernel gives to some worker."""
    while True:
        with insecure_channel(daemon.address) as channel:
            yield pb_grpc.WorkingMemoryServiceStub(channel)


def test_all_connections_find_one_memory(daemon: Daemon) -> None:
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


def test_health_is_one(daemon: Daemon) -> None:
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
        # The first daemon answers at the port, so that the second seems to have begun at once.
        second.start()
        assert second.wait() == 1
        assert "cannot listen on" in second.log


def test_one_command_ends_them_all_and_the_first_worker_writes_the_last_snapshot(
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


def test_workers_take_the_port_of_a_daemon_that_was_killed_with_its_connections(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with contextlib.closing(Daemon(tmp_path, *shared(valkey))) as daemon:
        daemon.start()
        host, port = daemon.address.split(":")
        with socket.create_connection((host, int(port))) as client:
            # The first of its settings: it has taken the connection.
            assert client.recv(1)
            daemon.kill()
            daemon.flags += ["--workers", "2"]
            daemon.start()
        assert daemon.stop() == 0


def test_a_port_of_the_metrics_that_is_taken_ends_the_daemon_before_a_worker_begins(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    with socket.socket() as taken:
        # Nobody but this test is at this address.
        taken.bind(("127.7.6.4", 0))
        taken.listen()
        host, port = taken.getsockname()
        flags = ["--workers", "2", "--metrics-listen", f"{host}:{port - 1}"]
        with contextlib.closing(Daemon(tmp_path, *shared(valkey), *flags)) as daemon:
            with pytest.raises(AssertionError, match="ended with 1"):
                daemon.start()
            assert f"metrics_listen: cannot listen on {host}:{port}" in daemon.log
            assert "worker started" not in daemon.log


def test_what_is_wrong_for_all_workers_is_told_once(tmp_path: Path) -> None:
    with contextlib.closing(Daemon(tmp_path, "--store", "redis://127.0.0.1/none", "--workers", "4")) as daemon:
        with pytest.raises(AssertionError, match="ended with 1"):
            daemon.start()
        assert daemon.log.count("memoryd: store: must have a database's number as its path") == 1
        assert daemon.log.count("worker failed to start") == 1


def test_what_a_former_daemon_left_of_snapshots_is_removed_and_what_is_being_written_is_not(
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
