"""A trial: one attack on one daemon, with what a bystander saw before, during and after it, in the same run."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from tests.attack.attack import Attack
from tests.attack.attacker import Damage, Order, attack_with
from tests.attack.bystander import Account, Bystander, Sample
from tests.attack.daemon import GuardedDaemon
from tests.attack.memory import ChildrenPeak, begin_peak, memory_mb
from tests.attack.outcome import OK
from tests.attack.processor import processor_s
from tests.benchmarks.figure import percentile

SETTLE_S = 10.0  # time: the time within which the daemon returns memory, as promised


class Latency(msgspec.Struct, frozen=True):
    """Times of calls in milliseconds. ``p99_apart_from_cores`` leaves out the time of waiting for a core."""

    calls: int
    p50: float
    p99: float
    p99_apart_from_cores: float


class Window(msgspec.Struct, frozen=True):
    """The bystander's account of a part of the run. ``worst`` is its longest call, which consists of the next two and
    of waits for the disk and for other threads."""

    get: Latency
    set: Latency
    worst_ms: float
    worst_processor_ms: float
    worst_waited_ms: float
    refused: dict[str, int]


class Memory(msgspec.Struct, frozen=True):
    """The resident memory of the daemon, in MiB: before, at most, and SETTLE_S after the attack.

    ``readers`` is the peak of its processes that read documents.
    """

    before: int
    peak: int
    after: int
    readers: int


class Result(msgspec.Struct, frozen=True):
    """The result of a trial."""

    attack: str
    damage: Damage
    broken: dict[str, int]
    quiet: Window
    during: Window
    after: Window
    memory: Memory
    seconds: float
    daemon_processor_s: float
    lost: int
    """Acknowledged writes of the bystander that are not there."""
    problems: list[str]
    """Lines of the daemon's log that report a defect."""
    exit_code: int


def try_attack(attack: Attack, directory: Path, times: int, seconds: float, quiet_s: float) -> Result:
    """Attack a new daemon for some seconds, and once at least. ``quiet_s`` is how long the bystander is alone."""
    daemon = GuardedDaemon(directory, *attack.flags)
    daemon.start()
    try:
        with ChildrenPeak(daemon.pid) as readers, Bystander(daemon) as bystander:
            time.sleep(quiet_s)  # time: the bystander is alone meanwhile
            before, computed = memory_mb(daemon.pid), processor_s(daemon.pid)
            begin_peak(daemon.pid)
            began = time.monotonic()
            damage = attack_with(Order(attack.name, daemon.target, times, seconds))
            ended = time.monotonic()
            computed = processor_s(daemon.pid) - computed
            time.sleep(min(quiet_s, SETTLE_S))  # time: what the daemon frees, it frees soon
            memory = Memory(before, memory_mb(daemon.pid, "VmHWM"), memory_mb(daemon.pid), readers.mb)
        account = bystander.account
        exit_code = daemon.stop()
    finally:
        daemon.close()
    return Result(
        attack.name,
        damage,
        attack.broken(Counter(damage.outcomes)),
        window(each for each in account.samples if each.began + each.seconds < began),
        window(each for each in account.samples if each.began + each.seconds >= began and each.began <= ended),
        window(each for each in account.samples if each.began > ended),
        memory,
        ended - began,
        computed,
        lost_of(account),
        daemon.problems,
        exit_code,
    )


def lost_of(account: Account) -> int:
    """Return the number of acknowledged writes of the bystander that its last read lacks: every second call is one."""
    return (max(account.acknowledged - account.stored, 0) + 1) // 2


def window(samples: Iterable[Sample]) -> Window:
    """Summarize samples."""
    chosen = list(samples)
    worst = max(chosen, key=lambda each: each.seconds, default=Sample(0, 0, False, OK, 0, 0))
    refused: dict[str, int] = {}
    for each in chosen:
        if each.outcome != OK:
            refused[each.outcome] = refused.get(each.outcome, 0) + 1
    return Window(
        latency([each for each in chosen if not each.is_set]),
        latency([each for each in chosen if each.is_set]),
        worst.seconds * 1e3,
        worst.processor_s * 1e3,
        worst.waited_s * 1e3,
        refused,
    )


def latency(samples: Sequence[Sample]) -> Latency:
    """Return the percentiles of samples; zeros if there are none."""
    if not samples:
        return Latency(0, 0, 0, 0)
    times = [each.seconds * 1e3 for each in samples]
    apart = [max(each.seconds - each.waited_s, 0) * 1e3 for each in samples]
    return Latency(len(samples), percentile(times, 50), percentile(times, 99), percentile(apart, 99))
