"""A replica is promoted: with WAIT nothing is lost; without, each loss is reported once, and the daemons continue."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from tests.faults.shared_load import LOST, UNAVAILABLE, load_of
from tests.integration.shared.health import SERVING, until_health
from tests.integration.shared.pair import Pair, sharing, use
from tests.integration.watcher import Watcher
from tests.integration.wire import refused
from tests.valkey.sentinel import ValkeySentinel
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import until

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

USER = ("memory", "secret")
ROUNDS = 2


@pytest.fixture
def sentinel(tmp_path: Path) -> Iterator[ValkeySentinel]:
    with ValkeySentinel(tmp_path / "servers", credentials=USER) as running:
        yield running


def url_of(sentinel: ValkeySentinel) -> str:
    return f"redis+sentinel://{':'.join(USER)}@{sentinel.address}/{sentinel.name}"


@pytest.fixture
def pair(sentinel: ValkeySentinel, tmp_path: Path) -> Iterator[Pair]:
    with sharing(tmp_path, url_of(sentinel)) as running:
        yield running


def test_with_a_replica_that_is_waited_for_nothing_is_lost(
    sentinel: ValkeySentinel, tmp_path: Path, chance: random.Random
) -> None:
    with sharing(tmp_path, with_options(url_of(sentinel), replicas=1)) as pair:
        load = load_of(pair, chance)
        for _ in range(ROUNDS):
            with load.running():
                load.until_acknowledged()
                sentinel.fail_over()
                # Until there is a replica again, no commit can be acknowledged: WAIT asks for one.
                load.until_refused(UNAVAILABLE)
                sentinel.restart()
        assert load.refusals.keys() == {UNAVAILABLE}


def stop_replication(primary: ValkeyServer, replica: ValkeyServer) -> None:
    """Cut the replica off from the primary; both keep running."""
    replica.command("CONFIG", "SET", "masterauth", "another")
    primary.command("CLIENT", "KILL", "TYPE", "replica")
    until(lambda: not replica.is_synced, "the replica is cut off")


def fail_over_losing(sentinel: ValkeySentinel, pair: Pair, lost: list[str]) -> None:
    """Stop replication, change these agents, and promote the replica, which lacks the changes."""
    old, new = sentinel.primary, sentinel.replica
    stop_replication(old, new)
    for agent_id in lost:
        pair.a.agent(agent_id).set("k", "lost")
        assert pair.b.agent(agent_id).value("k") == "lost"
    old.kill()
    until(lambda: sentinel.primary is new and new.role == "master", "the sentinel promotes the replica")


def test_commits_that_a_failover_lost_are_reported_to_calls_and_watches(sentinel: ValkeySentinel, pair: Pair) -> None:
    agents = [pair.a.agent().id for _ in range(6)]
    for agent_id in agents:
        pair.a.agent(agent_id).set("k", "kept")
    known = agents[0]
    with Watcher(pair.a, known).opened() as first, Watcher(pair.b).opened() as second:
        fail_over_losing(sentinel, pair, agents[:4])
        for watcher in (first, second):
            refusal = watcher.refused()
            assert (refusal.code, refusal.reason) == LOST
    for agent_id in agents[:4]:
        for wire in pair.wires:
            refusal = refused(partial(wire.agent(agent_id).get, "k"))
            assert (refusal.code, refusal.reason) == LOST
            assert refusal.metadata == {"agent_id": agent_id}
    for wire in pair.wires:
        until_health(wire, SERVING)
        # Each daemon reports the loss once, and then accepts the store's state as the agent's.
        assert [wire.agent(agent_id).value("k") for agent_id in agents] == ["kept"] * 6
    use(pair)


def test_a_change_of_an_agent_that_lost_commits_is_refused_without_effect(sentinel: ValkeySentinel, pair: Pair) -> None:
    agent_id = pair.a.agent().id
    pair.a.agent(agent_id).set("k", "kept")
    fail_over_losing(sentinel, pair, [agent_id])
    for wire in pair.wires:
        refusal = refused(partial(wire.agent(agent_id).set, "l"))
        assert (refusal.code, refusal.reason) == LOST
    assert pair.a.agent(agent_id).values() == pair.b.agent(agent_id).values() == {"k": "kept"}


def test_a_resume_token_of_a_lost_commit_is_refused(sentinel: ValkeySentinel, pair: Pair) -> None:
    agent_id = pair.a.agent().id
    pair.a.agent(agent_id).set("k", "kept")
    with Watcher(pair.b, agent_id).opened() as watcher:
        fail_over_losing(sentinel, pair, [agent_id])
        watcher.refused()
    with ThreadPoolExecutor() as pool:
        reasons = pool.map(
            lambda wire: Watcher(wire, agent_id, resume_token=watcher.token).refused().reason, pair.wires
        )
    assert set(reasons) <= {"REVISION_IN_FUTURE", "HISTORY_LOST"}


def test_a_fork_is_reported_even_if_the_new_history_is_longer(sentinel: ValkeySentinel, pair: Pair) -> None:
    """A daemon that never saw the lost commits writes more than were lost, before the one that saw them reads."""
    agent_id = pair.a.agent().id
    pair.a.agent(agent_id).set("k", "kept")
    old, new = sentinel.primary, sentinel.replica
    stop_replication(old, new)
    for number in range(3):
        pair.b.agent(agent_id).set("k", f"lost {number}")
    old.kill()
    until(lambda: sentinel.primary is new and new.role == "master", "the sentinel promotes the replica")
    # Daemon a has not read the lost commits: to it, the new history continues what it knows.
    for number in range(5):
        pair.a.agent(agent_id).set("l", number)
    refusal = refused(lambda: pair.b.agent(agent_id).get("k"))
    assert (refusal.code, refusal.reason) == LOST
    assert pair.b.agent(agent_id).values() == {"k": "kept", "l": 4}
