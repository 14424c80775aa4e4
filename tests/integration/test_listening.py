"""The addresses on which the daemon listens, and those that it refuses: DC-08."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.wire import Wire
from tests.port import free_port
from tests.wait import WAIT_S_MAX, until

Launch = Callable[..., Daemon]


def serve(directory: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run the command until it ends by itself, and return its result."""
    command: list[str | Path] = [Path(sys.executable).with_name("memoryd"), "serve", "--data-dir", directory, *flags]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)


def refuses(answer: subprocess.CompletedProcess[str], *words: str) -> None:
    """Assert that the command failed with one line that has these words."""
    assert answer.returncode not in (0, -6, -9), answer
    # The daemon may also log.
    lines = [line for line in answer.stderr.splitlines() if line.startswith("memoryd: ")]
    assert len(lines) == 1, answer.stderr
    for word in words:
        assert word in lines[0], lines[0]


def test_tcp_and_a_unix_socket_are_served_together(
    launch_process: Launch, connect: Callable[[Daemon], Wire], tmp_path: Path
) -> None:
    path = tmp_path / "run" / "memoryd.sock"
    daemon = launch_process("--durability", "memory", "--listen", f"unix:{path}")
    agent = connect(daemon).agent()
    agent.set("key", "by TCP")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with grpc.insecure_channel(f"unix:{path}") as channel:
        by_socket = Wire(channel).agent(agent.id)
        assert by_socket.value("key") == "by TCP"
        by_socket.set("key", "by socket")
    assert agent.value("key") == "by socket"


@pytest.mark.whole
def test_a_killed_daemons_socket_is_replaced_but_not_a_running_ones(launch_process: Launch, tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/run/memoryd.sock"
    daemon = launch_process("--durability", "memory", "--listen", address)
    daemon.kill()
    daemon.start()
    with grpc.insecure_channel(address) as channel:
        assert Wire(channel).agent().set("key").revision == 1
    refuses(serve(tmp_path / "other", "--listen", address), address, "in use")


def test_a_socket_in_a_directory_that_other_users_may_enter_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "open"
    directory.mkdir(mode=0o755)
    directory.chmod(0o755)
    answer = serve(tmp_path / "data", "--listen", f"unix:{directory}/memoryd.sock")
    refuses(answer, str(directory), "0700", "--socket-mode")


def test_a_socket_is_shared_with_a_group_in_the_directory_of_a_pod(
    launch_process: Launch, connect: Callable[[Daemon], Wire], tmp_path: Path
) -> None:
    directory = tmp_path / "shared"
    directory.mkdir()
    directory.chmod(0o2770)
    path = directory / "memoryd.sock"
    flags = ("--listen", f"unix:{path}", "--socket-group", str(os.getgid()))
    launch_process("--durability", "memory", *flags)
    # It is private from its binding until then.
    until(lambda: stat.S_IMODE(path.stat().st_mode) == 0o660, "the socket is shared")
    with grpc.insecure_channel(f"unix:{path}") as channel:
        assert Wire(channel).agent().set("key").revision == 1
    answer = serve(tmp_path / "other", *flags, "--listen", "0.0.0.0:0")
    refuses(answer, "reachable from other machines")


@pytest.mark.parametrize("mode", ["0777", "0640", "4660", "0060"])
def test_a_mode_that_shares_more_or_less_than_a_socket_is_refused(tmp_path: Path, mode: str) -> None:
    refuses(serve(tmp_path, "--socket-mode", mode, "--listen", "127.0.0.1:0"), "socket", "0660")


def test_a_data_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    refuses(serve(tmp_path, "--listen", "127.0.0.1:0"), f"chmod go-w {tmp_path}")


def test_an_unknown_variable_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_DURABLITY", "memory")
    refuses(serve(tmp_path, "--listen", "127.0.0.1:0"), "MEMORYD_DURABLITY", "did you mean MEMORYD_DURABILITY?")


def test_a_second_daemon_on_the_data_directory_is_refused(shared_daemon: Daemon, shared_wire: Wire) -> None:
    refuses(
        serve(shared_daemon.data_dir, "--listen", "127.0.0.1:0"),
        str(shared_daemon.data_dir),
        f"in use by process {shared_daemon.pid}",
    )
    assert shared_wire.agent().set("key").revision == 1


def test_a_second_daemon_on_the_same_port_is_refused(shared_daemon: Daemon, shared_wire: Wire, tmp_path: Path) -> None:
    answer = serve(tmp_path / "data", "--listen", shared_daemon.address)
    refuses(answer, shared_daemon.address, "in use")
    # No line of gRPC's own among those of the log.
    assert [line for line in answer.stderr.splitlines() if not line.startswith(("20", "memoryd: "))] == []
    assert not list((tmp_path / "data" / "snapshots").iterdir())
    assert shared_wire.agent().set("key").revision == 1


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7600"])
def test_an_address_beyond_loopback_is_refused_without_tls_and_authentication(tmp_path: Path, address: str) -> None:
    refuses(serve(tmp_path / "data", "--listen", address), "listen", "--insecure")
    assert not (tmp_path / "data" / "memoryd.db").exists()


def test_with_insecure_the_daemon_listens_beyond_loopback(launch_process: Launch) -> None:
    port = free_port()
    launch_process("--durability", "memory", "--insecure", "--listen", f"0.0.0.0:{port}")
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        grpc.channel_ready_future(channel).result(WAIT_S_MAX)
        assert Wire(channel).agent().set("key").revision == 1


def test_the_data_directory_is_private(shared_daemon: Daemon, shared_wire: Wire) -> None:
    shared_wire.agent().set("key")
    assert stat.S_IMODE(shared_daemon.data_dir.stat().st_mode) == 0o700
    for path in shared_daemon.data_dir.rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
