"""Calls that cannot succeed raise a typed error in each language, within their timeout."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.clients.language import Language
from tests.clients.program import ClientError, Program
from tests.daemon import Daemon
from tests.integration.certificate import Authority
from tests.integration.wire import Wire
from tests.port import free_address
from tests.wait import WAIT_S_MAX, until

Start = Callable[..., Program]
Launch = Callable[..., Daemon]


def refused(program: Program, do: str, **fields: Any) -> ClientError:
    with pytest.raises(ClientError) as caught:
        program.ask(do, **fields)
    return caught.value


def set_one(program: Program) -> ClientError:
    return refused(program, "set", agent="agent", key="key", value_json="1")


def test_an_unreachable_address(language: Language, start: Start) -> None:
    program = start(language, free_address(), connect_timeout_s=0.5)  # time: nobody answers
    error = set_one(program)
    assert (error.type, error.code) == ("Unavailable", "UNAVAILABLE")
    assert refused(program, "watch", name="events", agent="agent").type == "Unavailable"


@pytest.mark.parametrize("target", ["nowhere", "127.0.0.1:port", "unix:", "http://127.0.0.1:7600"])
def test_an_invalid_target(language: Language, start: Start, target: str) -> None:
    with pytest.raises(ClientError) as caught:
        start(language, target)
    assert caught.value.type == "InvalidTarget"


def test_a_token_that_is_refused_and_an_agent_that_is_forbidden(
    language: Language, start: Start, launch: Launch, tmp_path: Path
) -> None:
    file = tmp_path / "tokens.toml"
    command = [Path(sys.executable).with_name("memoryd"), "token", "create", "team", "--token-file", file]
    secret = subprocess.run([*command, "--agent", "mine"], check=True, capture_output=True, text=True).stdout.strip()
    daemon = launch("--durability", "memory", "--token-file", str(file))
    for token in (None, "wrong"):
        error = set_one(start(language, daemon.address, **({} if token is None else {"token": token})))
        assert (error.type, error.reason) == ("Unauthenticated", "ERROR_REASON_UNAUTHENTICATED")
        program = start(language, daemon.address, token="wrong")
        assert refused(program, "watch", name="events", agent="mine").type == "Unauthenticated"
    program = start(language, daemon.address, token=secret)
    assert program.ask("set", agent="mine", key="key", value_json="1") == {"revision": 1}
    error = set_one(program)
    assert (error.type, error.reason) == ("PermissionDenied", "ERROR_REASON_AGENT_FORBIDDEN")


@pytest.mark.whole
def test_a_deadline_that_expires(language: Language, start: Start, launch: Launch) -> None:
    daemon = launch("--durability", "memory")
    start(language, daemon.address).ask("set", agent="agent", key="key", value_json="1")
    program = start(language, daemon.address, timeout_s=1.0)  # time: it is to expire
    until(lambda: answers(program), "the client is connected")
    daemon.signal(signal.SIGSTOP)
    try:
        error = refused(program, "get", agent="agent", key="key")
    finally:
        daemon.signal(signal.SIGCONT)
    assert (error.type, error.code) == ("DeadlineExceeded", "DEADLINE_EXCEEDED")
    until(lambda: answers(program), "the client goes on")


def answers(program: Program) -> bool:
    """Return True if a call gets a response within the client's timeout."""
    try:
        return program.ask("get", agent="agent", key="key") == {"found": True, "value_json": "1"}
    except ClientError as error:
        if error.type != "DeadlineExceeded":
            raise
        return False


@pytest.mark.whole
def test_a_daemon_that_drains_and_stops(language: Language, start: Start, launch: Launch) -> None:
    """The daemon ends watches with a retry delay that is longer than the ``outage_max_s`` of this watch."""
    daemon = launch("--durability", "memory")
    watcher = start(language, daemon.address)
    watcher.ask("watch", name="events", agent="agent", outage_max_s=0.1)
    daemon.stop()
    error = refused(watcher, "watched", name="events", count=1, timeout_s=WAIT_S_MAX)
    assert (error.type, error.code, error.reason) == ("Draining", "UNAVAILABLE", "ERROR_REASON_DRAINING")
    program = start(language, daemon.address, timeout_s=1.0)  # time: nobody answers
    # Its attempts last as long as the timeout, which may be over in the middle of one.
    assert set_one(program).type in ("Unavailable", "DeadlineExceeded")


def test_what_the_daemon_refuses(language: Language, start: Start, shared_daemon: Daemon, wire: Wire) -> None:
    agent = wire.agent()
    program = start(language, shared_daemon.address)
    error = refused(program, "set", agent=agent.id, key=" ", value_json="1")
    assert (error.type, error.code, error.reason) == (
        "InvalidArgument",
        "INVALID_ARGUMENT",
        "ERROR_REASON_INVALID_FIELD",
    )
    assert "key" in error.message
    error = refused(program, "set", agent=agent.id, key="key", value_json="{")
    assert error.type in ("InvalidArgument", "UnsupportedValue")
    error = refused(program, "watch", name="events", agent=agent.id, resume_token="damaged")
    assert (error.type, error.reason) == ("InvalidResumeToken", "ERROR_REASON_INVALID_RESUME_TOKEN")


def test_a_unix_socket(language: Language, start: Start, launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "sockets" / "memoryd.sock"
    path.parent.mkdir(mode=0o700)
    launch("--durability", "memory", "--listen", f"unix:{path}")
    program = start(language, f"unix:{path}")
    assert program.ask("set", agent="agent", key="key", value_json="1") == {"revision": 1}


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is not installed")
def test_tls(language: Language, start: Start, launch: Launch, tmp_path: Path) -> None:
    authority, stranger = Authority(tmp_path / "authority"), Authority(tmp_path / "stranger")
    certificate, key = authority.issue("server", "DNS:localhost,IP:127.0.0.1")
    daemon = launch("--durability", "memory", "--tls-cert-file", str(certificate), "--tls-key-file", str(key))
    program = start(language, daemon.address, ca_file=str(authority.certificate))
    assert program.ask("set", agent="agent", key="key", value_json="1") == {"revision": 1}
    options = {"ca_file": str(stranger.certificate), "connect_timeout_s": 0.5}
    wary = start(language, daemon.address, **options)
    assert set_one(wary).type == "Unavailable"
    with pytest.raises(ClientError) as caught:
        start(language, daemon.address, ca_file=str(tmp_path / "nothing.pem"))
    assert caught.value.type == "InvalidTarget"
