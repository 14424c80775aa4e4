"""Watchers that read slowly, not at all, from the beginning, or leave in the middle, while large values are written."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import outcome

from memoryd.v1 import event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd.v1.event_service_pb2_grpc import EventServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

_AGENT = "attacker-watched"
_VALUE = f'"{"v" * 500_000}"'
_KEYS = 20
_TIMEOUT_S = 120.0
_PAUSE_S = 1.0  # time: the watchers are slow on purpose
_GROWTH_MAX_MB = 350
"""The budget of all watches, 128 MiB, with the values themselves and what is kept of them for readers."""
_MAY = frozenset({"OK", "watched", "left"})


async def _stopped(target: Target, times: int) -> Outcomes:
    async with _watching(target, times):
        return await _write(target, times)


async def _slow(target: Target, times: int) -> Outcomes:
    async with _watching(target, times) as watches:

        async def read(watch: object) -> None:
            while True:
                await watch.read()  # type: ignore[attr-defined]
                await asyncio.sleep(_PAUSE_S)  # time: slow on purpose

        readers = [asyncio.ensure_future(read(each)) for each in watches]
        outcomes = await _write(target, times)
        for each in readers:
            each.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        return outcomes


async def _catching_up(target: Target, times: int) -> Outcomes:
    """Watch from the first commit on, in steps, so that all read the journal at different places."""
    written = min(times, 100)
    outcomes = await _write(target, written)
    async with channel_to(target.address) as channel:
        watch = EventServiceStub(channel).WatchEvents
        request = event_service_pb2.WatchEventsRequest(filters=[EventFilter(agent_ids=[_AGENT])], after_revision=0)

        async def one(number: int) -> str:
            call = watch(request, metadata=target.bearer)
            got = 0
            while got <= number % written:
                message = await call.read()
                got += len(message.events)
            call.cancel()
            return "watched"

        return outcomes + Counter(await asyncio.gather(*(one(number) for number in range(times))))


async def _leaving(target: Target, times: int) -> Outcomes:
    async with _watching(target, times):
        outcomes = await _write(target, 20)
    # They have left while what was written to them is under way.
    return outcomes + await _write(target, 1) + Counter(left=times)


@asynccontextmanager
async def _watching(target: Target, times: int) -> AsyncIterator[list[object]]:
    """Open watches on one connection, read the first message of each, and no more."""
    request = event_service_pb2.WatchEventsRequest(filters=[EventFilter(agent_ids=[_AGENT])])
    async with channel_to(target.address) as channel:
        watches = [EventServiceStub(channel).WatchEvents(request, metadata=target.bearer) for _ in range(times)]
        await asyncio.gather(*(each.read() for each in watches))
        yield list(watches)


async def _write(target: Target, times: int) -> Outcomes:
    """Set large values one after the other, on a connection of its own: as many as there are watchers."""
    outcomes: Outcomes = Counter()
    async with channel_to(target.address) as channel:
        stub = WorkingMemoryServiceStub(channel)
        for number in range(times):
            request = pb.SetEntryRequest(agent_id=_AGENT, key=f"key-{number % _KEYS}", value_json=_VALUE)
            outcomes[await outcome(stub.SetEntry(request, timeout=_TIMEOUT_S, metadata=target.bearer))] += 1
    return outcomes


ATTACKS = (
    Attack(
        "stopped-watchers",
        "{times} watchers that stop reading, and as many values of 500 kB",
        _stopped,
        200,
        20,
        _MAY,
        growth_max_mb=_GROWTH_MAX_MB,
    ),
    Attack(
        "slow-watchers",
        "{times} watchers that read a message a second, and as many values of 500 kB",
        _slow,
        200,
        20,
        _MAY,
        growth_max_mb=_GROWTH_MAX_MB,
    ),
    Attack(
        "late-watchers",
        "{times} watchers that begin with the oldest of 100 values of 500 kB",
        _catching_up,
        200,
        20,
        _MAY,
        growth_max_mb=_GROWTH_MAX_MB,
    ),
    Attack(
        "leaving-watchers",
        "{times} watchers that leave while values of 500 kB are sent to them",
        _leaving,
        200,
        30,
        _MAY,
        growth_max_mb=_GROWTH_MAX_MB,
    ),
)
