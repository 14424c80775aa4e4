"""The address that `memoryd health` asks."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd_server.ops.cli.client.connection import Connection
from memoryd_server.ops.cli.daemon.probe import probe_of
from memoryd_server.ops.error import OperatorError

Run = Callable[..., int]
NO_TLS = {"tls": False}


@pytest.fixture
def process() -> Iterator[Run]:
    """Starts a process that waits, with a command line that begins as given; returns its id."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*command_line: str) -> int:
        program = "import sys; print(flush=True); sys.stdin.read()"
        each = subprocess.Popen(
            [sys.executable, "-c", program, *command_line], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        started.append(each)
        assert each.stdout is not None
        each.stdout.readline()
        return each.pid

    yield start
    for each in started:
        each.communicate()


@pytest.mark.parametrize(
    ("flags", "target"),
    [
        ([], "127.0.0.1:7600"),
        (["--listen", "127.0.0.1:1"], "127.0.0.1:1"),
        (["--listen", "0.0.0.0:7700", "--insecure"], "127.0.0.1:7700"),
        (["--listen", "[::]:7700", "--insecure"], "[::1]:7700"),
        (["--listen", "127.0.0.1:1", "--listen", "unix:/run/m.sock"], "unix:/run/m.sock"),
    ],
)
def test_the_daemon_of_a_process_is_asked_where_its_flags_say(process: Run, flags: list[str], target: str) -> None:
    probe = probe_of(Connection("elsewhere:1", NO_TLS), process("/opt/bin/memoryd", "serve", *flags))
    assert probe is not None
    assert (probe.target, probe.credentials) == (target, None)


def test_a_daemon_behind_an_init_process_is_found(process: Run) -> None:
    probe = probe_of(Connection(None, NO_TLS), process("--", "memoryd", "serve", "--listen", "127.0.0.1:2"))
    assert probe is not None
    assert probe.target == "127.0.0.1:2"


@pytest.mark.parametrize("command_line", [["memoryd", "mcp", "--agent", "serve"], ["memoryd"], ["sleep", "9"]])
def test_another_command_is_not_asked(process: Run, command_line: list[str]) -> None:
    assert probe_of(Connection(None, NO_TLS), process(*command_line)) is None


def test_a_process_that_is_not_there_is_named(process: Run) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with pytest.raises(OperatorError, match=f"there is no process {ended.pid}"):
        probe_of(Connection(None, NO_TLS), ended.pid)


def test_the_environment_of_the_daemon_says_where_without_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_LISTEN", "127.0.0.1:7,unix:/run/memoryd.sock")
    own, other = probe_of(Connection(None, NO_TLS), None), probe_of(Connection("other:1", NO_TLS), None)
    assert own is not None
    assert other is not None
    assert (own.target, other.target) == ("unix:/run/memoryd.sock", "other:1")


def test_the_settings_file_of_the_daemon_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "memoryd.toml"
    file.write_text('listen = ["127.0.0.1:9"]\n')
    monkeypatch.setenv("MEMORYD_CONFIG", str(file))
    probe = probe_of(Connection(None, NO_TLS), None)
    assert probe is not None
    assert probe.target == "127.0.0.1:9"


def test_without_any_of_these_the_default_is_asked() -> None:
    probe = probe_of(Connection(None, NO_TLS), None)
    assert probe is not None
    assert probe.target == "127.0.0.1:7600"


@pytest.mark.parametrize(
    ("listen", "problem"),
    [
        ({"MEMORYD_LISTEN": "127.0.0.1:0"}, "any free port"),
        (
            {
                "MEMORYD_LISTEN": "127.0.0.1:1",
                "MEMORYD_TLS_CERT_FILE": "c",
                "MEMORYD_TLS_KEY_FILE": "k",
                "MEMORYD_TLS_CLIENT_CA_FILE": "a",
            },
            "requires client certificates",
        ),
    ],
)
def test_a_daemon_that_cannot_be_asked_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, listen: dict[str, str], problem: str
) -> None:
    for name, value in listen.items():
        monkeypatch.setitem(os.environ, name, value)
    with pytest.raises(OperatorError, match=problem):
        probe_of(Connection(None, NO_TLS), None)
