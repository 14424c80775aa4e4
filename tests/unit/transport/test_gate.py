"""The gate, called as a transport calls it: what it admits, what it refuses, and what it counts."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from tests.unit.engine.world import settle
from tests.unit.transport.gated import (
    ABOUT_A,
    CALLS,
    EVERYONE,
    LIMIT,
    PATH,
    RESPONSE,
    SHAPES,
    STREAM,
    Authenticator,
    Gated,
    Held,
    NeverRefused,
    admitted,
    is_refused,
    one_request,
    open_gate,
    refusal_of,
    request_of,
    respond,
)

from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain.error import AgentNotFound, InvalidField
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX, Limits
from memoryd_server.transport.access import AccessRule
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.call import Call
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.in_process import CallFailed, InProcessTransport
from memoryd_server.transport.routes import Method, MethodKind
from memoryd_server.transport.status import StatusCode


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("response", [RESPONSE, RESPONSE.SerializeToString()], ids=["message", "bytes"])
async def test_a_response_arrives_whether_the_handler_has_serialized_it_or_not(
    shape: str, response: pb.GetAgentResponse | bytes
) -> None:
    async def handler(_request: Any, _call: Call) -> pb.GetAgentResponse | bytes:
        return response

    gated = Gated(open_gate(), handler)
    assert pb.GetAgentResponse.FromString(await gated.call(shape, ABOUT_A)) == RESPONSE


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_handler_receives_the_request_the_caller_and_the_metadata(shape: str) -> None:
    seen: list[tuple[Any, Call]] = []

    async def handler(request: Any, call: Call) -> pb.GetAgentResponse:
        seen.append((request, call))
        return RESPONSE

    await Gated(open_gate(), handler).call(shape, ABOUT_A, metadata=(("memoryd-origin", "test"),))
    ((request, call),) = seen
    assert request == pb.GetAgentRequest(agent_id="a")
    assert call.caller is EVERYONE
    assert call.origin == "test"
    assert call.policy.name == ("Service/Watch" if shape == "watch" else "Service/Method")


async def test_a_client_stream_yields_its_requests_in_order() -> None:
    agent_ids: list[str] = []

    async def handler(requests: AsyncIterator[Any], _call: Call) -> bytes:
        agent_ids.extend([request.agent_id async for request in requests])
        return b""

    async def requests() -> AsyncIterator[bytes]:
        for agent_id in ("a", "b", "c"):
            yield request_of(agent_id)

    method = Method(MethodKind.CLIENT_STREAM, open_gate().client_stream(STREAM, pb.GetAgentRequest, handler))
    assert await InProcessTransport({PATH: method}).unary(PATH, requests()) == b""
    assert agent_ids == ["a", "b", "c"]


async def test_a_server_stream_sends_all_responses_and_then_ends() -> None:
    async def handler(_request: Any, _call: Call) -> AsyncGenerator[bytes, None]:
        for number in range(50):
            yield bytes([number])

    stream = open_gate().server_stream(STREAM, pb.GetAgentRequest, handler)
    transport = InProcessTransport({PATH: Method(MethodKind.SERVER_STREAM, stream)})
    assert [response async for response in transport.call(PATH, b"")] == [bytes([number]) for number in range(50)]


class TestAdmission:
    @pytest.mark.parametrize("last", CALLS)
    @pytest.mark.parametrize("first", CALLS)
    async def test_no_more_calls_are_admitted_than_the_limit(self, first: str, last: str) -> None:
        held = Held()
        gated = Gated(open_gate(), held)
        calls = [gated.begin(first, ABOUT_A) for _ in range(LIMIT)]
        await held.begun(LIMIT)
        over = gated.call(last, ABOUT_A)
        await is_refused(over, StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", limit="concurrent_calls", value=str(LIMIT))
        assert gated.handled == LIMIT
        held.may_end.set()
        await asyncio.gather(*calls)
        assert await gated.call(last, ABOUT_A)

    async def test_a_refused_call_does_not_count_as_admitted(self) -> None:
        gated = Gated(open_gate(concurrent_calls=1), respond)
        for shape in CALLS:
            with pytest.raises(CallFailed):
                await gated.call(shape, b"\xff")
            assert await gated.call(shape, ABOUT_A)
        assert admitted(gated.gate) == 0

    async def test_no_more_watches_are_admitted_than_the_limit(self) -> None:
        held = Held()
        gated = Gated(open_gate(), held)
        watches = [gated.begin("watch") for _ in range(LIMIT)]
        await held.begun(LIMIT)
        over = gated.call("watch")
        await is_refused(
            over, StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", limit="concurrent_watches", value=str(LIMIT)
        )
        held.may_end.set()
        await asyncio.gather(*watches)
        assert await gated.call("watch")

    @pytest.mark.parametrize(("limited", "other"), [("watch", "unary"), ("unary", "watch")])
    async def test_watches_and_calls_have_separate_limits(self, limited: str, other: str) -> None:
        held = Held()
        gated = Gated(open_gate(concurrent_calls=1, concurrent_watches=1), held)
        first = gated.begin(limited, ABOUT_A)
        await held.begun()
        second = gated.begin(other, ABOUT_A)
        await held.begun()
        held.may_end.set()
        assert await first == await second == RESPONSE.SerializeToString()


class TestAuthentication:
    @pytest.fixture
    def authenticator(self) -> Authenticator:
        return Authenticator()

    @pytest.fixture
    def gated(self, authenticator: Authenticator) -> Gated:
        return Gated(Gate(authenticator, None, Pools(Limits())), respond)

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_known_token_is_admitted(self, gated: Gated, authenticator: Authenticator, shape: str) -> None:
        assert await gated.call(shape, ABOUT_A, metadata=(("authorization", "Bearer secret"),))
        assert authenticator.asked == [("Bearer secret", ["agent.example"])]

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("metadata", [(), (("authorization", b"Bearer secret"),), (("other", "Bearer secret"),)])
    async def test_a_call_without_a_token_in_text_is_refused(
        self, gated: Gated, authenticator: Authenticator, shape: str, metadata: Any
    ) -> None:
        await is_refused(gated.call(shape, ABOUT_A, metadata=metadata), StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
        assert authenticator.asked == [(None, ["agent.example"])]
        assert gated.handled == 0

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_an_open_gate_authenticates_nobody(self, shape: str) -> None:
        authenticator = Authenticator()
        assert await Gated(Gate(authenticator, EVERYONE, Pools(Limits())), respond).call(shape, ABOUT_A)
        assert authenticator.asked == []

    async def test_authentication_comes_before_parsing(self, gated: Gated) -> None:
        await is_refused(gated.call("unary", b"\xff"), StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


class TestAccess:
    TOKEN = (("authorization", "Bearer secret"),)

    async def test_a_caller_may_use_its_own_agents_and_no_other(self) -> None:
        gated = Gated(Gate(Authenticator(), None, Pools(Limits())), respond)
        assert await gated.call("unary", request_of("b"), metadata=self.TOKEN)
        other = gated.call("unary", request_of("c"), metadata=self.TOKEN)
        await is_refused(other, StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN", agent_id="c")
        assert gated.handled == 1

    async def test_a_caller_of_all_agents_may_use_any(self) -> None:
        assert await Gated(open_gate(), respond).call("unary", request_of("whatever"))

    @pytest.mark.parametrize("agent_id", ["", " ", "a" * (AGENT_ID_BYTES_MAX + 1), "a\n"])
    async def test_a_method_of_an_agent_refuses_an_invalid_agent_id(self, agent_id: str) -> None:
        call = Gated(open_gate(), respond).call("unary", request_of(agent_id))
        await is_refused(call, StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", field="agent_id")

    @pytest.mark.parametrize("rule", [each for each in AccessRule if each is not AccessRule.AGENT])
    async def test_the_gate_leaves_the_agent_of_any_other_rule_to_the_handler(self, rule: AccessRule) -> None:
        gated = Gated(Gate(Authenticator(), None, Pools(Limits())), respond, rule)
        assert await gated.call("unary", request_of("c"), metadata=self.TOKEN)
        assert await gated.call("unary", b"", metadata=self.TOKEN)


class TestErrors:
    @pytest.mark.parametrize("shape", SHAPES)
    async def test_malformed_messages_are_refused(self, shape: str) -> None:
        gated = Gated(open_gate(), respond)
        await is_refused(gated.call(shape, b"\xff"), StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE")
        assert gated.handled == 0

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_refusal_becomes_its_status(self, shape: str) -> None:
        async def handler(_request: Any, _call: Call) -> bytes:
            raise InvalidField("key", "must not be blank")

        call = Gated(open_gate(), handler).call(shape, ABOUT_A)
        status, info = await refusal_of(call)
        assert status.message == "key: must not be blank"
        assert (status.code, dict(info.metadata)) == (
            StatusCode.INVALID_ARGUMENT,
            {"field": "key", "agent_id": "a"},
        )

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_defect_is_logged_and_its_status_reveals_no_internals(
        self, shape: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def handler(_request: Any, _call: Call) -> bytes:
            raise KeyError("inside")

        call = Gated(open_gate(), handler).call(shape, ABOUT_A)
        status, info = await refusal_of(call)
        assert (status.code, status.message, info.reason) == (
            StatusCode.INTERNAL,
            "internal error",
            "ERROR_REASON_INTERNAL",
        )
        assert b"inside" not in status.details
        (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
        assert record.exc_info is not None
        assert isinstance(record.exc_info[1], KeyError)
        assert vars(record)["method"] == ("Service/Watch" if shape == "watch" else "Service/Method")

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_call_without_memory_may_be_tried_again(self, shape: str) -> None:
        async def handler(_request: Any, _call: Call) -> bytes:
            raise MemoryError

        status, info = await refusal_of(Gated(open_gate(), handler).call(shape, ABOUT_A))
        assert (status.code, info.reason) == (StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_OVERLOADED")
        assert info.metadata["limit"] == "memory_bytes"

    async def test_a_stream_may_be_refused_after_it_has_sent_something(self) -> None:
        async def handler(_request: Any, _call: Call) -> AsyncGenerator[bytes, None]:
            yield b"first"
            raise AgentNotFound("a")

        stream = open_gate().server_stream(STREAM, pb.GetAgentRequest, handler)
        call = InProcessTransport({PATH: Method(MethodKind.SERVER_STREAM, stream)}).call(PATH, b"")
        assert await anext(call) == b"first"
        await is_refused(anext(call), StatusCode.NOT_FOUND, "AGENT_NOT_FOUND", agent_id="a")

    async def test_a_later_message_of_a_client_stream_may_be_malformed(self) -> None:
        async def requests() -> AsyncIterator[bytes]:
            yield ABOUT_A
            yield b"\xff"

        gated = Gated(open_gate(), respond)
        call = gated.transport.unary("client_stream", requests())
        await is_refused(call, StatusCode.INVALID_ARGUMENT, "MALFORMED_MESSAGE", agent_id="a")


class TestCancellation:
    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_cancelled_call_ends_as_cancelled_and_is_no_longer_counted(self, shape: str) -> None:
        held = Held()
        gate = open_gate()
        gated = Gated(gate, held)
        sent: Any = one_request(ABOUT_A) if shape == "client_stream" else ABOUT_A
        call = gated.transport.call(shape, sent)
        await held.begun()
        assert admitted(gate) == 1
        call.cancel()
        with pytest.raises(CallFailed) as failed:
            await anext(call)
        assert failed.value.status.code is StatusCode.CANCELLED
        assert admitted(gate) == 0

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_cancellation_is_never_swallowed(self, shape: str) -> None:
        async def handler(_request: Any, _call: Call) -> bytes:
            raise asyncio.CancelledError

        method = Gated(open_gate(), handler).transport._methods[shape]
        with pytest.raises(asyncio.CancelledError):
            await method.serve(NeverRefused(ABOUT_A))

    @pytest.mark.parametrize("shape", ["server_stream", "watch"])
    async def test_a_stream_that_the_client_cancels_is_closed_before_it_is_no_longer_counted(self, shape: str) -> None:
        gate = open_gate()
        gated = Gated(gate, respond)

        async def leave(_message: bytes, /) -> None:
            raise asyncio.CancelledError

        exchange = NeverRefused(ABOUT_A, leave)
        with pytest.raises(asyncio.CancelledError):
            await gated.transport._methods[shape].serve(exchange)
        assert gated.closed == [1]
        assert admitted(gate) == 0


class TestDrain:
    @pytest.mark.parametrize("shape", SHAPES)
    async def test_new_calls_are_refused_while_admitted_ones_end(self, shape: str) -> None:
        held = Held()
        gated = Gated(open_gate(), held)
        before = gated.begin(shape, ABOUT_A)
        await held.begun()
        gated.gate.drain()
        assert gated.gate.draining
        await is_refused(gated.call(shape, ABOUT_A), StatusCode.UNAVAILABLE, "DRAINING")
        held.may_end.set()
        assert await before == RESPONSE.SerializeToString()

    async def test_a_method_without_an_access_rule_is_served_while_draining_within_the_limit(self) -> None:
        held = Held()
        gated = Gated(open_gate(concurrent_probes=1), held, AccessRule.AUTHENTICATED)
        gated.gate.drain()
        first = gated.begin("unary")
        await held.begun()
        await is_refused(
            gated.call("unary"), StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", limit="concurrent_probes", value="1"
        )
        held.may_end.set()
        assert await first == RESPONSE.SerializeToString()

    async def test_draining_comes_before_the_limit(self) -> None:
        held = Held()
        gated = Gated(open_gate(concurrent_calls=1, concurrent_watches=1), held)
        calls = [gated.begin("unary", ABOUT_A), gated.begin("watch")]
        await held.begun(2)
        gated.gate.drain()
        for shape in SHAPES:
            await is_refused(gated.call(shape, ABOUT_A), StatusCode.UNAVAILABLE, "DRAINING")
        held.may_end.set()
        await asyncio.gather(*calls)

    @pytest.mark.parametrize("shape", SHAPES)
    async def test_a_wait_ends_when_the_last_call_has_ended(self, shape: str) -> None:
        gate = open_gate()
        wait, other = gate.wait_for_calls, gate.wait_for_watches
        if shape == "watch":
            wait, other = other, wait
        handlers = [Held(), Held()]
        remaining = iter(handlers)

        async def handler(request: Any, call: Call) -> pb.GetAgentResponse:
            return await next(remaining)(request, call)

        gated = Gated(gate, handler)
        calls = [gated.begin(shape, ABOUT_A) for _ in handlers]
        for held in handlers:
            await held.begun()
        gate.drain()
        await other()
        waiting = asyncio.create_task(wait())
        handlers[0].may_end.set()
        await calls[0]
        await settle()
        assert not waiting.done()
        handlers[1].may_end.set()
        await calls[1]
        await waiting

    async def test_a_wait_for_no_call_ends_at_once(self) -> None:
        gate = open_gate()
        await gate.wait_for_calls()
        await gate.wait_for_watches()


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_client_of_another_major_version_is_refused_before_its_request_is_handled(shape: str) -> None:
    gated = Gated(open_gate(), respond)
    metadata = (("user-agent", "memoryd-go/9.0.0 grpc-go/1.80.0"),)
    with pytest.raises(CallFailed) as failed:
        await gated.call(shape, ABOUT_A, metadata=metadata)
    assert failed.value.status.code is StatusCode.FAILED_PRECONDITION
    assert (gated.handled, admitted(gated.gate)) == (0, 0)


async def test_a_client_of_every_version_may_ask_about_the_daemon() -> None:
    gated = Gated(open_gate(), respond, AccessRule.AUTHENTICATED)
    metadata = (("user-agent", "memoryd-go/9.0.0 grpc-go/1.80.0"),)
    assert pb.GetAgentResponse.FromString(await gated.call("unary", ABOUT_A, metadata=metadata)) == RESPONSE
