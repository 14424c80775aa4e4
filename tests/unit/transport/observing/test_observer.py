"""The gate behind an observer, in this process."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.engine.world import settle
from tests.unit.transport.gated import ABOUT_A, CALLS, METHOD, PATH, SHAPES, Gated, Handler, Held, open_gate, respond

from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.domain.error import AgentNotFound, StoreUnavailable
from memoryd_server.ports.instrument import Counter, Histogram
from memoryd_server.ports.tracing import SPAN, Attributes, Span, current_span, part
from memoryd_server.transport.call import Call
from memoryd_server.transport.in_process import CallFailed, InProcessTransport
from memoryd_server.transport.observing.call_telemetry import CallTelemetry
from memoryd_server.transport.observing.observer import Observer
from memoryd_server.transport.routes import Admission, Method, MethodKind


class Observed:
    """A gate whose calls are observed."""

    def __init__(self, handler: Handler) -> None:
        self.telemetry = CallTelemetry()
        self.gated = Gated(open_gate(), handler, observer=Observer(self.telemetry))

    @property
    def counts(self) -> dict[tuple[str, str, str], int]:
        """The number of calls by method, status and type of error."""
        found = (each for each in self.telemetry.instruments() if isinstance(each, Histogram))
        names = "rpc.method", "rpc.response.status_code", "error.type"
        return {tuple(each.attributes.get(name, "") for name in names): each.count for each in found}  # type: ignore[misc]

    @property
    def failed(self) -> dict[str, int]:
        """The number of failed calls by reason."""
        return {
            each.attributes["reason"]: each.value for each in self.telemetry.instruments() if isinstance(each, Counter)
        }


async def not_found(_request: Any, _call: Call) -> pb.GetAgentResponse:
    raise AgentNotFound("a")


async def unavailable(_request: Any, _call: Call) -> pb.GetAgentResponse:
    raise StoreUnavailable


async def defect(_request: Any, _call: Call) -> pb.GetAgentResponse:
    raise ZeroDivisionError


@pytest.mark.parametrize("shape", SHAPES)
async def test_a_call_is_counted_by_its_method_and_its_status(shape: str) -> None:
    observed = Observed(respond)
    for _ in range(2):
        await observed.gated.call(shape, ABOUT_A)
    await settle()
    assert observed.counts == {(shape, "OK", ""): 2}
    assert observed.failed == {}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("handler", "status", "error", "reason"),
    [
        (not_found, "NOT_FOUND", "", "AGENT_NOT_FOUND"),
        (unavailable, "UNAVAILABLE", "UNAVAILABLE", "STORE_UNAVAILABLE"),
        (defect, "INTERNAL", "INTERNAL", "INTERNAL"),
    ],
)
async def test_a_refusal_is_counted_by_its_reason_and_only_faults_of_the_server_are_errors(
    shape: str, handler: Handler, status: str, error: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    observed = Observed(handler)
    with caplog.at_level(logging.CRITICAL), pytest.raises(CallFailed):
        await observed.gated.call(shape, ABOUT_A)
    assert observed.counts == {(shape, status, error): 1}
    assert observed.failed == {reason: 1}


@pytest.mark.parametrize("shape", CALLS)
async def test_a_call_whose_client_leaves_is_counted_as_cancelled(shape: str) -> None:
    held = Held()
    observed = Observed(held)
    call = observed.gated.begin(shape, ABOUT_A)
    await held.begun()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await settle()
    assert observed.counts == {(shape, "CANCELLED", ""): 1}
    assert observed.failed == {"CANCELLED": 1}


@pytest.mark.parametrize("counts", [None, CallTelemetry()], ids=["counted by the server", "counted here"])
@pytest.mark.parametrize("pool", ["calls", "waits", "watches"])
async def test_only_calls_that_work_are_logged_as_slow(
    pool: str, counts: CallTelemetry | None, caplog: pytest.LogCaptureFixture
) -> None:
    gate = open_gate()
    begin = gate.unary(METHOD, pb.GetAgentRequest, respond)
    admission = Admission(getattr(gate.pools, pool), 100, needs_credentials=False)
    # Longer than no time at all is every call.
    methods = Observer(counts, 0.0).methods({PATH: Method(MethodKind.UNARY, begin, admission)})
    await InProcessTransport(methods).unary(PATH, ABOUT_A)
    lines = [vars(each) for each in caplog.records if each.message == "slow call"]
    assert [(each["method"], each["agent_id"], each["status"]) for each in lines] == (
        [("test.Service/Method", "a", "OK")] if pool == "calls" else []
    )
    assert all(each["duration_ms"] >= 0 for each in lines)


class RecordedSpan:
    """A span that writes down what happens to it."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.trace_id, self._name, self._lines = "f" * 32, name, lines

    def begin(self, name: str, attributes: Attributes | None = None) -> "RecordedSpan":
        return RecordedSpan(f"{self._name}/{name}", self._lines)

    def set(self, name: str, value: str | int) -> None:
        self._lines.append(f"{self._name} {name}={value}")

    def end(self, error: str = "") -> None:
        self._lines.append(f"{self._name} ended {error}".rstrip())


class EveryCall:
    """A tracer of all calls."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def begin(self, name: str, metadata: Callable[[str], str | None]) -> RecordedSpan:
        return RecordedSpan(name, self.lines)


@pytest.mark.parametrize("counts", [None, CallTelemetry()], ids=["counted by the server", "counted here"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_traced_calls_span_is_current_for_its_code_alone(shape: str, counts: CallTelemetry | None) -> None:
    seen: list[Span | None] = []

    async def handler(request: Any, call: Call) -> pb.GetAgentResponse:
        seen.append(current_span())
        await asyncio.sleep(0)
        seen.append(current_span())
        return await respond(request, call)

    tracer = EveryCall()
    gated = Gated(open_gate(), handler, observer=Observer(counts, tracer=tracer))
    await gated.call(shape, ABOUT_A)
    await settle()
    assert len(seen) == 2
    assert seen[0] is seen[1] is not None
    assert current_span() is None
    assert f"{shape} rpc.response.status_code=OK" in tracer.lines
    assert tracer.lines[-1] == f"{shape} ended"


@pytest.mark.parametrize("counts", [None, CallTelemetry()], ids=["counted by the server", "counted here"])
@pytest.mark.parametrize(("handler", "end"), [(not_found, "unary ended"), (unavailable, "unary ended UNAVAILABLE")])
async def test_a_span_has_the_errors_of_the_server_only(
    handler: Handler, end: str, counts: CallTelemetry | None
) -> None:
    tracer = EveryCall()
    gated = Gated(open_gate(), handler, observer=Observer(counts, tracer=tracer))
    with pytest.raises(CallFailed):
        await gated.call("unary", ABOUT_A)
    assert tracer.lines[-1] == end


async def test_a_part_ends_with_the_error_that_ended_it() -> None:
    lines: list[str] = []
    token = SPAN.set(RecordedSpan("call", lines))
    try:
        with pytest.raises(ZeroDivisionError), part("search"):
            raise ZeroDivisionError
    finally:
        SPAN.reset(token)
    assert lines == ["call/search ended ZeroDivisionError"]
