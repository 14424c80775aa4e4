"""TLS, client certificates and bearer tokens, and the agents to which they are bound."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.certificate import Authority
from tests.integration.wire import Wire, code_of, refused
from tests.wait import WAIT_S_MAX

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is not installed")
SERVER_NAMES = "DNS:localhost,IP:127.0.0.1"
Launch = Callable[..., Daemon]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def server_flags(authority: Authority) -> list[str]:
    certificate, key = authority.issue("server", SERVER_NAMES)
    return ["--durability", "memory", "--tls-cert-file", str(certificate), "--tls-key-file", str(key)]


@pytest.fixture
def secure() -> Iterator[Callable[..., Wire]]:
    """A function that connects with TLS; the connections end with the test."""
    channels = []

    def connected(daemon: Daemon, authority: Authority, client: tuple[Path, Path] | None = None) -> Wire:
        pair = (client[1].read_bytes(), client[0].read_bytes()) if client else (None, None)
        credentials = grpc.ssl_channel_credentials(authority.certificate.read_bytes(), *pair)
        channels.append(grpc.secure_channel(daemon.address, credentials, [("grpc.use_local_subchannel_pool", 1)]))
        return Wire(channels[-1])

    yield connected
    for channel in channels:
        channel.close()


def reaches(wire: Wire) -> bool:
    """Return True if a call succeeds, False if it cannot connect."""
    try:
        wire.agent().get("key")
    except grpc.RpcError as error:
        code = code_of(error)
        assert code is grpc.StatusCode.UNAVAILABLE
        return False
    return True


def test_tls_serves_clients_that_trust_its_authority_and_no_plaintext(
    launch_process: Launch,
    connect: Callable[[Daemon], Wire],
    secure: Callable[..., Wire],
    authority: Authority,
    server_flags: list[str],
    tmp_path: Path,
) -> None:
    daemon = launch_process(*server_flags)
    assert secure(daemon, authority).agent().set("key").revision == 1
    assert not reaches(secure(daemon, Authority(tmp_path / "other")))
    assert not reaches(connect(daemon))


def test_mtls_requires_a_certificate_of_its_authority_and_binds_it_to_agents(
    launch_process: Launch, secure: Callable[..., Wire], authority: Authority, server_flags: list[str], tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens.toml"
    tokens.write_text('[certificates."planner"]\nagents = ["plan-*"]\n[certificates."by.name"]\nagents = ["a"]\n')
    tokens.chmod(0o600)
    client_ca = ["--tls-client-ca-file", str(authority.certificate)]
    daemon = launch_process(*server_flags, *client_ca, "--token-file", str(tokens))
    assert not reaches(secure(daemon, authority))
    stranger = Authority(tmp_path / "other").issue("planner")
    assert not reaches(secure(daemon, authority, stranger))
    planner = secure(daemon, authority, authority.issue("planner"))
    assert planner.agent("plan-1").set("key").revision == 1
    forbidden = refused(lambda: planner.agent("a").get("key"))
    assert (forbidden.code, forbidden.reason) == (grpc.StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN")
    assert secure(daemon, authority, authority.issue("other", "DNS:by.name")).agent("a").set("key").revision == 1
    unknown = refused(lambda: secure(daemon, authority, authority.issue("unknown")).agent("a").get("key"))
    assert (unknown.code, unknown.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


def test_without_bindings_each_client_certificate_may_use_every_agent(
    launch_process: Launch, secure: Callable[..., Wire], authority: Authority, server_flags: list[str]
) -> None:
    daemon = launch_process(*server_flags, "--tls-client-ca-file", str(authority.certificate))
    assert not reaches(secure(daemon, authority))
    assert secure(daemon, authority, authority.issue("anybody")).agent("a").set("key").revision == 1


@pytest.mark.parametrize("spoiled", ["certificate", "key", "swapped"])
def test_bad_certificate_files_are_named_before_the_daemon_listens(
    authority: Authority, tmp_path: Path, spoiled: str
) -> None:
    certificate, key = authority.issue("spoiled", SERVER_NAMES)
    if spoiled == "swapped":
        certificate, key = key, certificate
    else:
        path = {"certificate": certificate, "key": key}[spoiled]
        path.write_text("nonsense")
    command: list[str | Path] = [Path(sys.executable).with_name("memoryd"), "serve", "--data-dir", tmp_path / "data"]
    command += ["--listen", "127.0.0.1:0", "--tls-cert-file", certificate, "--tls-key-file", key]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert answer.returncode not in (0, -9)
    last = answer.stderr.splitlines()[-1]
    assert last.startswith("memoryd: tls_cert_file: ")
    assert "serving" not in answer.stderr
