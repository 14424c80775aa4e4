import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def guarded(tmp_path: Path, command: Command) -> Iterator[tuple[Daemon, Path]]:
    """A daemon that asks for a token, and a file with one for the agent ``mine``."""
    tokens = tmp_path / "tokens.toml"
    secret = tmp_path / "secret"
    secret.write_text(command("token", "create", "ci", "--agent", "mine", "--token-file", str(tokens))[1])
    daemon = Daemon(tmp_path, "--token-file", str(tokens), "--durability", "memory")
    daemon.start()
    yield daemon, secret
    daemon.close()


@pytest.mark.whole
def test_an_unreachable_daemon_is_an_error_of_one_line(command: Command) -> None:
    code, out, err = command("info", "--address", "127.0.0.1:1")
    assert (code, out) == (69, "")
    assert err == (
        "memoryd: no daemon answers at 127.0.0.1:1 (nothing listens there): start one with "
        "`memoryd serve --listen 127.0.0.1:1`, or set --address\n"
    )


@pytest.mark.whole
def test_a_missing_socket_is_an_error_of_one_line(command: Command, tmp_path: Path) -> None:
    code, _, err = command("info", "--address", f"unix:{tmp_path}/none.sock")
    assert code == 69
    assert f"no daemon answers at unix:{tmp_path}/none.sock (there is no such socket): start one with" in err


def test_an_invalid_address_is_wrong_usage(command: Command) -> None:
    line = "memoryd: address 'nowhere' is neither HOST:PORT nor unix:/path\n"
    assert command("info", "--address", "nowhere") == (2, "", line)


@pytest.mark.whole
def test_grpc_itself_says_nothing(shared_daemon: Daemon) -> None:
    memoryd = Path(sys.executable).with_name("memoryd")
    done = subprocess.run(
        [memoryd, "info", "--tls", "--address", shared_daemon.address],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("GRPC_")},
    )
    assert done.returncode == 69
    assert done.stderr.count("\n") == 1
    assert "(the TLS handshake failed)" in done.stderr


def test_a_token_opens_the_agents_that_it_is_bound_to(command: Command, guarded: tuple[Daemon, Path]) -> None:
    daemon, secret = guarded
    place = ["--address", daemon.address]
    code, _, err = command("ls", "mine", *place)
    assert code == 1
    assert err.endswith("(UNAUTHENTICATED)\n")
    assert "MEMORYD_TOKEN" in err
    assert command("set", "mine", "k", "1", *place, "--token-from", str(secret))[0] == 0
    code, _, err = command("ls", "other", *place, "--token-from", str(secret))
    assert code == 1
    assert err.endswith("(AGENT_FORBIDDEN)\n")


def test_a_file_of_certificates_that_is_not_there_is_wrong_usage(command: Command, tmp_path: Path) -> None:
    code, _, err = command("info", "--ca-file", str(tmp_path / "none"))
    assert code == 2
    assert "cannot be read: No such file or directory" in err
