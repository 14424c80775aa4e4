"""Bursts of calls on one connection, by a client that never repeats a call."""

import asyncio
from collections import Counter
from typing import Any

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import outcome

from memoryd.v1 import event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.event_service_pb2_grpc import EventServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

_AGENT = "attacker-burst"
_TIMEOUT_S = 120.0
_MAY = frozenset({"OK", "OVERLOADED"})
_HELD_BACK = "held back by the client"
_HELD_BACK_S = 30.0


async def _gets(target: Target, times: int) -> Outcomes:
    request = pb.GetEntryRequest(agent_id=_AGENT, key="key")
    async with channel_to(target.address) as channel:
        get = WorkingMemoryServiceStub(channel).GetEntry
        calls = [get(request, timeout=_TIMEOUT_S, metadata=target.bearer) for _ in range(times)]
        return Counter(await asyncio.gather(*map(outcome, calls)))


async def _sets(target: Target, times: int) -> Outcomes:
    requests = [pb.SetEntryRequest(agent_id=_AGENT, key=f"key-{number}", value_json="1") for number in range(times)]
    async with channel_to(target.address) as channel:
        calls = [
            WorkingMemoryServiceStub(channel).SetEntry(each, timeout=_TIMEOUT_S, metadata=target.bearer)
            for each in requests
        ]
        return Counter(await asyncio.gather(*map(outcome, calls)))


async def _watches(target: Target, times: int) -> Outcomes:
    request = event_service_pb2.WatchEventsRequest(filters=[EventFilter(agent_ids=[_AGENT])])
    async with channel_to(target.address) as channel:
        watch = EventServiceStub(channel).WatchEvents
        watches = [watch(request, metadata=target.bearer) for _ in range(times)]
        outcomes = Counter(await asyncio.gather(*map(_first, watches)))
        for each in watches:
            each.cancel()
    return outcomes


async def _first(watch: Any) -> str:
    """Return the outcome of the first message, or that the client holds the watch back: it has too many streams."""
    reading = asyncio.create_task(outcome(watch.read()))
    done, _ = await asyncio.wait([reading], timeout=_HELD_BACK_S)
    return await reading if done else _HELD_BACK


ATTACKS = (
    Attack("gets", "{times} GetEntry at once on one connection", _gets, 6_000, 3_000, _MAY),
    Attack("sets", "{times} SetEntry at once on one connection", _sets, 6_000, 1_500, _MAY),
    Attack(
        "watches",
        "{times} WatchEvents at once on one connection",
        _watches,
        6_000,
        1_000,
        _MAY | {_HELD_BACK},
        growth_max_mb=300,
    ),
)
