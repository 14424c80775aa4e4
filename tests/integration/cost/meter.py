"""Measurement of one call: how long the event loop is held, and how far the memory of the process grows."""

import asyncio
import functools
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import NamedTuple

STALL_S_MAX = 0.05  # time: of a processor, and what is tested
"""On a processor that runs a turn of a plain loop in LOOP_NS; on a slower one, proportionally more."""
LOOP_NS = 40.0
GROWN_BYTES_MAX = 150 * 1024 * 1024
_STATUS = Path("/proc/self/status")  # shared: what other tests hold is there before a call and after it
_CLEAR_REFS = Path("/proc/self/clear_refs")  # shared: nothing else asks for the peak
_RESET_PEAK = "5"
_LOOPS = 300_000


class Cost(NamedTuple):
    """The cost of a call: the longest turn of the loop in seconds of a processor, and the growth of RSS in bytes."""

    stall_s: float
    grown_bytes: int

    @property
    def is_dear(self) -> bool:
        """True if the call held the loop for too long, or took too much memory."""
        return self.stall_s > STALL_S_MAX * max(1.0, _loop_ns() / LOOP_NS) or self.grown_bytes > GROWN_BYTES_MAX

    def lower(self, other: "Cost") -> "Cost":
        """Return the lower of two costs in each respect."""
        return Cost(min(self.stall_s, other.stall_s), min(self.grown_bytes, other.grown_bytes))


async def cost_of(call: Awaitable[object]) -> Cost:
    """Await the call, and return its cost.

    A turn is measured in the processor's time of the process, so that other processes do not count. Threads of the
    process do: a thread that holds the interpreter stops the loop as well. One that runs beside the loop, as that of
    the store does, makes this more than has passed, so the lower of this and of the clock's time counts.
    """
    before = _reset_peak()
    turns = asyncio.create_task(_longest_turn())
    await asyncio.sleep(0)
    try:
        await call
    finally:
        # The turn in which the call ended counts, too.
        await asyncio.sleep(0)
        turns.cancel()
        longest = await turns
    return Cost(longest, _bytes_of("VmHWM") - before)


@functools.cache
def _loop_ns() -> float:
    """Return the duration of a turn of a plain loop, in nanoseconds of the processor."""
    times = []
    for _ in range(5):
        began, total = time.process_time_ns(), 0
        for number in range(_LOOPS):
            total = (total + number) & 0xFFFF
        times.append((time.process_time_ns() - began) / _LOOPS)
    return min(times)


def _reset_peak() -> int:
    """Let the peak of RSS begin at what it is now, and return that."""
    _CLEAR_REFS.write_text(_RESET_PEAK)
    return _bytes_of("VmRSS")


async def _longest_turn() -> float:
    longest, used, passed = 0.0, time.process_time(), time.monotonic()
    try:
        while True:
            await asyncio.sleep(0.001)  # time: a pace, at which turns are measured
            used_before, used = used, time.process_time()
            passed_before, passed = passed, time.monotonic()
            longest = max(longest, min(used - used_before, passed - passed_before))
    except asyncio.CancelledError:
        return longest


def _bytes_of(name: str) -> int:
    line = next(each for each in _STATUS.read_text().splitlines() if each.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
