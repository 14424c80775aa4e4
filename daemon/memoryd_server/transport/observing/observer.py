"""Observes calls around the gate: a wrapper of each method, which is only there when something is to be observed."""

import asyncio
import logging
import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
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
    """Times all calls, traces those that the tracer samples, and logs those that work for more than ``slow_s``."""

    def __init__(self, calls: CallTelemetry, slow_s: float = math.inf, tracer: Tracer | None = None) -> None:
        self._calls = calls
        self._slow_s = slow_s
        self._tracer = tracer

    def methods(self, methods: Mapping[str, Method]) -> dict[str, Method]:
        """Return methods, each observed, by the same paths."""
        return {
            path: msgspec.structs.replace(method, begin=self._observed(path.removeprefix("/"), method))
            for path, method in methods.items()
        }

    def _observed(self, name: str, method: Method) -> Begin:
        telemetry, begin = self._calls.of(name), method.begin
        works = method.admission is not None and method.admission.pool.limit == _WORK
        slow_s = self._slow_s if works else math.inf
        succeeded, durations, fail = telemetry.succeeded, telemetry.durations, self._calls.fail
        buckets, bounds = succeeded.bucket_counts, succeeded.bounds
        sample = None if self._tracer is None else self._tracer.begin

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Any:
            exchange = connect(carried)
            span = None if sample is None else sample(name, exchange.metadata)
            started = perf_counter()
            try:
                served = begin(_as_it_is, None, exchange)
                return await (served if span is None else _traced(name, span, exchange, served))
            except asyncio.CancelledError:
                exchange.refused = exchange.refused or CANCELLED
                raise
            except BaseException:
                # What the exchange raises to refuse a call, or a defect of the gate.
                exchange.refused = exchange.refused or DEFECT
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
                    _log_slow(name, exchange, duration, span)
                if span is not None:
                    _end(span, exchange)

        return serve


async def _traced(name: str, span: Span, exchange: Exchange, served: Any) -> Any:
    """Serve a call within its span. An operation of long-term memory has a span of its own in it."""
    operation = MEMORY_OPERATIONS.get(name.rpartition("/")[2])
    if operation is None:
        return await within(span, served)
    inner = span.begin(operation, {"gen_ai.operation.name": operation, "gen_ai.provider.name": "memoryd"})
    try:
        return await within(inner, served)
    finally:
        if exchange.agent_id:
            inner.set("gen_ai.memory.store.id", exchange.agent_id)
        inner.end(_error_of(exchange))


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


def _log_slow(name: str, exchange: Exchange, duration: float, span: Span | None) -> None:
    fields = {"method": name, "agent_id": exchange.agent_id, "trace_id": "" if span is None else span.trace_id}
    known = {field: value for field, value in fields.items() if value}
    status = _code_of(exchange).name
    log.warning("slow call", extra={**known, "duration_ms": round(duration * 1000, 1), "status": status})


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
