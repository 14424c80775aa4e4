"""Requests with as many elements as fit, in every repeated or nested field of every method, and with random bytes."""

import asyncio
import random
from collections import Counter
from itertools import chain
from typing import Any

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to, upload
from tests.attack.outcome import ANSWERS, outcome
from tests.integration.contract import METHODS, Method
from tests.integration.cost.hostile import hostile_requests

from memoryd_server.domain.limit import Limits
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX, MESSAGE_ELEMENTS_MAX
from memoryd_server.transport.parsing.message_shape import bytes_max_of

_SEED = 18
_TIMEOUT_S = 60.0
_WAIT_S = 1.0  # time: some wait until somebody else does something
_RANDOM_BYTES_MAX = 80
_WAITING = frozenset({"DEADLINE_EXCEEDED"})
"""The outcome of what waits for longer than the caller: a watch, a wait, or an upload that is not finished."""


async def _repeated(target: Target, times: int) -> Outcomes:
    """Call ``times`` methods one after the other, each with all that can be large in its request."""
    outcomes: Outcomes = Counter()
    chance = random.Random(_SEED)
    async with channel_to(target.address) as channel:
        for method in chance.sample(METHODS, min(times, len(METHODS))):
            request_type = method.request_type
            own = bytes_max_of(request_type.DESCRIPTOR, Limits())
            requests = chain.from_iterable(
                hostile_requests(request_type, set(), size, MESSAGE_ELEMENTS_MAX) for size in (own, MESSAGE_BYTES_MAX)
            )
            for each in requests:
                outcomes[await outcome(_call(channel, method, each.data, target, _TIMEOUT_S))] += 1
    return outcomes


async def _filters(target: Target, times: int) -> Outcomes:
    """Send millions of empty filters to the methods of events."""
    data = b"\x7a\0" * (7 << 20)
    events = [method for method in METHODS if method.name in ("EventService/WatchEvents", "EventService/ListEvents")]
    async with channel_to(target.address) as channel:
        calls = [outcome(_call(channel, events[n % 2], data, target, _TIMEOUT_S)) for n in range(times)]
        return Counter(await asyncio.gather(*calls))


async def _random(target: Target, times: int) -> Outcomes:
    """Send random bytes as the request of each method, that many to each."""
    chance = random.Random(_SEED)
    outcomes: Outcomes = Counter()
    async with channel_to(target.address) as channel:
        for method in METHODS:
            data = [chance.randbytes(chance.randrange(_RANDOM_BYTES_MAX)) for _ in range(times)]
            calls = [outcome(_call(channel, method, each, target, _WAIT_S)) for each in data]
            outcomes += Counter(await asyncio.gather(*calls))
    return outcomes


async def _call(channel: Any, method: Method, data: bytes, target: Target, timeout_s: float) -> None:
    """Call a method with the attacker's token, up to its first response."""
    path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
    options = {"timeout": timeout_s, "metadata": target.bearer}
    if method.descriptor.client_streaming:
        await upload(channel, path, [data], **options)
    elif method.descriptor.server_streaming:
        call = channel.unary_stream(path)(data, **options)
        await call.read()
        call.cancel()
    else:
        await channel.unary_unary(path)(data, **options)


ATTACKS = (
    Attack(
        "repeated-fields",
        "{times} methods, each with every field as large and as often as a message can have it",
        _repeated,
        len(METHODS),
        6,
        ANSWERS,
    ),
    Attack(
        "filters",
        "{times} requests at once of 7 million empty filters",
        _filters,
        8,
        2,
        ANSWERS,
        growth_max_mb=300,
    ),
    Attack("random-bytes", "{times} requests of random bytes to each method", _random, 40, 4, ANSWERS | _WAITING),
)
