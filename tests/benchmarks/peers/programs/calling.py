"""The measurement that all programs share. It needs the standard library alone: their environments differ."""

import asyncio
import itertools
import json
import math
import sys
import threading
import time
import zlib
from collections.abc import Awaitable, Callable
from typing import TextIO

CALLERS = 64
SECONDS = 3.0
CALLS_MAX = 6_400
WARM_UP_CALLS = 20
KEYS = 100
MEMORIES = 300
LIMIT = 10
VALUE = "v" * 100

_output = sys.stdout


def begin() -> None:
    """Let what a library prints go to the log."""
    sys.stdout = sys.stderr


def output() -> TextIO:
    """Return the file that the results are printed to."""
    return _output


def key_of(number: int) -> str:
    """Return the key of a call."""
    return f"key-{number % KEYS:05}"


def text_of(number: int) -> str:
    """Return the text of a memory, which is another one for each number."""
    return f"Person {number} said in sentence {number * 7} that place {number % 17} is far from river {number % 23}."


def vector_of(text: str) -> list[float]:
    """Return a vector of 256 numbers that costs nothing: it stands for any model."""
    return [math.sin(zlib.crc32(text.encode()) % 9_973 * place) for place in range(1, 257)]


def one(what: str, call: Callable[[int], object]) -> None:
    """Call with 0, 1, 2 …, one call after the other, and print what one takes."""
    for number in range(WARM_UP_CALLS):
        call(number)
    times = []
    began = now = time.perf_counter()
    for number in range(CALLS_MAX):
        before = now
        call(number)
        now = time.perf_counter()
        times.append(now - before)
        if now - began > SECONDS:
            break
    _print(what, 1, times, now - began)


async def many(what: str, call: Callable[[int, int], Awaitable[object]]) -> None:
    """Call from CALLERS tasks at a time, with the number of the task and 0, 1, 2 …, and print what one takes."""
    for caller in range(CALLERS):
        await call(caller, 0)
    times: list[float] = []
    numbers = iter(range(CALLS_MAX))
    began = time.perf_counter()

    async def task(caller: int) -> None:
        for number in numbers:
            before = time.perf_counter()
            if before - began > SECONDS:
                return
            await call(caller, number)
            times.append(time.perf_counter() - before)

    await asyncio.gather(*(task(caller) for caller in range(CALLERS)))
    _print(what, CALLERS, times, time.perf_counter() - began)


def many_threads(what: str, call: Callable[[int, int], object]) -> None:
    """Do the same as ``many`` from threads."""
    for caller in range(CALLERS):
        call(caller, 0)
    times: list[float] = []
    numbers = itertools.count()
    began = time.perf_counter()

    def run(caller: int) -> None:
        for number in numbers:
            before = time.perf_counter()
            if number >= CALLS_MAX or before - began > SECONDS:
                return
            call(caller, number)
            times.append(time.perf_counter() - before)

    threads = [threading.Thread(target=run, args=(caller,)) for caller in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _print(what, CALLERS, times, time.perf_counter() - began)


def _print(what: str, callers: int, times: list[float], seconds: float) -> None:
    ranked = sorted(each * 1000 for each in times)
    p50, p95, p99 = (ranked[max(math.ceil(len(ranked) * percent / 100) - 1, 0)] for percent in (50, 95, 99))
    measured = {"what": what, "callers": callers, "calls": len(ranked), "calls_per_s": len(ranked) / seconds}
    line = json.dumps({**measured, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99})
    print(line, file=_output, flush=True)
