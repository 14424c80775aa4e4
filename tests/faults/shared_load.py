"""Writers at two daemons that share a store, each with a ledger, that keep writing whatever fails."""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterator

import grpc
from tests.integration.ledger import Ledger
from tests.integration.shared.pair import Pair
from tests.integration.wire import Wire, code_of, details_of
from tests.wait import WAIT_S_MAX, until

WRITERS = 8

UNAVAILABLE = (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
FULL = (grpc.StatusCode.RESOURCE_EXHAUSTED, "STORAGE_FULL")
LOST = (grpc.StatusCode.DATA_LOSS, "HISTORY_LOST")
CUT = (grpc.StatusCode.UNAVAILABLE, "")
"""The call never reached a daemon, or its daemon ended."""

Refusal = tuple[grpc.StatusCode, str]


def refusal_of(error: grpc.RpcError) -> Refusal:
    """Return a failed call's status and reason; the reason is empty if the error is not the daemon's."""
    code = code_of(error)
    has_details = any(name == "grpc-status-details-bin" for name, _ in error.trailing_metadata() or ())  # type: ignore[attr-defined]
    return code, details_of(error).reason if has_details else ""


class Load:
    """Writers, each with an agent of its own, that write at either daemon. ``refusals`` counts their failed calls."""

    def __init__(self, wires: list[Wire], chance: random.Random) -> None:
        self.refusals: Counter[Refusal] = Counter()
        self.ledgers = [Ledger(f"writer-{index}") for index in range(WRITERS)]
        self._wires = wires
        self._chance = chance
        self._stop = threading.Event()
        self._failures: list[BaseException] = []

    @property
    def acknowledged(self) -> int:
        """The number of acknowledged changes of all writers."""
        return sum(ledger.acknowledged for ledger in self.ledgers)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let all write during the block, then compare their ledgers with both daemons."""
        self._stop.clear()
        threads = [
            threading.Thread(target=self._work, args=(ledger, random.Random(self._chance.randrange(2**32))))
            for ledger in self.ledgers
        ]
        for thread in threads:
            thread.start()
        try:
            yield
            self.until_acknowledged()
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()
        assert not self._failures, self._failures[0]
        self.check()

    def until_acknowledged(self, count: int = 5 * WRITERS) -> None:
        """Wait until ``count`` more changes were acknowledged, or a writer has failed."""
        wanted = self.acknowledged + count
        until(lambda: self.acknowledged >= wanted or self._failures, f"{count} more changes are acknowledged")

    def until_refused(self, refusal: Refusal) -> None:
        """Wait until one more call was refused like this, or a writer has failed."""
        wanted = self.refusals[refusal] + 1
        until(lambda: self.refusals[refusal] >= wanted or self._failures, f"a call is refused with {refusal}")

    def check(self) -> None:
        """Assert that neither daemon has lost an acknowledged change, and that watches report all without gaps."""
        for wire in self._wires:
            # A channel that failed to connect backs off, and would not yet reach a daemon that has just started.
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
        except BaseException as failure:  # noqa: BLE001 - raised again in the thread of the test
            self._failures.append(failure)

    def _settle(self, ledger: Ledger, chance: random.Random) -> None:
        """Settle whether the failed change was committed, as soon as a daemon answers."""

        def is_settled() -> bool:
            try:
                ledger.check(chance.choice(self._wires))
            except grpc.RpcError as error:
                self.refusals[refusal_of(error)] += 1
                return False
            return True

        until(is_settled, "a daemon answers")


def load_of(pair: Pair, chance: random.Random) -> Load:
    """Return writers for the daemons of a pair."""
    return Load(pair.wires, chance)
