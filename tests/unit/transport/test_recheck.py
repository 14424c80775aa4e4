"""Calls in progress whose callers lose their rights."""

import asyncio

import pytest
from tests.unit.transport.gated import (
    ABOUT_A,
    RESPONSE,
    SHAPES,
    Authenticator,
    Gated,
    Held,
    admitted,
    is_refused,
    respond,
)

from memoryd_server.domain.limit import Limits
from memoryd_server.ops.auth.authenticator import PolicyAuthenticator
from memoryd_server.ops.auth.policy_file import Policy, TokenRow, hash_token
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.call import Call
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.status import StatusCode

TOKEN = (("authorization", "Bearer secret"),)


def policy(agents: tuple[str, ...] = ("a",), verbs: tuple[Verb, ...] = (), token: str = "secret") -> Policy:
    return Policy(tokens={"ci": TokenRow(sha256=hash_token(token), agents=agents, verbs=verbs)})


class World:
    """A gate before a handler that waits, and the policy of its callers."""

    def __init__(self) -> None:
        self.authenticator = PolicyAuthenticator(policy())
        self.gate = Gate(self.authenticator, None, Pools(Limits()))
        self.held = Held()

        async def handler(request: object, call: Call) -> object:
            call.require_agent("a")
            return await self.held(request, call)

        self.gated = Gated(self.gate, handler)  # type: ignore[arg-type]

    async def begin(self, shape: str) -> "asyncio.Task[bytes]":
        call = asyncio.create_task(self.gated.call(shape, ABOUT_A, metadata=TOKEN))
        await self.held.begun()
        return call

    def enforce(self, changed: Policy) -> None:
        self.authenticator.enforce(changed, 0.0)
        self.gate.recheck()


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_revoked_callers_calls_end_and_give_back_their_places(shape: str) -> None:
    world = World()
    call = await world.begin(shape)
    world.enforce(policy(token="another"))
    await is_refused(call, StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED", agent_id="a")
    assert admitted(world.gate) == 0
    await is_refused(world.gated.call(shape, ABOUT_A, metadata=TOKEN), StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


@pytest.mark.parametrize("shape", SHAPES)
async def test_calls_that_are_still_allowed_go_on(shape: str) -> None:
    world = World()
    call = await world.begin(shape)
    world.enforce(policy(("a", "b"), (Verb.READ,)))
    world.held.may_end.set()
    assert await call == RESPONSE.SerializeToString()


@pytest.mark.parametrize("shape", ["client_stream", "server_stream", "watch"])
async def test_a_long_call_ends_when_its_right_is_taken_away(shape: str) -> None:
    world = World()
    calls = [await world.begin(shape) for _ in range(2)]
    world.enforce(policy(("a",), (Verb.WRITE,)))
    for call in calls:
        await is_refused(call, StatusCode.PERMISSION_DENIED, "VERB_FORBIDDEN", verb="read", agent_id="a")
    assert admitted(world.gate) == 0


async def test_a_short_call_that_was_allowed_when_it_began_finishes() -> None:
    world = World()
    call = await world.begin("unary")
    world.enforce(policy(("b",)))
    world.held.may_end.set()
    assert await call == RESPONSE.SerializeToString()


async def test_nothing_is_checked_again_where_anybody_may_call() -> None:
    gate = Gate(Authenticator(), PolicyAuthenticator(policy(("*",))).authenticate("Bearer secret", ()), Pools(Limits()))
    for shape in SHAPES:
        assert await Gated(gate, respond).call(shape, ABOUT_A)
    gate.recheck()
