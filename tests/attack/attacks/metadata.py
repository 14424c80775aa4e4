"""Metadata that is large, has many keys, or pretends to be a token."""

from collections import Counter

from tests.attack.attack import Attack, Outcomes, Target, bearer
from tests.attack.channel import channel_to
from tests.attack.outcome import outcome

_PATH = "/memoryd.v1.AgentService/ListAgents"
_TIMEOUT_S = 60.0
_Metadata = tuple[tuple[str, str | bytes], ...]


def _hostile(token: str) -> dict[str, _Metadata]:
    """Return metadata that has no valid token, by what is wrong with it."""
    wrong: _Metadata = bearer("wrong")
    return {
        "none": (),
        "wrong last": (*bearer(token), *wrong),
        "empty": (("authorization", ""),),
        "no scheme": (("authorization", token),),
        "another scheme": (("authorization", "Basic eDp5"),),
        "cut": bearer(token[:-1]),
        "longer": bearer(f"{token}x"),
        "case": bearer(token.swapcase()),
        "binary": (("authorization-bin", token.encode()),),
        "long token": bearer("x" * 12_000),
        "long value": (("x", "y" * 1_000_000),),
        "10 MB": (("x", "y" * 10_000_000),),
        "many keys": tuple((f"k{number}", "v") for number in range(20_000)),
    }


async def _metadata(target: Target, times: int) -> Outcomes:
    outcomes: Outcomes = Counter()
    async with channel_to(target.address) as channel:
        for _ in range(times):
            for metadata in _hostile(target.token).values():
                call = channel.unary_unary(_PATH)(b"", timeout=_TIMEOUT_S, metadata=metadata)
                outcomes[await outcome(call)] += 1
    return outcomes


ATTACKS = (
    Attack(
        "metadata",
        "{times} times 13 shapes of metadata, up to 10 MB and 20,000 keys, without a valid token",
        _metadata,
        20,
        1,
        # HTTP/2 ends the connection of a client whose headers go on and on.
        frozenset({"UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "TOO_LARGE", "UNAVAILABLE"}),
    ),
)
