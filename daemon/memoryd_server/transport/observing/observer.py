"""Observes calls around the gate: wrappers of each method, which are only there when something is to be observed."""

import asyncio
import logging
import math
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

import msgspec

from memoryd_server.ports.tracing import Span, Tracer
from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Begin
from memoryd_server.transport.observing.call_telemetry import SERVER_ERRORS, CallTelemetry
from memoryd_server.transport.observing.traced import within
from memoryd_server.transport.routes import Method
from memoryd_server.transport.status import CANCELLED, DEFECT, StatusCode

log = logging.getLogger("memoryd.calls")

_WORK = "concurrent_calls"
"""The pool of the calls that only work. All others may wait for what other callers do, and are never slow."""


MEMORY_OPERATIONS = {
    "CreateMemory": "create_memory",
    "UpdateMemory": "update_memory",
    "RecallMemories": "search_memory",
    "DeleteMemory": "delete_memory",
    "ForgetMemory": "delete_memory",
    "PurgeMemory": "delete_memory",
}
"""OpenTelemetry's names of the operations of long-term memory, by method."""


class Observer:
    """Times all calls, traces those that the tracer samples, and logs those that work for more than ``slow_s``.

    Without ``calls``, it times no calls but those that may be logged: their server counts and times all of them.
    """

    def __init__(self, calls: CallTelemetry | None, slow_s: float = math.inf, tracer: Tracer | None = None) -> None:
        self._calls = calls or CallTelemetry()
        self._slow_s = slow_s
        self._tracer = tracer
        self._is_timed = calls is not None

    def methods(self, methods: Mapping[str, Method]) -> dict[str, Method]:
        """Return methods, each observed, by the same paths."""
        return {
            path: msgspec.structs.replace(method, begin=self._observed(path.removeprefix("/"), method))
            for path, method in methods.items()
        }

    def _observed(self, name: str, method: Method) -> Begin:
        works = method.admission is not None and method.admission.pool.limit == _WORK
        slow_s = self._slow_s if works else math.inf
        begin = method.begin
        if self._is_timed or slow_s < math.inf:
            begin = self._timed(name, begin, slow_s)
        return begin if self._tracer is None else _sampled(name, begin, self._tracer)

    def _timed(self, name: str, begin: Begin, slow_s: float) -> Begin:
        telemetry = self._calls.of(name)
        succeeded, durations, fail = telemetry.succeeded, telemetry.durations, self._calls.fail
        buckets, bounds = succeeded.bucket_counts, succeeded.bounds

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Any:
            exchange = connect(carried)
            started = perf_counter()
            try:
                return await begin(_as_it_is, None, exchange)
            except BaseException as error:
                _note_end(exchange, error)
                raise
            finally:
                duration = perf_counter() - started
                refused = exchange.refused
                if refused is None:
                    # As ``succeeded.observe``, inlined: nearly every call ends here.
                    buckets[bisect_left(bounds, duration)] += 1
                    succeeded.sum += duration
                else:
                    durations(refused.code).observe(duration)
                    fail(refused)
                if duration > slow_s:
                    _log_slow(name, exchange, duration)

        return serve


def _sampled(name: str, begin: Begin, tracer: Tracer) -> Begin:
    """Wrap what begins calls, so that those are traced that the tracer samples."""
    sample = tracer.begin

    # Not a coroutine: the calls that are not sampled, which are nearly all, need none around them.
    def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Awaitable[Any]:
        exchange = connect(carried)
        span = sample(name, exchange.metadata)
        served = begin(_as_it_is, None, exchange)
        return served if span is None else _traced(name, span, exchange, served)

    return serve


async def _traced(name: str, span: Span, exchange: Exchange, served: Any) -> Any:
    """Serve a call within its span. An operation of long-term memory has a span of its own in it."""
    operation = MEMORY_OPERATIONS.get(name.rpartition("/")[2])
    inner = None
    if operation is not None:
        inner = span.begin(operation, {"gen_ai.operation.name": operation, "gen_ai.provider.name": "memoryd"})
    try:
        return await within(inner or span, served)
    except BaseException as error:
        _note_end(exchange, error)
        raise
    finally:
        if inner is not None:
            if exchange.agent_id:
                inner.set("gen_ai.memory.store.id", exchange.agent_id)
            inner.end(_error_of(exchange))
        _end(span, exchange)


def _note_end(exchange: Exchange, error: BaseException) -> None:
    """Note how a call ended that raised: what its exchange raises to refuse it, a cancellation, or a defect."""
    if exchange.refused is None:
        exchange.refused = CANCELLED if isinstance(error, asyncio.CancelledError) else DEFECT


def _end(span: Span, exchange: Exchange) -> None:
    span.set("rpc.response.status_code", _code_of(exchange).name)
    span.set("network.peer.address", exchange.address())
    if exchange.agent_id:
        span.set("gen_ai.agent.id", exchange.agent_id)
    span.end(_error_of(exchange))


def _code_of(exchange: Exchange) -> StatusCode:
    return StatusCode.OK if exchange.refused is None else exchange.refused.code


def _error_of(exchange: Exchange) -> str:
    """Return the type of an error of the server; empty for none."""
    code = _code_of(exchange)
    return code.name if code in SERVER_ERRORS else ""


def _log_slow(name: str, exchange: Exchange, duration: float) -> None:
    known = {"method": name, "agent_id": exchange.agent_id} if exchange.agent_id else {"method": name}
    status = _code_of(exchange).name
    log.warning("slow call", extra={**known, "duration_ms": round(duration * 1000, 1), "status": status})


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
