"""The address that `memoryd health` asks."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

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


def self_signed(common_name: str, *names: x509.GeneralName) -> bytes:
    """Return a certificate in PEM."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    parts = [x509.NameAttribute(x509.NameOID.COMMON_NAME, common_name)] if common_name else []
    builder = x509.CertificateBuilder(x509.Name(parts), x509.Name(parts), key.public_key(), 1, now, now + timedelta(1))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=not common_name)
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def secured(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    """Let the daemon of the environment listen over TLS."""
    monkeypatch.setenv("MEMORYD_LISTEN", "127.0.0.1:1")
    monkeypatch.setenv("MEMORYD_TLS_CERT_FILE", str(certificate))
    monkeypatch.setenv("MEMORYD_TLS_KEY_FILE", "k")


@pytest.mark.parametrize(
    ("certificate", "name"),
    [
        (self_signed("subject", x509.DNSName("*.memory.example")), "health.memory.example"),
        (self_signed("subject", x509.UniformResourceIdentifier("spiffe://memory")), "subject"),
        (self_signed("subject"), "subject"),
    ],
    # Each process makes certificates of its own, whose bytes would be in the names of the tests.
    ids=["DNS name", "URI", "subject alone"],
)
def test_the_certificate_of_a_daemon_is_expected_with_a_name_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, certificate: bytes, name: str
) -> None:
    (tmp_path / "tls.crt").write_bytes(certificate)
    secured(monkeypatch, tmp_path / "tls.crt")
    probe = probe_of(Connection(None, NO_TLS), None)
    assert probe is not None
    assert probe.options == (("grpc.ssl_target_name_override", name),)


@pytest.mark.parametrize(
    ("certificate", "problem"),
    [(b"none", "is not a certificate in PEM"), (self_signed(""), "has no name")],
    ids=["no PEM", "no name"],
)
def test_a_certificate_that_cannot_be_expected_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, certificate: bytes, problem: str
) -> None:
    (tmp_path / "tls.crt").write_bytes(certificate)
    secured(monkeypatch, tmp_path / "tls.crt")
    with pytest.raises(OperatorError, match=problem):
        probe_of(Connection(None, NO_TLS), None)


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
