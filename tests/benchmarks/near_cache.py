"""P-10: a read from a client's near cache, and what a write of the client costs while there is one."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from tests.benchmarks.figure import Figure
from tests.benchmarks.timing import times_ms
from tests.benchmarks.transport import Transport, daemon_of, in_turn

import memoryd

ENTRIES = 1_000
READS, RUNS = 100_000, 5
WRITES, ROUNDS = 200, 5
PYTHON_US = 3.0
"""The target of a read in Python."""


def near_cache(directory: Path) -> list[Figure]:
    """Measure the near cache of the Python client, of an agent with 1,000 entries."""
    with daemon_of(Transport.FRONT, directory) as daemon, memoryd.connect(daemon.address) as client:
        agent = client.agent("agent")
        with agent.batch() as batch:
            for number in range(ENTRIES - 2):
                batch.set(f"k{number}", number)
            batch.set("text", "t" * 200)
            batch.set("object", {"name": "Ada", "likes": ["chess", "tea"], "visits": 7})
        return [*_reads(agent), _writes(agent)]


def _reads(agent: memoryd.Agent) -> Iterator[Figure]:
    with agent.near_cache() as cache, agent.scope("task") as outer, outer.scope("step") as scope:
        near = cache.attach(scope.scope_id)
        reads: dict[str, Callable[[], object]] = {
            "of a number": lambda: cache.get("k7"),
            "of a text of 200 characters": lambda: cache.get("text"),
            "through three scopes": lambda: near.get("k7"),
            "of an object, which is decoded": lambda: cache.get("object"),
        }
        for name, read in reads.items():
            runs = sorted(_each_us(read) for _ in range(RUNS))
            detail = f"the middle of {RUNS} runs of {READS:,} of one thread; the fastest {runs[0]:.2f} µs"
            middle = statistics.median(runs)
            yield Figure(
                "P-10", f"Read from a near cache in Python, {name}", middle, "µs", below=PYTHON_US, detail=detail
            )


def _each_us(read: Callable[[], object]) -> float:
    began = time.perf_counter()
    for _ in range(READS):
        read()
    return (time.perf_counter() - began) / READS * 1e6


def _writes(agent: memoryd.Agent) -> Figure:
    """Compare sets with a near cache of the client, which they wait for, and without."""
    times: dict[bool, list[float]] = {False: [], True: []}
    for is_near in in_turn([False, True], ROUNDS):
        with agent.near_cache() if is_near else nullcontext():
            times[is_near] += times_ms(partial(agent.set, "k1", number) for number in range(WRITES))
    without, near = (statistics.median(times[each]) for each in (False, True))
    detail = f"p50 {near:.2f} ms with, {without:.2f} ms without, in turn; synced"
    return Figure(
        "P-10", "Time that a near cache adds to a write of its client, p50", near - without, "ms", detail=detail
    )
