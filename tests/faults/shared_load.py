"""Writers at two daemons that share a store, each with a ledger, who go on whatever happens."""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterator

import grpc
from tests.integration.ledger import Ledger
from tests.integration.shared.pair import Pair
from tests.integration.wire import Wire, code_of, told
from tests.wait import WAIT_S_MAX, until

WRITERS = 8

UNAVAILABLE = (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
FULL = (grpc.StatusCode.RESOURCE_EXHAUSTED, "STORAGE_FULL")
LOST = (grpc.StatusCode.DATA_LOSS, "HISTORY_LOST")
CUT = (grpc.StatusCode.UNAVAILABLE, "")
"""The daemon itself was away."""

Refusal = tuple[grpc.StatusCode, str]


def refusal_of(error: grpc.RpcError) -> Refusal:
    """A call's status and reason; the reason is empty when it was not the daemon who ended it."""
    code = code_of(error)
    has_details = any(name == "grpc-status-details-bin" for name, _ in error.trailing_metadata() or ())  # type: ignore[attr-defined]
    return code, told(error).reason if has_details else ""


class Load:
    """Each writer has an agent of its own and goes to either daemon. What it was refused with is counted."""

    def __init__(self, wires: list[Wire], chance: random.Random) -> None:
        self.refusals: Counter[Refusal] = Counter()
        self.ledgers = [Ledger(f"writer-{index}") for index in range(WRITERS)]
        self._wires = wires
        self._chance = chance
        self._stop = threading.Event()
        self._failures: list[BaseException] = []

    @property
    def acknowledged(self) -> int:
        """How many changes were acknowledged."""
        return sum(ledger.acknowledged for ledger in self.ledgers)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Meanwhile all write; afterwards what they know is held against both daemons."""
        self._stop.clear()
        threads = [
            threading.Thread(target=self._work, args=(ledger, random.Random(self._chance.randrange(2**32))))
            for ledger in self.ledgers
        ]
        for thread in threads:
            thread.start()
        try:
            yield
            self.go_on()
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()
        assert not self._failures, self._failures[0]
        self.check()

    def go_on(self, count: int = 5 * WRITERS) -> None:
        """Wait until so many more changes were acknowledged."""
        wanted = self.acknowledged + count
        until(lambda: self.acknowledged >= wanted or self._failures, "changes go on")

    def until_refused(self, refusal: Refusal) -> None:
        """Wait until somebody was refused like this once more."""
        wanted = self.refusals[refusal] + 1
        until(lambda: self.refusals[refusal] >= wanted or self._failures, f"somebody is refused with {refusal}")

    def check(self) -> None:
        """Nothing acknowledged is lost, at either daemon, and the watches tell of it without gaps."""
        for wire in self._wires:
            # A daemon that has just been started is not found at once by who met it dead.
            grpc.channel_ready_future(wire.channel).result(WAIT_S_MAX)
        for ledger in self.ledgers:
            for wire in self._wires:
                ledger.check(wire)
            ledger.follow(self._chance.choice(self._wires))

    def _work(self, ledger: Ledger, chance: random.Random) -> None:
        try:
            while not self._stop.is_set():
                try:
                    ledger.change(chance.choice(self._wires), chance)
                except grpc.RpcError as error:
                    self.refusals[refusal_of(error)] += 1
                    self._settle(ledger, chance)
        except BaseException as failure:  # noqa: BLE001 - told to the test, which runs in another thread
            self._failures.append(failure)

    def _settle(self, ledger: Ledger, chance: random.Random) -> None:
        """Find out what became of the change that was not answered, once somebody answers that."""

        def is_answered() -> bool:
            try:
                ledger.check(chance.choice(self._wires))
            except grpc.RpcError as error:
                self.refusals[refusal_of(error)] += 1
                return False
            return True

        until(is_answered, "somebody answers")


def load_of(pair: Pair, chance: random.Random) -> Load:
    """The writers of a pair."""
    return Load(pair.wires, chance)
