"""The Valkey servers on which other tests rely behave as those tests assume."""

import os
import select
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.valkey import binary
from tests.valkey.cluster import ValkeyCluster
from tests.valkey.link import Refusal
from tests.valkey.relay import TlsRelay
from tests.valkey.sentinel import ValkeySentinel
from tests.valkey.server import ValkeyServer
from tests.wait import until

pytest_plugins = ["tests.valkey.fixture"]
pytestmark = pytest.mark.faults

# A program that starts a server, prints the server's pid, and waits until it is killed.
OWNER = """
import sys
from pathlib import Path
from tests.valkey.server import ValkeyServer
server = ValkeyServer(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path / "server") as running:
        yield running


def test_a_missing_server_binary_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(binary.VARIABLE, "/nowhere/valkey-server")
    with pytest.raises(AssertionError, match="MEMORYD_TEST_REDIS_SERVER=/nowhere/valkey-server"):
        binary.server_binary()


def test_a_killed_server_restarts_with_its_data_and_its_port(server: ValkeyServer) -> None:
    url = server.url
    server.command("SET", "key", b"\x00\xff\r\n")
    # With appendfsync everysec the write is in the kernel before its reply is sent: SIGKILL does not lose it.
    server.kill()
    with pytest.raises(ConnectionRefusedError):
        server.command("PING")
    server.start()
    assert server.command("GET", "key") == b"\x00\xff\r\n"
    server.stop()
    server.start()
    assert (server.command("GET", "key"), server.url) == (b"\x00\xff\r\n", url)


def test_a_paused_server_replies_only_after_it_is_resumed(server: ValkeyServer) -> None:
    with server.link() as link:
        server.pause()
        link.send("INCR", "key")
        with pytest.raises(AssertionError, match="not within"):
            until(lambda: _is_readable(link.fileno()), "a reply arrives", timeout_s=0.3)  # time: none comes
        server.resume()
        assert link.receive() == 1


def test_a_user_needs_the_password(tmp_path: Path) -> None:
    with ValkeyServer(tmp_path, credentials=("memory", "p@ss:word/")) as server:
        assert server.command("ACL", "WHOAMI") == b"memory"
        assert server.url == f"redis://memory:p%40ss%3Aword%2F@127.0.0.1:{server.port}/0"
        server.credentials = None
        with pytest.raises(Refusal, match="NOAUTH"):
            server.command("GET", "key")


def test_a_relay_speaks_tls_for_a_server_that_is_restarted(server: ValkeyServer, tmp_path: Path) -> None:
    with TlsRelay(server, tmp_path / "tls", asks_for_certificate=True) as relay:
        context = ssl.create_default_context(cafile=str(relay.authority))
        assert relay.url.startswith("rediss://localhost:")
        context.load_cert_chain(*relay.issue("client"))
        for _ in range(2):
            plain = socket.create_connection(("localhost", relay.port), 10.0)
            with context.wrap_socket(plain, server_hostname="localhost") as secured:
                secured.sendall(b"PING\r\n")
                assert secured.recv(100) == b"+PONG\r\n"
                server.restart()
                assert secured.recv(100) == b""


def test_a_replica_replicates_after_a_restart_and_can_be_promoted(server: ValkeyServer, tmp_path: Path) -> None:
    with ValkeyServer(tmp_path / "replica") as replica:
        server.command("SET", "key", "1")
        replica.replicate(server)
        replica.restart()
        until(lambda: replica.is_synced, "synced again")
        with server.link() as link:
            link.call("SET", "key", "2")
            assert link.call("WAIT", 1, 10_000) == 1
        with pytest.raises(Refusal, match="READONLY"):
            replica.command("SET", "key", "3")
        replica.promote()
        assert replica.command("GET", "key") == b"2"
        assert replica.command("SET", "key", "3") == b"OK"


def test_a_slot_moves_with_its_keys_and_meanwhile_replies_ask_and_tryagain(valkey_cluster: ValkeyCluster) -> None:
    keys = [f"{{moved}}{number}" for number in range(20)]
    slot = valkey_cluster.slot_of(keys[0])
    source = valkey_cluster.node_of(keys[0])
    to = next(node for node in valkey_cluster.nodes if node is not source)
    for key in keys:
        source.command("SET", key, key)
    met: set[str] = set()

    def between() -> None:
        for command in (("MGET", *keys), *(("GET", key) for key in keys)):
            try:
                source.command(*command)
            except Refusal as refusal:
                met.add(refusal.kind)

    valkey_cluster.move_slot(slot, to, keys_max=7, between=between)
    assert met == {"ASK", "TRYAGAIN"}
    assert valkey_cluster.node_of(keys[0]) is to
    assert [to.command("GET", key) for key in keys] == [key.encode() for key in keys]
    with pytest.raises(Refusal, match=f"MOVED {slot} {to.address}"):
        source.command("GET", keys[0])
    valkey_cluster.move_slot(slot, source, keys_max=100)
    assert source.command("GET", keys[0]) == keys[0].encode()


def test_a_replica_takes_over_by_a_manual_failover_and_after_a_kill(tmp_path: Path) -> None:
    with ValkeyCluster(tmp_path, replicas=True, credentials=("memory", "secret")) as cluster:
        first = cluster.node_of("key")
        with first.link() as link:
            link.call("SET", "key", "1")
            assert link.call("WAIT", 1, 10_000) == 1
        second = cluster.fail_over(first)
        assert cluster.node_of("key") is second
        assert second.command("GET", "key") == b"1"
        assert cluster.fail_over(second, kill=True) is first
        assert first.command("GET", "key") == b"1"
        second.restart()
        until(lambda: second.role == "slave" and second.is_synced, "the killed one is a replica")
        cluster.wait_until_ok()
        slot = cluster.slot_of("key")
        to = cluster.owner((slot + 8_000) % 16_384)
        cluster.move_slot(slot, to)
        assert cluster.node_of("key") is to


def test_a_sentinel_promotes_the_replica_and_the_old_primary_rejoins(tmp_path: Path) -> None:
    with ValkeySentinel(tmp_path, credentials=("memory", "secret")) as sentinel:
        old, new = sentinel.servers
        assert sentinel.primary is old
        with old.link() as link:
            link.call("SET", "key", "1")
            assert link.call("WAIT", 1, 10_000) == 1
        assert sentinel.fail_over() is new
        assert new.command("GET", "key") == b"1"
        sentinel.restart()
        assert (sentinel.primary, sentinel.replica) == (new, old)


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path / "owned")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        os.kill(pid, 0)
        owner.send_signal(signal.SIGKILL)
    until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in _state(pid), "the server has ended")


def test_the_shared_server_runs(valkey: ValkeyServer) -> None:
    assert valkey.command("PING") == b"PONG"


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def _is_readable(descriptor: int) -> bool:
    return bool(select.select([descriptor], [], [], 0)[0])
