"""The server that two daemons share is killed, paused, filled, emptied: no acknowledged change is lost silently."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.shared_load import CUT, FULL, LOST, UNAVAILABLE, load_of
from tests.integration.shared.health import NOT_SERVING, SERVING, health_of, until_health
from tests.integration.shared.pair import Pair, sharing
from tests.integration.watcher import Watcher
from tests.integration.wire import refused
from tests.valkey.server import ValkeyServer
from tests.wait import until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

ROUNDS = 3
PAUSE_S = 10.0  # time: a shorter pause tests less


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path / "server", options={"appendfsync": "always"}) as running:
        yield running


@pytest.fixture(params=["journaled", "synced"])
def pair(request: pytest.FixtureRequest, server: ValkeyServer, tmp_path: Path) -> Iterator[Pair]:
    with sharing(tmp_path, server.url, "--durability", request.param) as running:
        yield running


def test_a_server_that_is_killed_under_load_loses_nothing(
    pair: Pair, server: ValkeyServer, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            server.kill()
            for wire in pair.wires:
                until_health(wire, NOT_SERVING)
            server.start()
            for wire in pair.wires:
                until_health(wire, SERVING)
    assert load.refusals.keys() <= {UNAVAILABLE}


def test_no_call_fails_when_the_server_restarts_at_once(
    pair: Pair, server: ValkeyServer, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            server.restart()
    assert not load.refusals


def test_a_server_that_pauses_for_10_s_loses_nothing(pair: Pair, server: ValkeyServer, chance: random.Random) -> None:
    load = load_of(pair, chance)
    with load.running():
        load.until_acknowledged()
        server.pause()
        load.until_refused(UNAVAILABLE)
        for wire in pair.wires:
            until_health(wire, NOT_SERVING)
        with pytest.raises(AssertionError, match="not within"):
            until(lambda: any(health_of(wire) == SERVING for wire in pair.wires), "it serves", timeout_s=PAUSE_S)
        server.resume()
        for wire in pair.wires:
            until_health(wire, SERVING)
    assert load.refusals.keys() == {UNAVAILABLE}


def test_a_server_without_memory_refuses_changes_until_it_has_some(
    pair: Pair, server: ValkeyServer, chance: random.Random
) -> None:
    load = load_of(pair, chance)
    for _ in range(ROUNDS):
        with load.running():
            load.until_acknowledged()
            server.command("CONFIG", "SET", "maxmemory", "1mb")
            load.until_refused(FULL)
            assert [health_of(wire) for wire in pair.wires] == [SERVING, SERVING]
            server.command("CONFIG", "SET", "maxmemory", "0")
    assert load.refusals.keys() == {FULL}


def test_an_emptied_server_is_reported_as_a_loss_until_a_daemon_restarts(pair: Pair, server: ValkeyServer) -> None:
    here, there = pair.agents()
    here.write({"k": 1})
    assert there.value("k") == 1
    with Watcher(pair.b, here.id).opened() as watcher, Watcher(pair.a).opened() as of_all:
        server.command("FLUSHALL")
        calls = [lambda: here.get("k"), lambda: there.get("never"), lambda: here.set("k"), there.list, there.stats]
        assert {(each.code, each.reason) for each in map(refused, calls)} == {LOST}
        for each in (watcher, of_all):
            refusal = each.refused()
            assert (refusal.code, refusal.reason) == LOST
    for wire in pair.wires:
        until_health(wire, NOT_SERVING)
    # No daemon starts an empty history by itself. The restart is the operator's consent to losing the old one.
    pair.daemons[0].stop()
    pair.daemons[0].start()
    until_health(pair.a, SERVING)
    here.set("new")
    assert here.values() == {"new": 1}
    assert refused(lambda: there.get("new")).reason == LOST[1]


def test_repeated_kills_of_one_daemon_lose_nothing_while_the_other_serves(pair: Pair, chance: random.Random) -> None:
    load = load_of(pair, chance)
    for turn in range(4 * ROUNDS):
        with load.running():
            load.until_acknowledged(chance.randrange(1, 40))
            daemon = pair.daemons[turn % 2]
            daemon.kill()
            load.until_acknowledged()
            daemon.start()
    assert load.refusals.keys() == {CUT}


def test_a_daemon_does_not_start_while_its_server_is_down(pair: Pair, server: ValkeyServer) -> None:
    pair.a.agent("a").set("k")
    daemon = pair.daemons[1]
    daemon.stop()
    server.kill()
    with pytest.raises(AssertionError, match="daemon ended with"):
        daemon.start()
    server.start()
    daemon.start()
    assert pair.b.agent("a").value("k") == 1
