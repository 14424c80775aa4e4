"""A policy that changes while the daemon runs, over both transports: calls in progress end, or go on undisturbed."""

import hashlib
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from tests.daemon import Daemon
from tests.integration.credential import authorized
from tests.integration.end import UNAUTHENTICATED, end_of, ends_with
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire, code_of, details_of, refused
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import PATIENT, WAIT_S_MAX, until

import memoryd
from memoryd.v1 import note_service_pb2, note_service_pb2_grpc
from memoryd.v1 import operation_service_pb2 as operation_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.ops.auth.token_use import TokenUses

RENEWED = "policy renewed"
RENEWALS = 20


class Running:
    """A daemon with a policy, of which each row is the text behind its token's hash."""

    def __init__(
        self, launch: Callable[..., Daemon], connect: Callable[[Daemon], Wire], path: Path, *flags: str
    ) -> None:
        self.path = path
        self.write(first='agents = ["team-1"]', second='agents = ["team-1"]')
        self.daemon = launch("--token-file", str(path), *flags)
        self.nobody = connect(self.daemon)

    def write(self, **rows: str) -> None:
        new = self.path.with_suffix(".new")
        new.touch(0o600)
        hashes = {name: hashlib.sha256(f"of-{name}".encode()).hexdigest() for name in rows}
        new.write_text("".join(f'[tokens.{name}]\nsha256 = "{hashes[name]}"\n{row}\n' for name, row in rows.items()))
        new.replace(self.path)

    def renew(self, line: str = RENEWED, **rows: str) -> None:
        """Change the policy, and wait until the daemon has read it."""
        before = self.daemon.log.count(line)
        self.write(**rows)
        self.daemon.signal(signal.SIGHUP)
        until(lambda: self.daemon.log.count(line) > before, line)

    def __getitem__(self, name: str) -> Wire:
        return authorized(self.nobody, f"of-{name}")


@pytest.fixture
def running(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path, transport: str
) -> Running:
    flags = ("--durability", "memory", "--transport", transport)
    return Running(launch_process, connect, tmp_path / "tokens.toml", *flags)


def waiting(wire: Wire) -> "grpc.Future[object]":
    """Begin a call that waits for a reservation of somebody else."""
    request = pb.ReserveEntryRequest(agent_id="team-1", key="key")
    request.wait_duration.FromSeconds(60)
    return wire.memory.ReserveEntry.future(request)  # type: ignore[no-any-return]


def test_a_revoked_tokens_watches_and_waits_end_and_others_go_on(running: Running) -> None:
    first, second = running["first"], running["second"]
    holding = pb.ReserveEntryRequest(agent_id="team-1", key="key")
    holding.lease_duration.FromSeconds(600)
    token = second.memory.ReserveEntry(holding).reservation_token
    wait, other = waiting(first), waiting(second)
    with Watcher(first, "team-1").opened() as ending, Watcher(second, "team-1").opened() as lasting:
        running.renew(second='agents = ["team-1"]')
        assert end_of(ending) == UNAUTHENTICATED
        assert ends_with(wait.result) == UNAUTHENTICATED
        assert ends_with(lambda: first.agent("team-1").get("key")) == UNAUTHENTICATED
        second.agent("team-1").set("key", reservation_token=token)
        assert other.result(timeout=WAIT_S_MAX)
        lasting.until_events(1)


def test_a_watch_that_the_policy_no_longer_allows_is_forbidden_and_others_go_on(running: Running) -> None:
    first = running["first"]
    with Watcher(first, "team-1").opened() as ending:
        running.renew(first='agents = ["team-1"]\nverbs = ["read", "write"]')
        assert end_of(ending) == (grpc.StatusCode.PERMISSION_DENIED, "VERB_FORBIDDEN")
    running.renew(first='agents = ["team-*"]')
    with Watcher(first, "team-*").opened() as ending, Watcher(first, "team-1").opened() as lasting:
        running.renew(first='agents = ["team-1"]\nverbs = ["watch", "write"]')
        assert end_of(ending) == (grpc.StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN")
        first.agent("team-1").set("key")
        lasting.until_events(1)


def test_a_bad_file_keeps_the_old_policy(running: Running) -> None:
    with Watcher(running["first"], "team-1").opened() as lasting:
        running.renew("policy not renewed, keeping the old one", first="agents = []")
        running["first"].agent("team-1").set("key")
        lasting.until_events(1)


@pytest.mark.whole
def test_a_changed_file_is_noticed_without_a_signal(running: Running) -> None:
    with Watcher(running["first"], "team-1").opened() as ending:
        running.write(second='agents = ["team-1"]')
        assert end_of(ending) == UNAUTHENTICATED
    assert running["second"].agent("team-1").set("key").revision == 1


def test_a_new_token_is_used_at_once_without_a_signal(running: Running) -> None:
    running.write(first='agents = ["team-1"]', third='agents = ["team-1"]')
    with memoryd.connect(running.daemon.address, token="of-third", **PATIENT) as client:
        assert client.agent("team-1").set("key", 1).created
    assert ends_with(lambda: running["unknown"].agent("team-1").get("key")) == UNAUTHENTICATED


def test_no_call_fails_while_the_policy_is_renewed_but_those_of_a_revoked_token(running: Running) -> None:
    """First and second stay as they are; third is granted and revoked in turn."""
    stays = {"first": 'agents = ["team-1"]', "second": 'agents = ["team-2"]\nverbs = ["read", "write"]'}
    granted = 'agents = ["team-3"]'
    running.renew(**stays, third=granted)
    is_over, failures, calls = threading.Event(), list[str](), Counter[str]()

    def work(name: str, agent_id: str) -> None:
        agent = running[name].agent(agent_id)
        while not is_over.is_set():
            try:
                agent.set("key")
                agent.get("key")
                calls[name] += 1
            except grpc.RpcError as error:
                details = details_of(error)
                # Revoked, and then asked to wait for the file that grants it again.
                pending = details.metadata.get("limit") == "token_file_reads_per_second"
                if name != "third" or not (pending or (code_of(error), details.reason) == UNAUTHENTICATED):
                    failures.append(f"{name}: {error}")
                calls["refused"] += 1

    names = ("first", "second", "third")
    threads = [
        threading.Thread(target=work, args=(name, f"team-{number}"))
        for number, name in enumerate(names, 1)
        for _ in "ab"
    ]
    for thread in threads:
        thread.start()
    try:
        for turn in range(RENEWALS):
            before = calls["first"], calls["second"]
            running.renew(**stays, **({"third": granted} if turn % 2 else {}))
            until(lambda: calls["first"] > before[0] and calls["second"] > before[1], "others go on")  # noqa: B023
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert calls["refused"]
    assert calls["third"]


@pytest.mark.whole
def test_an_expired_tokens_watch_ends(running: Running) -> None:
    expires = datetime.fromtimestamp(time.time() + 2, UTC)
    running.renew(first=f'agents = ["team-1"]\nexpires = {expires.isoformat()}', second='agents = ["team-1"]')
    try:
        with Watcher(running["first"], "team-1").opened() as ending:
            assert end_of(ending) == UNAUTHENTICATED
    except grpc.RpcError:
        # A busy machine: it had expired before the watch was opened.
        assert time.time() > expires.timestamp()
    assert ends_with(lambda: running["first"].agent("team-1").get("key")) == UNAUTHENTICATED


def test_a_rate_is_refused_with_its_limit_and_a_delay(running: Running) -> None:
    running.renew(first='agents = ["team-1"]\nrate = 0.01')
    running["first"].agent("team-1").set("key")
    refusal = refused(lambda: running["first"].agent("team-1").get("key"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
    assert refusal.metadata == {"limit": "calls_per_second", "value": "0.01"}


def test_tiers_follow_the_file_and_one_that_is_gone_has_what_every_tier_has(running: Running) -> None:
    first, allowed = running["first"], 'agents = ["team-1"]\n'
    notes = note_service_pb2_grpc.NoteServiceStub(first.channel)
    request = note_service_pb2.CreateNoteRequest(agent_id="team-1", draft={"title": "t", "content": "c"})
    refused_tier = (grpc.StatusCode.FAILED_PRECONDITION, "FEATURE_NOT_IN_TIER")
    running.renew(first=f'{allowed}tier = "free"\n[tiers.free]\nfeatures = ["notes"]')
    first.agent("team-1").set("key")
    assert notes.CreateNote(request).revision
    running.renew(first=f'{allowed}tier = "free"\n[tiers.free]\nfeatures = ["plans"]')
    assert ends_with(lambda: notes.CreateNote(request)) == refused_tier
    running.renew("keeping the old one", first=f'{allowed}tier = "gold"\n[tiers.free]')
    assert ends_with(lambda: notes.CreateNote(request)) == refused_tier
    running.renew(first=allowed)
    assert ends_with(lambda: notes.CreateNote(request)) == refused_tier
    assert first.agent("team-1").set("key").revision
    running.renew(first=f"{allowed}[tiers.free]")
    assert notes.CreateNote(request).revision


def test_an_operations_watch_ends_with_its_token(running: Running) -> None:
    first = running["first"]
    create = operation_pb.StartOperationRequest(operation_id="o", create_snapshot={"agent_id": "team-1"})
    first.agent("team-1").set("key")
    first.operations.StartOperation(create)
    running.renew(first='agents = ["team-1"]\nverbs = ["read"]')
    got = operation_pb.GetOperationRequest(operation_id="o")
    assert ends_with(lambda: first.operations.GetOperation(got)) == (
        grpc.StatusCode.PERMISSION_DENIED,
        "VERB_FORBIDDEN",
    )


def test_the_last_use_of_a_token_is_noted(running: Running) -> None:
    running["first"].agent("team-1").set("key")
    assert running.daemon.stop() == 0
    uses = TokenUses(running.daemon.data_dir).read()["token"]
    assert list(uses) == [hashlib.sha256(b"of-first").hexdigest()]


def test_every_worker_renews_the_policy(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path, valkey: ValkeyServer
) -> None:
    store = with_options(valkey.url, prefix=f"policy-{tmp_path.name}", shards=2)
    flags = ("--store", store, "--durability", "journaled", "--workers", "2")
    running = Running(launch_process, connect, tmp_path / "tokens.toml", *flags)
    until(lambda: running.daemon.log.count(" serving listen=") == 2, "both workers serve")
    running.write(second='agents = ["team-1"]')
    running.daemon.signal(signal.SIGHUP)
    until(lambda: running.daemon.log.count(RENEWED) == 2, "both workers renew")
