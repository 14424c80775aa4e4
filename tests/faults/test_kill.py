"""Repeated SIGKILL under concurrent writers: nothing acknowledged is lost. P-9."""

import random
from functools import partial
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.faults.killing import kill_while_writing
from tests.integration.ledger import Ledger
from tests.integration.seed import seeded
from tests.integration.wire import Wire

WRITERS = 8
ROUNDS = 3
MANY_ROUNDS = 200


@pytest.fixture
def chance() -> random.Random:
    return seeded()


def run(daemon: Daemon, chance: random.Random, rounds: int) -> None:
    ledgers = [Ledger(f"writer-{index}") for index in range(WRITERS)]
    for _ in range(rounds):
        daemon.start()
        with insecure_channel(daemon.address) as channel:
            wire = Wire(channel)
            for ledger in ledgers:
                ledger.check(wire)
                ledger.follow(wire)
            _kill_while_writing(daemon, wire, ledgers, chance)
    daemon.start()
    with insecure_channel(daemon.address) as channel:
        for ledger in ledgers:
            ledger.check(Wire(channel))
            ledger.follow(Wire(channel))
    assert sum(ledger.acknowledged for ledger in ledgers) >= rounds


def _kill_while_writing(daemon: Daemon, wire: Wire, ledgers: list[Ledger], chance: random.Random) -> None:
    writes = [partial(ledger.write, wire, random.Random(chance.randrange(2**32))) for ledger in ledgers]
    kill_while_writing(daemon, writes, lambda: sum(ledger.acknowledged for ledger in ledgers), chance)


@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_nothing_acknowledged_is_lost_when_the_daemon_is_killed(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        run(daemon, chance, ROUNDS)
    finally:
        daemon.close()


@pytest.mark.faults
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_nothing_acknowledged_is_lost_over_hundreds_of_kills(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        run(daemon, chance, MANY_ROUNDS)
    finally:
        daemon.close()
