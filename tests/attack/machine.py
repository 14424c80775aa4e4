"""Faults of the machine under writers, with the ledgers of kills: a disk that fails, a clock that jumps, little memory.

After each fault the daemon must have what was acknowledged, whether it went on or ended, and after a kill as well.
"""

import contextlib
import random
import resource
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import grpc
from tests.attack.kill_result import KillResult, TimedDaemon
from tests.attack.memory import MEBIBYTE, memory_mb
from tests.daemon import insecure_channel
from tests.faults.machine import Faults
from tests.integration.ledger import Ledger
from tests.integration.wire import Wire
from tests.wait import until

from memoryd.v1 import conversation_service_pb2 as conversation_pb

WRITERS = 4
_WRITES_BETWEEN = 20
"""Number of acknowledged writes before a fault, and after it."""
_DISK = (("write",), ("sync",), ("read", "write"))
_DAY_S = 24 * 3_600
_JUMPS_S = (_DAY_S, -_DAY_S, 400 * _DAY_S, 0, -3_600, 0)
_ROOM_MB = (16, 48, 96)
"""Address space that is left to the daemon."""
_TEXT_BYTES, _TEXTS = 250_000, 60
"""A request of 15 MB."""
_LARGE_REQUESTS = 4
_AT_A_TIME = 4
_CALL_S_MAX = 60.0
"""Timeout of a large request, far longer than any should take."""


class _Writing:
    """Writers with a ledger each, which write until the daemon refuses, and go on at the next round."""

    def __init__(self, daemon: TimedDaemon, chance: random.Random) -> None:
        self.daemon = daemon
        self.chance = chance
        self.ledgers = [Ledger(f"writer-{number}") for number in range(WRITERS)]

    @property
    def acknowledged(self) -> int:
        return sum(ledger.acknowledged for ledger in self.ledgers)

    @property
    def events(self) -> int:
        return sum(len(ledger.events) for ledger in self.ledgers)

    def check(self) -> None:
        """Compare each ledger with the daemon, and its watch with both."""
        with self._wire() as wire:
            for ledger in self.ledgers:
                ledger.check(wire)
                ledger.follow(wire)

    def write(self, count: int) -> None:
        """Make a number of changes, all of which must succeed."""
        with self._wire() as wire:
            for number in range(count):
                self.ledgers[number % WRITERS].change(wire, self.chance)

    def expect_clock(self, now_s: float) -> None:
        """Assert that the daemon's clock has jumped: it is nearer to ``now_s`` than half a day."""
        with self._wire() as wire:
            moment = wire.agent("clock").set("key").entry.update_time
        assert abs(moment.seconds - now_s) < _DAY_S / 2, "the clock did not jump"

    @contextlib.contextmanager
    def meanwhile(self, *, until_refused: bool) -> Iterator[None]:
        """Write on threads while the block runs; afterwards until each writer is refused, if that is what must be."""
        is_over, failures = threading.Event(), list[BaseException]()

        def work(ledger: Ledger, chance: random.Random) -> None:
            try:
                with self._wire() as wire:
                    while until_refused or not is_over.is_set():
                        ledger.change(wire, chance)
            except grpc.RpcError as error:
                if not until_refused:
                    failures.append(error)
            except BaseException as error:  # noqa: BLE001 - raised again in the thread of the test
                failures.append(error)

        before = self.acknowledged
        chances = [random.Random(self.chance.randrange(2**32)) for _ in self.ledgers]
        threads = [threading.Thread(target=work, args=each) for each in zip(self.ledgers, chances, strict=True)]
        for thread in threads:
            thread.start()
        until(lambda: self.acknowledged > before or failures, "something is acknowledged")
        yield
        is_over.set()
        for thread in threads:
            thread.join()
        assert not failures, failures[0]

    @contextlib.contextmanager
    def _wire(self) -> Iterator[Wire]:
        with insecure_channel(self.daemon.address) as channel:
            yield Wire(channel)


def _disk(writing: _Writing, faults: Faults, number: int) -> None:
    names = _DISK[number % len(_DISK)]
    with writing.meanwhile(until_refused=True):
        for name in names:
            faults.begin(name)
    for name in names:
        faults.end(name)


def _clock(writing: _Writing, faults: Faults, number: int) -> None:
    with writing.meanwhile(until_refused=False):
        for later_s in _JUMPS_S[: 2 + number % len(_JUMPS_S)]:
            faults.set_clock(later_s)
            until(partial(_has_more, writing, writing.acknowledged + _WRITES_BETWEEN), "writes go on")
            if later_s == _DAY_S:
                writing.expect_clock(time.time() + later_s)


def _has_more(writing: _Writing, count: int) -> bool:
    return writing.acknowledged >= count


def _memory(writing: _Writing, _: Faults, number: int) -> None:
    """Leave little address space, and send large requests, until writers are refused or all are answered."""
    daemon = writing.daemon
    room = memory_mb(daemon.pid, "VmSize") + _ROOM_MB[number % len(_ROOM_MB)]
    unlimited = resource.prlimit(daemon.pid, resource.RLIMIT_AS)
    resource.prlimit(daemon.pid, resource.RLIMIT_AS, (room * MEBIBYTE, unlimited[1]))
    drafts = [{"role": "MESSAGE_ROLE_USER", "content": "a" * _TEXT_BYTES}] * _TEXTS
    request = conversation_pb.AppendMessagesRequest(agent_id="large", conversation_id="c", drafts=drafts)
    with insecure_channel(daemon.address) as channel:
        append = Wire(channel).conversations.AppendMessages
        for _ in range(_LARGE_REQUESTS):
            # Refused, answered, or the end of the daemon.
            calls = [append.future(request, _CALL_S_MAX) for _ in range(_AT_A_TIME)]
            for call in calls:
                call.exception()
    with contextlib.suppress(ProcessLookupError):
        resource.prlimit(daemon.pid, resource.RLIMIT_AS, unlimited)


def _tried(
    name: str,
    what: str,
    fault: Callable[[_Writing, Faults, int], None],
    directory: Path,
    rounds: int,
    chance: random.Random,
) -> KillResult:
    """Bring about a fault in each round; then check, write, kill, start and check again."""
    faults = Faults(directory)
    daemon = TimedDaemon(directory, "--no-snapshot-on-shutdown", environment=faults.environment)
    writing = _Writing(daemon, chance)
    broken = ""
    try:
        daemon.start()
        for number in range(rounds):
            writing.write(_WRITES_BETWEEN)
            fault(writing, faults, number)
            if not daemon.runs:
                daemon.start()
            writing.check()
            writing.write(_WRITES_BETWEEN)
            daemon.kill()
            daemon.start()
            writing.check()
    except (AssertionError, grpc.RpcError) as error:
        broken = str(error)[:300]
    finally:
        daemon.close()
    return KillResult(name, what, rounds, writing.acknowledged, writing.events, daemon.start_s_max, broken)


MACHINE: dict[str, Callable[[Path, int, random.Random], KillResult]] = {
    name: partial(_tried, name, what, fault)
    for name, what, fault in (
        (
            "faults-disk",
            "pwrite, fsync or pread fail with EIO under 4 writers, until each is refused; then a SIGKILL",
            _disk,
        ),
        (
            "faults-clock",
            "the clock jumps by an hour, a day and 400 days, there and back, under 4 writers; then a SIGKILL",
            _clock,
        ),
        (
            "faults-memory",
            "16 to 96 MB of address space are left (RLIMIT_AS) to requests of 15 MB; then a SIGKILL",
            _memory,
        ),
    )
}
