"""`memoryd health` against real daemons: by port, by unix socket and by TLS, while they serve and while they do not."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.daemon import Daemon
from tests.integration.certificate import Authority
from tests.integration.cli.process import Process
from tests.port import free_address
from tests.wait import WAIT_S_MAX

Command = Callable[..., tuple[int, str, str]]
Launch = Callable[..., Daemon]
OPEN = ("--durability", "memory")
PATIENTLY = ("--wait", f"{WAIT_S_MAX}s")
"""On a slow machine, one question may have no answer in time."""


class Starting(health_pb2_grpc.HealthServicer):
    """The health of a daemon that serves from the third question on."""

    def __init__(self) -> None:
        self.asked = 0

    def Check(self, request: object, context: object) -> health_pb2.HealthCheckResponse:  # noqa: N802
        self.asked += 1
        serves = self.asked > 2
        return health_pb2.HealthCheckResponse(status=1 if serves else 2)


@pytest.fixture
def starting() -> object:
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    health_pb2_grpc.add_HealthServicer_to_server(Starting(), server)
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def test_a_daemon_that_serves_is_healthy(command: Command, shared_daemon: Daemon) -> None:
    assert command("health") == (0, f"the daemon serves at {shared_daemon.address}\n", "")


def test_a_service_is_asked_by_its_name(command: Command) -> None:
    assert command("health", "--service", "memoryd.v1.Writes")[0] == 0
    code, out, err = command("health", "--service", "memoryd.v1.Other")
    assert (code, out) == (1, "")
    assert "has no service 'memoryd.v1.Other'" in err


def test_a_daemon_that_is_not_there_is_one_line_and_status_1(command: Command) -> None:
    address = free_address()
    code, out, err = command("health", "--address", address)
    assert (code, out) == (1, "")
    assert err.startswith(f"memoryd: no daemon answers at {address}: ")
    assert err.count("\n") == 1


def test_a_daemon_that_does_not_serve_yet_is_not_healthy(command: Command, starting: str) -> None:
    assert command("health", "--address", starting) == (1, "", f"memoryd: the daemon does not serve at {starting}\n")


def test_waiting_ends_when_the_daemon_serves(command: Command, starting: str) -> None:
    assert command("health", "--address", starting, "--wait", "1h")[0] == 0


def test_waiting_begins_before_the_daemon(
    command: Command, start: Callable[..., Process], launch_process: Launch, tmp_path: Path
) -> None:
    socket = f"unix:{tmp_path / 'run' / 'm.sock'}"
    waiting = start("health", "--wait", "1h", address=socket)
    launch_process(*OPEN, "--listen", socket)
    assert waiting.wait() == 0, waiting.err


def test_no_token_is_needed_and_a_wrong_one_does_no_harm(
    command: Command, launch_process: Launch, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens.toml"
    assert command("token", "create", "planner", "--agent", "*", "--token-file", str(tokens))[0] == 0
    daemon = launch_process(*OPEN, "--token-file", str(tokens))
    assert command("health", *PATIENTLY, "--address", daemon.address)[0] == 0
    assert command("health", *PATIENTLY, "--address", daemon.address, "--token", "wrong")[0] == 0


def test_the_daemon_of_a_process_is_asked_by_its_socket(
    command: Command, launch_process: Launch, tmp_path: Path
) -> None:
    socket = f"unix:{tmp_path / 'run' / 'm.sock'}"
    daemon = launch_process(*OPEN, "--listen", socket)
    assert command("health", *PATIENTLY, "--process", str(daemon.pid)) == (0, f"the daemon serves at {socket}\n", "")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is not installed")
def test_a_daemon_with_tls_is_asked_by_its_own_certificate(
    command: Command, launch_process: Launch, tmp_path: Path
) -> None:
    authority = Authority(tmp_path / "authority")
    certificate, key = authority.issue("server", "DNS:memory.example")
    daemon = launch_process(*OPEN, "--tls-cert-file", str(certificate), "--tls-key-file", str(key))
    assert command("health", *PATIENTLY, "--process", str(daemon.pid))[0] == 0
    by_name = ("--ca-file", str(authority.certificate), "--server-name", "memory.example")
    assert command("health", *PATIENTLY, "--address", daemon.address, *by_name)[0] == 0
    assert command("health", "--address", daemon.address)[0] == 1
