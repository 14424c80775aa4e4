"""Failing storage of a running daemon: calls are refused with the reason, change nothing, and all others succeed."""

import contextlib
import resource
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.daemon import Daemon, insecure_channel
from tests.faults.small_storage import ROOM_BYTES, Release, small_disk, small_files
from tests.integration.watcher import Watcher
from tests.integration.wire import ABSENT, Memory, Refused, Wire, refused
from tests.wait import until

from memoryd.v1 import server_service_pb2 as server_pb
from memoryd_server.ports.store import Record
from memoryd_server.stores.sqlite.row import record_columns

VALUE = "x" * 20_000
DATA = "SELECT data FROM record WHERE agent_key = 1"


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that is not started yet."""
    daemon = Daemon(tmp_path, "--no-snapshot-on-shutdown")
    daemon.data_dir.mkdir(mode=0o700)
    yield daemon
    daemon.close()


@contextlib.contextmanager
def connected(daemon: Daemon) -> Iterator[Wire]:
    with insecure_channel(daemon.address) as channel:
        yield Wire(channel)


def database(daemon: Daemon) -> sqlite3.Connection:
    (path,) = daemon.data_dir.glob("*.db")
    return sqlite3.connect(path, isolation_level=None)


def fill(agent: Memory, values: dict[str, str]) -> None:
    """Set entries until one is refused, and record the acknowledged ones in ``values``."""
    while len(values) < 2 * ROOM_BYTES // len(VALUE):
        key = f"key-{len(values):04}"
        try:
            agent.set(key, VALUE)
        except grpc.RpcError:
            return
        values[key] = VALUE
    raise AssertionError("the disk never filled up")


@pytest.mark.whole
@pytest.mark.parametrize("limited", [small_disk, small_files])
def test_on_a_full_disk_writes_are_refused_while_reads_and_watches_work(
    stopped: Daemon, limited: Callable[[Path], contextlib.AbstractContextManager[Release]]
) -> None:
    daemon, values = stopped, dict[str, str]()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with limited(daemon.data_dir) as release:
        daemon.start()
        with connected(daemon) as wire, Watcher(wire, "a") as watcher:
            watcher.opened()
            agent = wire.agent("a")
            fill(agent, values)
            assert len(values) > 10
            for change in (
                lambda: agent.set("another", VALUE * 20),
                lambda: agent.write({f"batch-{number}": VALUE for number in range(20)}),
                lambda: wire.agent("b").set("first", VALUE * 20),
            ):
                refusal = refused(change)
                assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "STORAGE_FULL")
            assert agent.values() == values
            assert wire.agent("b").value("first") is ABSENT
            watcher.until_events(len(values))
            with Watcher(wire, "a", include_initial_state=True) as later:
                later.until_events(len(values))
            release()
            resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, before)
            agent.set("with room", VALUE)
            values["with room"] = VALUE
            watcher.until_events(len(values))
            assert [event.entry.key for event in watcher.events] == list(values)
            assert [event.revision for event in watcher.events] == list(range(1, len(values) + 1))
        daemon.kill()
        daemon.start()
        with connected(daemon) as wire:
            assert wire.agent("a").values() == values
        daemon.stop()


@pytest.mark.whole
@pytest.mark.parametrize("limited", [small_disk, small_files])
def test_a_full_disk_is_freed_through_the_api_and_the_daemon_says_so(
    stopped: Daemon, limited: Callable[[Path], contextlib.AbstractContextManager[Release]]
) -> None:
    daemon, values = stopped, dict[str, str]()

    def writable() -> int:
        return int(health_pb2_grpc.HealthStub(wire.channel).Check(request).status)

    def state() -> int:
        return int(wire.server.GetServerInfo(server_pb.GetServerInfoRequest()).state)

    request = health_pb2.HealthCheckRequest(service="memoryd.v1.Writes")
    with limited(daemon.data_dir):
        daemon.start()
        with connected(daemon) as wire:
            agent = wire.agent("a")
            assert (state(), writable()) == (server_pb.SERVER_STATE_SERVING, health_pb2.HealthCheckResponse.SERVING)
            refused_together = 0
            while refused_together < 5:
                key = f"key-{len(values):04}"
                try:
                    agent.set(key, VALUE)
                except grpc.RpcError:
                    refused_together += 1
                else:
                    values[key], refused_together = VALUE, 0
            until(lambda: state() == server_pb.SERVER_STATE_READ_ONLY, "the daemon reports the full store")
            assert writable() == health_pb2.HealthCheckResponse.NOT_SERVING
            whole = health_pb2_grpc.HealthStub(wire.channel).Check(health_pb2.HealthCheckRequest())
            assert whole.status == health_pb2.HealthCheckResponse.SERVING
            for key in list(values)[:3]:
                agent.remove(key)
                del values[key]
            assert agent.values() == values
            agent.clear()
            until(lambda: state() == server_pb.SERVER_STATE_SERVING, "there is room again")
            assert writable() == health_pb2.HealthCheckResponse.SERVING
            agent.set("with room", VALUE)
        daemon.stop()
    lines = [line for line in daemon.log.splitlines() if " ERROR " in line or " WARNING " in line]
    assert any("storage full: only removals are accepted" in line for line in lines)
    assert len(lines) < 10, lines


@pytest.mark.whole
def test_writes_are_unavailable_while_another_process_locks_the_database(stopped: Daemon) -> None:
    stopped.start()
    with connected(stopped) as wire:
        agent = wire.agent("a")
        agent.set("key", 1)
        other = database(stopped)
        other.execute("BEGIN IMMEDIATE")
        refusal = refused(lambda: agent.set("key", 2))
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
        assert refusal.retry_ms
        assert agent.value("key") == 1
        other.execute("ROLLBACK")
        other.close()
        assert agent.set("key", 3).revision == 2
        assert agent.value("key") == 3


def test_a_damaged_record_makes_no_other_agent_unavailable(stopped: Daemon) -> None:
    def damage(connection: sqlite3.Connection) -> None:
        ((data,),) = connection.execute(DATA)
        connection.execute("UPDATE record SET data = ? WHERE agent_key = 1", (data[:-1] + bytes([data[-1] ^ 1]),))

    refusal = refused_after(stopped, damage)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "DATA_DAMAGED")


def test_a_record_that_vanished_is_reported_as_damage(stopped: Daemon) -> None:
    def remove(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM record WHERE agent_key = 1")

    refusal = refused_after(stopped, remove)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "DATA_DAMAGED")


def test_a_record_of_a_newer_version_is_refused_and_kept(stopped: Daemon) -> None:
    def renew(connection: sqlite3.Connection) -> None:
        ((data,),) = connection.execute(DATA)
        newer = bytes([data[0] + 1]) + data[1:]
        checksum = record_columns(1, Record("entry", "/key", newer))[-1]
        connection.execute("UPDATE record SET data = ?, checksum = ? WHERE agent_key = 1", (newer, checksum))

    refusal = refused_after(stopped, renew)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SCHEMA_TOO_NEW")


def refused_after(daemon: Daemon, sabotage: Callable[[sqlite3.Connection], None]) -> Refused:
    """Change an agent's only record behind the daemon's back, and return the refusal of the calls that need it."""
    daemon.start()
    with connected(daemon) as wire:
        wire.agent("a").set("key", VALUE)
        wire.agent("b").set("key", "whole")
    daemon.stop()
    with contextlib.closing(database(daemon)) as connection:
        sabotage(connection)
        before = list(connection.execute(DATA))
    daemon.start()
    with connected(daemon) as wire:
        agent = wire.agent("a")
        refusal = refused(lambda: agent.get("key"))
        assert refused(lambda: agent.set("key", 1)) == refusal
        assert wire.agent("b").value("key") == "whole"
        assert wire.agent("b").set("key", 1).revision == 2
    daemon.stop()
    with contextlib.closing(database(daemon)) as connection:
        assert list(connection.execute(DATA)) == before
    return refusal
