"""Kills of a daemon at a random moment while it is written to."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from tests.daemon import Daemon, insecure_channel
from tests.integration.ledger import Ledger
from tests.integration.wire import Wire
from tests.wait import until

WRITERS = 8


def kill_while_writing(
    daemon: Daemon, writes: Sequence[Callable[[], None]], acknowledged: Callable[[], int], chance: random.Random
) -> None:
    """Kill the daemon while each of the writers runs on a thread of its own, and wait for their ends.

    ``acknowledged`` returns the number of writes that the daemon acknowledged: the kill comes after the first. Raises
    what a writer raises.
    """
    failures: list[BaseException] = []

    def work(write: Callable[[], None]) -> None:
        try:
            write()
        except BaseException as failure:  # noqa: BLE001 - raised again in the thread of the test
            failures.append(failure)

    before = acknowledged()
    threads = [threading.Thread(target=work, args=(write,)) for write in writes]
    for thread in threads:
        thread.start()
    until(lambda: acknowledged() > before or failures, "something is acknowledged")
    # The kill may hit a commit, a checkpoint, or the time between two.
    time.sleep(chance.uniform(0, 0.3))  # time: a random moment
    daemon.kill()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def write_and_kill(daemon: Daemon, chance: random.Random, rounds: int) -> list[Ledger]:
    """Kill the daemon under writers with ledgers, ``rounds`` times. Raises AssertionError if a change is lost."""
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
    return ledgers


def _kill_while_writing(daemon: Daemon, wire: Wire, ledgers: list[Ledger], chance: random.Random) -> None:
    writes = [partial(ledger.write, wire, random.Random(chance.randrange(2**32))) for ledger in ledgers]
    kill_while_writing(daemon, writes, lambda: sum(ledger.acknowledged for ledger in ledgers), chance)
