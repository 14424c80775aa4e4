"""Bursts of calls on one connection, by a client that never repeats a call."""

import asyncio
from collections import Counter

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
        outcomes = Counter(await asyncio.gather(*(outcome(each.read()) for each in watches)))
        for each in watches:
            each.cancel()
    return outcomes


ATTACKS = (
    Attack("gets", "{times} GetEntry at once on one connection", _gets, 6_000, 3_000, _MAY, is_quick=True),
    Attack("sets", "{times} SetEntry at once on one connection", _sets, 6_000, 1_500, _MAY),
    Attack("watches", "{times} WatchEvents at once on one connection", _watches, 6_000, 1_000, _MAY, growth_max_mb=300),
)
