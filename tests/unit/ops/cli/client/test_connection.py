import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import memoryd

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, dict[str, object]]]:
    """The arguments of each connection. Connecting fails, so that the command calls nothing."""
    seen: list[tuple[str | None, dict[str, object]]] = []

    def connect(target: str | None, **settings: object) -> memoryd.Client:
        seen.append((target, settings))
        raise memoryd.MemorydError("no further")

    monkeypatch.setattr(memoryd, "connect", connect)
    return seen


Connected = list[tuple[str | None, dict[str, object]]]


def test_what_is_not_said_is_left_to_the_client(command: Command, connected: Connected) -> None:
    command("info")
    assert connected == [(None, {"token": None, "tls": False, "connect_timeout": 1.0})]


@pytest.mark.parametrize("is_flag", [True, False])
def test_a_token_in_the_clear_is_allowed_on_request(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch, *, is_flag: bool
) -> None:
    if not is_flag:
        monkeypatch.setenv("MEMORYD_INSECURE_TOKEN", "1")
    command("info", "--address", "b:2", *(["--insecure-token"] if is_flag else []))
    assert connected[0][1]["insecure_token"] is True


def test_a_timeout_is_for_connecting_and_for_snapshots_too(command: Command, connected: Connected) -> None:
    command("info", "--timeout", "1m")
    limits = {name: value for name, value in connected[0][1].items() if "timeout" in name}
    assert limits == {"timeout": 60.0, "connect_timeout": 60.0, "snapshot_timeout": 60.0}


def test_flags_come_before_the_environment(
    command: Command, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", "a:1")
    monkeypatch.setenv("MEMORYD_TOKEN", "from-environment")
    command("info", "--address", "b:2")
    assert connected[0][0] == "b:2"
    assert connected[0][1]["token"] == "from-environment"


def test_a_token_is_read_from_a_file(command: Command, connected: Connected, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret\n")
    command("info", "--token-from", str(file))
    assert connected[0][1]["token"] == "secret"


@pytest.mark.parametrize("content", ["", "two words", "é"])
def test_a_file_without_a_token_is_wrong_usage(
    command: Command, connected: Connected, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "token"
    file.write_text(content)
    code, _, err = command("info", "--token-from", str(file))
    assert (code, err) == (2, f"memoryd: --token-from: {file} does not hold one token\n")
    assert connected == []


def test_a_file_that_is_not_there_is_named(command: Command, connected: Connected, tmp_path: Path) -> None:
    code, _, err = command("info", "--token-from", str(tmp_path / "none"))
    assert (code, err) == (1, f"memoryd: {tmp_path / 'none'}: No such file or directory\n")


def test_a_file_of_certificates_means_tls(command: Command, connected: Connected) -> None:
    command("info", "--ca-file", "/ca.pem", "--server-name", "memory")
    assert connected[0][1]["tls"] == memoryd.Tls(ca_file=Path("/ca.pem"), server_name="memory")


def test_the_options_of_connecting_are_shown_apart(command: Command) -> None:
    own, _, connection = command("ls", "--help")[1].partition("Connection:")
    assert "--prefix" in own
    assert "--json" in own
    assert "--address" not in own
    assert "--address" in connection


@pytest.mark.parametrize("name", ["get", "set", "rm", "ls", "agent list", "scope list", "agent stats", "watch", "info"])
def test_every_command_for_people_takes_them(command: Command, name: str) -> None:
    _, out, _ = command(*name.split(), "--help")
    assert all(option in out for option in ("--address", "--token-from", "--ca-file", "--timeout", "--json"))


def test_help_and_completion_wait_for_neither_grpc_nor_rich() -> None:
    program = (
        "import sys; from memoryd_server.ops.cli import entry, main, snapshot; "
        "from memoryd_server.ops.cli.agent import group; from memoryd_server.ops.cli.event import watch\n"
        "heavy = {'grpc', 'memoryd', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
