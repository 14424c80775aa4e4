"""The durations of calls that are made one after the other."""

import time
from collections.abc import Callable, Iterable, Sequence

from tests.benchmarks.figure import percentile


def times_ms(calls: Iterable[Callable[[], object]], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Make each call, and return the milliseconds that each took by ``clock``, which returns seconds."""
    times = []
    for call in calls:
        began = clock()
        call()
        times.append((clock() - began) * 1000)
    return times


def percentiles_ms(times: Sequence[float]) -> str:
    """Return the usual percentiles as text."""
    p50, p95, p99 = (percentile(times, each) for each in (50, 95, 99))
    return f"p50 {p50:.2f}, p95 {p95:.2f}, p99 {p99:.2f} ms of {len(times):,}"
