"""Repeated SIGKILL under concurrent writers: nothing acknowledged is lost. P-9."""

import random
import threading
import time
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.integration.ledger import Ledger
from tests.integration.seed import seeded
from tests.integration.wire import Wire
from tests.wait import until

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
    failures: list[BaseException] = []

    def work(ledger: Ledger, seed: int) -> None:
        try:
            ledger.write(wire, random.Random(seed))
        except BaseException as failure:  # noqa: BLE001 - raised again in the thread of the test
            failures.append(failure)

    before = sum(ledger.acknowledged for ledger in ledgers)
    threads = [threading.Thread(target=work, args=(ledger, chance.randrange(2**32))) for ledger in ledgers]
    for thread in threads:
        thread.start()
    until(lambda: sum(ledger.acknowledged for ledger in ledgers) > before or failures, "something is acknowledged")
    # The kill may hit a commit, a checkpoint, or the time between two.
    time.sleep(chance.uniform(0, 0.3))  # time: a random moment
    daemon.kill()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


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
