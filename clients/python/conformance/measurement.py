"""The command ``measure``, which takes the time of calls."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import memoryd

WARM_UP_CALLS = 100
KEY = "measured"
VALUE = "x" * 198
QUERY = "Who signed the lease?"
CONVERSATION = "measured"


def measure(target: str, agent_id: str, call: str, calls: int, callers: int, batching: bool) -> dict[str, Any]:
    """Measure calls to the daemon at the target: several callers are tasks of asyncio, one is a thread."""
    if callers > 1 or batching:
        return asyncio.run(_together(target, agent_id, call, calls, callers, batching))
    with memoryd.connect(target) as client:
        agent = client.agent(agent_id)
        if call == "near_get":
            return _near(agent, calls)
        made = _call(agent, call)
        for _ in range(WARM_UP_CALLS):
            made()
        each_s = [_seconds(made) for _ in range(calls)]
    return {"each_s": each_s, "total_s": sum(each_s)}


def _call(agent: Any, name: str) -> Callable[[], Any]:
    """Return what makes a call of an agent, whose result is to be awaited if the agent is one for asyncio."""
    calls: dict[str, Callable[[], Any]] = {
        "set": lambda: agent.set(KEY, VALUE),
        "get": lambda: agent.get(KEY),
        "recall": lambda: agent.memories.recall(QUERY),
        "compose": lambda: agent.compose(CONVERSATION),
    }
    return calls[name]


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _near(agent: memoryd.Agent, calls: int) -> dict[str, Any]:
    """Measure all reads of a near cache at once: one takes about as long as reading the clock."""

    def read(count: int) -> None:
        for _ in range(count):
            cache.get(KEY)

    with agent.near_cache() as cache:
        read(WARM_UP_CALLS)
        return {"each_s": [], "total_s": _seconds(lambda: read(calls))}


async def _together(target: str, agent_id: str, call: str, calls: int, callers: int, batching: bool) -> dict[str, Any]:
    async def all_of(count: int) -> list[float]:
        left = iter(range(count))
        each_s: list[float] = []

        async def caller() -> None:
            for _ in left:
                began = time.perf_counter()
                await made()
                each_s.append(time.perf_counter() - began)

        await asyncio.gather(*(caller() for _ in range(callers)))
        return each_s

    async with memoryd.aio.connect(target, batching=batching) as client:
        made = _call(client.agent(agent_id), call)
        await all_of(WARM_UP_CALLS)
        began = time.perf_counter()
        each_s = await all_of(calls)
        return {"each_s": each_s, "total_s": time.perf_counter() - began}
