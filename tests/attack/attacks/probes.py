"""Calls that need no token: health and its watches, reflection, and connections that say nothing."""

import asyncio
import socket
from collections import Counter

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.frames import Connection
from tests.attack.outcome import outcome

_HELD_S = 3.0  # time: how long connections are held
_REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


async def _health_watches(target: Target, times: int) -> Outcomes:
    async with channel_to(target.address) as channel:
        watch = channel.unary_stream("/grpc.health.v1.Health/Watch")
        watches = [watch(b"") for _ in range(times)]
        outcomes = Counter(await asyncio.gather(*(outcome(each.read()) for each in watches)))
        for each in watches:
            each.cancel()
        # A stream that asks for nothing stays open.
        idle = [channel.stream_stream(_REFLECTION)() for _ in range(times // 4)]
        outcomes += Counter(await asyncio.gather(*(_held(each.code()) for each in idle)))
        for each in idle:
            each.cancel()
    return outcomes


async def _held(code: object) -> str:
    try:
        return str((await asyncio.wait_for(code, _HELD_S)).name)  # type: ignore[arg-type]
    except TimeoutError:
        return "held"


async def _connections(target: Target, times: int) -> Outcomes:
    host, _, port = target.address.rpartition(":")
    opened: list[socket.socket | Connection] = []
    outcomes: Outcomes = Counter()
    for number in range(times):
        try:
            # Every second one begins HTTP/2, and then says nothing either.
            silent = socket.create_connection((host, int(port)), timeout=60.0) if number % 2 else None
            opened.append(silent or Connection(target.address))
            outcomes["opened"] += 1
        except OSError:
            outcomes["refused"] += 1
    await asyncio.sleep(_HELD_S)  # time: the connections are held meanwhile
    for each in opened:
        each.close()
    return outcomes


ATTACKS = (
    Attack(
        "health-watches",
        "{times} watches of health and a quarter as many reflections at once without a token",
        _health_watches,
        20_000,
        500,
        frozenset({"OK", "OVERLOADED", "RESOURCE_EXHAUSTED", "UNAVAILABLE", "held"}),
    ),
    Attack(
        "connections",
        "{times} connections at once without a token that say nothing",
        _connections,
        2_000,
        100,
        frozenset({"opened", "refused"}),
    ),
)
