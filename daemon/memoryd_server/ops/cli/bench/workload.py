"""The calls that are measured, about an agent of their own."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoryd_server.ops.cli.bench.measurement import Measured, measure, summarized
from memoryd_server.ops.limit import BENCH_KEYS, BENCH_MEMORIES

if TYPE_CHECKING:
    from memoryd import Agent, MemoryDraft

_THINGS = ("tea", "coffee", "chess", "a red bicycle", "the sea", "old maps", "jazz", "mountains", "bread", "cats")
_PEOPLE = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "Tony", "Radia", "Ken")


def measured(agent: "Agent", callers: int, seconds: float) -> Iterator[Measured]:
    """Yield the results of set, get and recall, by one caller and by several, and of a watch."""
    agent.memories.create_many([_draft(number) for number in range(BENCH_MEMORIES)])
    value = {"text": "x" * 200}
    for count in dict.fromkeys((1, callers)):
        yield measure("set", lambda number: agent.set(f"key-{number % BENCH_KEYS}", value), count, seconds)
        yield measure("get", lambda number: agent.get(f"key-{number % BENCH_KEYS}"), count, seconds)
        yield measure("recall", lambda number: agent.memories.recall(_query(number), limit=10), count, seconds)
    yield watch_lag(agent, seconds)


def watch_lag(agent: "Agent", seconds: float) -> Measured:
    """Return the times from the beginning of a set to the arrival of its event at a watch."""
    times: list[float] = []
    with agent.watch(event_types=["entry_set"], key_prefix="lag") as watch:
        events = iter(watch)
        begin = time.perf_counter()
        while not times or time.perf_counter() < begin + seconds:
            before = time.perf_counter()
            agent.set("lag", len(times))
            next(events)
            times.append(time.perf_counter() - before)
        duration = time.perf_counter() - begin
    return summarized("set to watch", 1, times, duration)


def _draft(number: int) -> "MemoryDraft":
    from memoryd import MemoryDraft

    person, thing = _PEOPLE[number % 10], _THINGS[number // 10 % 10]
    return MemoryDraft(f"{person} said on day {number} that {thing} is worth the trouble", allow_duplicates=True)


def _query(number: int) -> str:
    return f"What did {_PEOPLE[number % 10]} say about {_THINGS[number // 10 % 10]}?"
