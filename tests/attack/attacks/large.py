"""Requests of 15 MiB: of nobody, and of a caller with a token."""

import asyncio
from collections import Counter
from collections.abc import Awaitable

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import outcome

_BODY = b"\x0a\x80\x80\xc0\x07" + b"a" * (15 << 20)
"""An agent_id that is too long."""
_PATH = "/memoryd.v1.AgentService/GetAgent"
_MESSAGES = "/memoryd.v1.ConversationService/AppendMessages"
_TIMEOUT_S = 120.0
_TAKEN_BACK = "taken back"


async def _large(target: Target, times: int) -> Outcomes:
    async with channel_to(target.address) as channel:
        call = channel.unary_unary(_PATH)
        return Counter(await asyncio.gather(*(outcome(call(_BODY, timeout=_TIMEOUT_S)) for _ in range(times))))


async def _large_with_token(target: Target, times: int) -> Outcomes:
    async with channel_to(target.address) as channel:
        calls = [
            channel.unary_unary(path)(_BODY, timeout=_TIMEOUT_S, metadata=target.bearer)
            for path in (_PATH, _MESSAGES)
            for _ in range(times // 2)
        ]
        return Counter(await asyncio.gather(*map(outcome, calls)))


async def _taken_back(target: Target, times: int) -> Outcomes:
    """Take all calls back as soon as one is answered: the requests of the others have arrived in part."""
    async with channel_to(target.address) as channel:
        calls = [
            channel.unary_unary(_MESSAGES)(_BODY, timeout=_TIMEOUT_S, metadata=target.bearer) for _ in range(times)
        ]
        outcomes = [asyncio.create_task(_outcome_or_taken_back(call)) for call in calls]
        await asyncio.wait(outcomes, return_when=asyncio.FIRST_COMPLETED)
        for call in calls:
            call.cancel()
        return Counter(await asyncio.gather(*outcomes))


async def _outcome_or_taken_back(call: Awaitable[object]) -> str:
    try:
        return await outcome(call)
    except asyncio.CancelledError:
        return _TAKEN_BACK


ATTACKS = (
    Attack(
        "large",
        "{times} requests of 15 MiB at once without a token",
        _large,
        120,
        20,
        frozenset({"UNAUTHENTICATED"}),
    ),
    Attack(
        "large-with-token",
        "{times} requests of 15 MiB at once with a token",
        _large_with_token,
        60,
        10,
        frozenset({"TOO_LARGE", "OVERLOADED", "INVALID_FIELD", "MALFORMED_MESSAGE"}),
        growth_max_mb=450,
    ),
    Attack(
        "large-taken-back",
        "{times} requests of 15 MiB at once with a token, which are taken back while they arrive",
        _taken_back,
        60,
        20,
        frozenset({_TAKEN_BACK, "TOO_LARGE", "OVERLOADED", "INVALID_FIELD", "MALFORMED_MESSAGE"}),
        growth_max_mb=450,
    ),
)
