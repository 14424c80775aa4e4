"""Issuers' tokens on a running daemon, over both transports."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.credential import authorized
from tests.integration.end import UNAUTHENTICATED, end_of, ends_with
from tests.integration.metrics import scraped, scraped_by
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire, code_of
from tests.issuer import AUDIENCE, ISSUER, KeyServer, TokenIssuer
from tests.port import free_port
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import PATIENT, until

import memoryd
from memoryd.v1 import server_service_pb2 as server_pb
from memoryd_server.ops.limit import ISSUED_TOKEN_BYTES_MAX
from memoryd_server.transport.limit import CALL_METADATA_BYTES_MAX

MEMORY = ("--durability", "memory")
READ = "keys of an issuer read"
RULES = 'rules = [{ agents = ["user-{sub}"] }, { agents = ["shared-*"], verbs = ["read"] }]'


class Running:
    """A daemon that accepts the tokens of an issuer, whose keys a server has."""

    def __init__(
        self, launch: Callable[..., Daemon], connect: Callable[[Daemon], Wire], path: Path, keys: str, *flags: str
    ) -> None:
        self.path, self.keys = path, keys
        self.write(RULES)
        self.daemon = launch("--token-file", str(path), *flags)
        self.nobody = connect(self.daemon)

    def write(self, rows: str) -> None:
        new = self.path.with_suffix(".new")
        new.touch(0o600)
        issuer = f'issuer = "{ISSUER}"\naudience = "{AUDIENCE}"\nleeway = 0\nkeys = "{self.keys}"\n{rows}\n'
        new.write_text(f"[issuers.sso]\n{issuer}" if rows else "")
        new.replace(self.path)

    def renew(self, rows: str) -> None:
        """Change the policy, and wait until the daemon has read it."""
        before = self.daemon.log.count("policy renewed")
        self.write(rows)
        self.daemon.signal(signal.SIGHUP)
        until(lambda: self.daemon.log.count("policy renewed") > before, "policy renewed")

    def has_read(self, count: int = 1) -> None:
        """Wait until the daemon has read other keys this often."""
        until(lambda: self.daemon.log.count(READ) >= count, READ)

    def by(self, token: str) -> Wire:
        return authorized(self.nobody, token)


@pytest.fixture
def tokens() -> TokenIssuer:
    return TokenIssuer()


@pytest.fixture
def server(tokens: TokenIssuer) -> Iterator[KeyServer]:
    with KeyServer(tokens.key_set("rsa", "ec")) as server:
        yield server


@pytest.fixture
def running(
    launch_process: Callable[..., Daemon],
    connect: Callable[[Daemon], Wire],
    tmp_path: Path,
    transport: str,
    server: KeyServer,
) -> Running:
    running = Running(launch_process, connect, tmp_path / "tokens.toml", server.url, "--transport", transport, *MEMORY)
    running.has_read()
    return running


def test_a_token_has_what_its_rules_grant_and_wrong_ones_nothing(running: Running, tokens: TokenIssuer) -> None:
    for key_id in ("rsa", "ec"):
        ada = running.by(tokens.token(key_id))
        ada.agent("user-ada").set(key_id)
        assert ends_with(lambda ada=ada: ada.agent("user-bob").set("key"))[1] == "AGENT_FORBIDDEN"
        assert ends_with(lambda ada=ada: ada.agent("shared-a").set("key"))[1] == "VERB_FORBIDDEN"
    wide = running.by(tokens.token(sub="*"))
    assert ends_with(lambda: wide.agent("user-ada").get("ec"))[1] == "AGENT_FORBIDDEN"
    wrong = [
        TokenIssuer().token(),
        tokens.token(aud="other"),
        tokens.token(exp=int(time.time()) - 1),
        tokens.token(groups="x" * (ISSUED_TOKEN_BYTES_MAX - 2_000)) + "x",
        tokens.token(groups="x" * ISSUED_TOKEN_BYTES_MAX),
    ]
    for token in wrong:
        assert ends_with(lambda token=token: running.by(token).agent("user-ada").get("ec")) == UNAUTHENTICATED
    large = running.by("x" * (2 * CALL_METADATA_BYTES_MAX))
    with pytest.raises(grpc.RpcError) as raised:
        large.agent("user-ada").get("ec")
    assert code_of(raised.value) is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "reason=signature" in running.daemon.log
    assert not any(token[-40:] in running.daemon.log for token in wrong)


@pytest.mark.whole
def test_a_tokens_watch_ends_at_its_moment(running: Running, tokens: TokenIssuer) -> None:
    end = int(time.time()) + 3
    short, long = running.by(tokens.token(exp=end)), running.by(tokens.token())
    with Watcher(short, "user-ada") as ending, Watcher(long, "user-ada").opened() as lasting:
        assert end_of(ending) == UNAUTHENTICATED
        assert time.time() >= end
        long.agent("user-ada").set("key")
        lasting.until_events(1)
    assert ends_with(lambda: short.agent("user-ada").get("key")) == UNAUTHENTICATED


def test_a_changed_policy_changes_and_ends_calls(running: Running, tokens: TokenIssuer) -> None:
    ada = running.by(tokens.token())
    with Watcher(ada, "user-ada").opened() as ending:
        running.renew('rules = [{ agents = ["user-{sub}"], verbs = ["read"] }]')
        assert end_of(ending) == (grpc.StatusCode.PERMISSION_DENIED, "VERB_FORBIDDEN")
    running.renew(RULES)
    with Watcher(ada, "user-ada").opened() as ending:
        running.renew("")
        assert end_of(ending) == UNAUTHENTICATED
    assert ends_with(lambda: ada.agent("user-ada").get("key")) == UNAUTHENTICATED


@pytest.mark.whole
def test_an_issuer_may_change_its_keys(running: Running, tokens: TokenIssuer, server: KeyServer) -> None:
    old = running.by(tokens.token("ec"))
    with Watcher(old, "user-ada").opened() as ending:
        tokens.add("new")
        server.body = tokens.key_set("ec", "new")
        new = running.by(tokens.token("new"))
        assert ends_with(lambda: new.agent("user-ada").set("key")) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            "OVERLOADED",
        )
        running.has_read(2)
        new.agent("user-ada").set("key")
        ending.until_events(1)
        server.body = tokens.key_set("new")
        running.daemon.signal(signal.SIGHUP)
        assert end_of(ending) == UNAUTHENTICATED
    new.agent("user-ada").set("key")


@pytest.mark.whole
def test_clients_notice_nothing_of_a_new_key(running: Running, tokens: TokenIssuer, server: KeyServer) -> None:
    tokens.add("new")
    server.body = tokens.key_set()
    with memoryd.connect(running.daemon.address, token=tokens.token("new"), **PATIENT) as client:
        client.agent("user-ada").set("key", 1)
    assert running.daemon.log.count(READ) == 2


@pytest.mark.whole
def test_the_last_keys_are_kept_during_an_outage(running: Running, tokens: TokenIssuer, server: KeyServer) -> None:
    server.status = 503
    running.daemon.signal(signal.SIGHUP)
    until(lambda: "keys of an issuer not read" in running.daemon.log, "an outage")
    running.by(tokens.token()).agent("user-ada").set("key")
    info = running.by(tokens.token()).server.GetServerInfo(server_pb.GetServerInfoRequest())
    policy = next(each for each in info.components if each.name == "policy")
    assert policy.state == server_pb.COMPONENT_STATE_DEGRADED
    assert "the keys of an issuer cannot be read" in policy.reason


@pytest.mark.whole
def test_a_daemon_starts_without_keys_and_reads_them_later(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path, tokens: TokenIssuer
) -> None:
    port = free_port()
    keys = tmp_path / "keys.json"
    metrics = ("--metrics-listen", f"127.0.0.1:{port}")
    running = Running(launch_process, connect, tmp_path / "tokens.toml", str(keys), *metrics, *MEMORY)
    until(lambda: "keys of an issuer not read" in running.daemon.log, "no keys")
    ada = running.by(tokens.token())
    assert ends_with(lambda: ada.agent("user-ada").set("key"))[1] == "OVERLOADED"
    keys.write_bytes(tokens.key_set())
    running.has_read()
    ada.agent("user-ada").set("key")
    assert ends_with(lambda: running.by(TokenIssuer().token()).agent("user-ada").set("key")) == UNAUTHENTICATED
    failed = scraped_by(port, "agents_memory_server_authentication_failed_total", "reason")
    assert failed == {"signature": 1}
    assert scraped(port)["agents_memory_server_issuer_keys_failed_total"] >= 1


def test_every_worker_accepts_an_issuers_tokens(
    launch_process: Callable[..., Daemon],
    connect: Callable[[Daemon], Wire],
    tmp_path: Path,
    valkey: ValkeyServer,
    tokens: TokenIssuer,
    server: KeyServer,
) -> None:
    store = with_options(valkey.url, prefix=f"issuer-{tmp_path.name}", shards=2)
    flags = ("--store", store, "--durability", "journaled", "--workers", "2")
    running = Running(launch_process, connect, tmp_path / "tokens.toml", server.url, *flags)
    running.has_read(2)
    for number in range(8):
        with running.daemon.channel() as channel:
            ada = authorized(Wire(channel), tokens.token(jti=str(number)))
            ada.agent("user-ada").set("key")
    assert len(server.requests) >= 2
