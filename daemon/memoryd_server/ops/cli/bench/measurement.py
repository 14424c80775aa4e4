"""Times of repeated calls, by one caller or by several at once."""

import time
from collections.abc import Callable, Sequence

import msgspec


class Measured(msgspec.Struct, frozen=True):
    """The calls of one method: the number and the rate of all callers together, and the times of single calls."""

    name: str
    callers: int
    call_count: int
    calls_per_s: float
    p50_ms: float
    p99_ms: float


def measure(name: str, call: Callable[[int], object], callers: int, seconds: float) -> Measured:
    """Repeat ``call`` by several threads for some seconds. It receives a number, which no other call has."""
    # Imported late: help needs no threads.
    from concurrent.futures import ThreadPoolExecutor

    # The first call makes what later ones find: a connection, an agent in memory, an index.
    call(0)
    begin = time.perf_counter()
    with ThreadPoolExecutor(callers) as pool:
        runs = [pool.submit(_repeat, call, first, callers, begin + seconds) for first in range(1, callers + 1)]
        times = [each for run in runs for each in run.result()]
    return summarized(name, callers, times, time.perf_counter() - begin)


def summarized(name: str, callers: int, times: Sequence[float], duration_s: float) -> Measured:
    """Return the result for the times of at least one call, in seconds."""
    ordered = sorted(times)
    return Measured(
        name,
        callers,
        call_count=len(ordered),
        calls_per_s=len(ordered) / duration_s,
        p50_ms=quantile(ordered, 0.5) * 1_000,
        p99_ms=quantile(ordered, 0.99) * 1_000,
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the ordered values does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _repeat(call: Callable[[int], object], first: int, step: int, end: float) -> list[float]:
    times = []
    number, before = first, time.perf_counter()
    while True:
        call(number)
        now = time.perf_counter()
        times.append(now - before)
        if now >= end:
            return times
        number, before = number + step, now
