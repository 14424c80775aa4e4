"""Certificates that are renewed while the daemon runs, and the names in those of clients, over both transports."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.certificate import Authority
from tests.integration.wire import Wire, code_of, refused
from tests.wait import until

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is not installed")
SERVER_NAMES = "DNS:localhost,IP:127.0.0.1"
RENEWED, KEPT = "certificates renewed", "certificates not renewed, keeping the old ones"
Client = tuple[Path, Path]


class Files:
    """The files that a daemon has its certificates from."""

    def __init__(self, directory: Path) -> None:
        self.certificate, self.key, self.authority = (directory / name for name in ("tls.crt", "tls.key", "ca.crt"))

    def put(self, authority: Authority) -> None:
        """Let the server's certificate be one of an authority, each file replaced at once."""
        for source, target in zip(authority.issue("server", SERVER_NAMES), (self.certificate, self.key), strict=True):
            self.replace(target, source.read_bytes())

    @staticmethod
    def replace(target: Path, data: bytes) -> None:
        new = target.with_suffix(".new")
        new.write_bytes(data)
        new.replace(target)

    @property
    def flags(self) -> list[str]:
        """The daemon's flags."""
        return ["--tls-cert-file", str(self.certificate), "--tls-key-file", str(self.key)]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("second"), "another")


@pytest.fixture
def files(tmp_path: Path, first: Authority) -> Files:
    files = Files(tmp_path)
    files.put(first)
    return files


@pytest.fixture
def secure() -> Iterator[Callable[..., Wire]]:
    """A function that opens a further connection with TLS; the connections end with the test."""
    channels = []

    def connected(daemon: Daemon, authority: Authority, client: Client | None = None) -> Wire:
        pair = (client[1].read_bytes(), client[0].read_bytes()) if client else (None, None)
        credentials = grpc.ssl_channel_credentials(authority.certificate.read_bytes(), *pair)
        channels.append(grpc.secure_channel(daemon.address, credentials, [("grpc.use_local_subchannel_pool", 1)]))
        return Wire(channels[-1])

    yield connected
    for channel in channels:
        channel.close()


@pytest.fixture
def launch(launch_process: Callable[..., Daemon], files: Files, transport: str) -> Callable[..., Daemon]:
    """A function that starts a daemon with these files."""
    return lambda *flags: launch_process("--durability", "memory", "--transport", transport, *files.flags, *flags)


def reaches(wire: Wire) -> bool:
    """Return True if a call succeeds, False if it cannot connect."""
    try:
        wire.agent().get("key")
    except grpc.RpcError as error:
        if code_of(error) is grpc.StatusCode.UNAVAILABLE:
            return False
        raise
    return True


def hang_up(daemon: Daemon, line: str) -> None:
    """Let the daemon read its certificates again, and wait for what it logs of it."""
    before = daemon.log.count(line)
    daemon.signal(signal.SIGHUP)
    until(lambda: daemon.log.count(line) > before, line)


def test_new_connections_get_the_renewed_certificate_and_old_ones_go_on(
    launch: Callable[..., Daemon], secure: Callable[..., Wire], files: Files, first: Authority, second: Authority
) -> None:
    daemon = launch()
    old = secure(daemon, first)
    assert reaches(old)
    files.put(second)
    hang_up(daemon, RENEWED)
    assert reaches(secure(daemon, second))
    assert not reaches(secure(daemon, first))
    assert reaches(old)


def test_changed_files_are_noticed_without_a_signal(
    launch: Callable[..., Daemon], secure: Callable[..., Wire], files: Files, second: Authority
) -> None:
    daemon = launch()
    files.put(second)
    until(lambda: RENEWED in daemon.log, "the certificates are renewed")
    assert reaches(secure(daemon, second))
    assert daemon.log.count(RENEWED) == 1


@pytest.mark.parametrize("spoiled", ["nonsense", "key of another", "missing"])
def test_files_that_are_no_certificate_change_nothing_and_are_logged(
    launch: Callable[..., Daemon],
    secure: Callable[..., Wire],
    files: Files,
    first: Authority,
    second: Authority,
    spoiled: str,
) -> None:
    daemon = launch()
    match spoiled:
        case "nonsense":
            files.replace(files.certificate, b"nonsense")
        case "key of another":
            files.replace(files.key, second.issue("server", SERVER_NAMES)[1].read_bytes())
        case _:
            files.certificate.unlink()
    hang_up(daemon, KEPT)
    assert reaches(secure(daemon, first))
    (line,) = (line for line in daemon.log.splitlines() if KEPT in line)
    assert " ERROR " in line
    assert "tls_cert_file: " in line
    files.put(second)
    hang_up(daemon, RENEWED)
    assert reaches(secure(daemon, second))


def test_clients_need_a_certificate_of_the_renewed_authority(
    launch: Callable[..., Daemon], secure: Callable[..., Wire], files: Files, first: Authority, second: Authority
) -> None:
    files.replace(files.authority, first.certificate.read_bytes())
    daemon = launch("--tls-client-ca-file", str(files.authority))
    clients = first.issue("client"), second.issue("client")
    assert [reaches(secure(daemon, first, client)) for client in clients] == [True, False]
    files.replace(files.authority, second.certificate.read_bytes())
    hang_up(daemon, RENEWED)
    assert [reaches(secure(daemon, first, client)) for client in clients] == [False, True]
    assert not reaches(secure(daemon, first))


NAMES = {
    "dns": "DNS:by.name",
    "uri": "URI:spiffe://example.org/agent",
    "email": "email:agent@example.org",
    "ip": "IP:10.1.2.3",
    "ipv6": "IP:2001:db8::1",
    "several": "DNS:one.name,URI:spiffe://example.org/two,DNS:three.name",
}
EXPECTED = {
    "dns": "by.name",
    "uri": "spiffe://example.org/agent",
    "email": "agent@example.org",
    "ip": "10.1.2.3",
    "ipv6": "2001:db8::1",
    "several": "three.name",
}


def test_a_client_has_each_name_of_its_certificate(
    launch: Callable[..., Daemon], secure: Callable[..., Wire], first: Authority, tmp_path: Path
) -> None:
    """The alternative names, and the common name, each bound to an agent of its own."""
    tokens = tmp_path / "tokens.toml"
    names = {**{name: f"agent-{kind}" for kind, name in EXPECTED.items()}, "common": "agent-common"}
    tokens.write_text("".join(f'[certificates."{name}"]\nagents = ["{agent}"]\n' for name, agent in names.items()))
    tokens.chmod(0o600)
    daemon = launch("--tls-client-ca-file", str(first.certificate), "--token-file", str(tokens))
    for kind, alternatives in NAMES.items():
        wire = secure(daemon, first, first.issue(f"client-{kind}", alternatives))
        assert wire.agent(f"agent-{kind}").set("key").revision == 1
        assert refused(lambda wire=wire: wire.agent("agent-common").get("key")).reason == "AGENT_FORBIDDEN"  # type: ignore[misc]
    wire = secure(daemon, first, first.issue("common", "DNS:unknown"))
    assert wire.agent("agent-common").set("key").revision == 1
    wire = secure(daemon, first, first.issue("stranger", "DNS:unknown"))
    assert refused(lambda: wire.agent("agent-common").get("key")).reason == "UNAUTHENTICATED"
