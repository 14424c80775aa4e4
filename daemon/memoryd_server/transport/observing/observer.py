"""Observes calls around the gate: a wrapper of each method, which is only there when something is to be observed."""

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import msgspec

from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.gate import Begin
from memoryd_server.transport.observing.call_telemetry import CallTelemetry
from memoryd_server.transport.routes import Method
from memoryd_server.transport.status import Status, StatusCode

_CANCELLED = Status(StatusCode.CANCELLED)
_DEFECT = Status(StatusCode.UNKNOWN)


log = logging.getLogger("memoryd.calls")

_WORK = "concurrent_calls"
"""The pool of the calls that only work. All others may wait for what other callers do, and are never slow."""


class Observer:
    """Times all calls, and logs those that work for longer than ``slow_s`` seconds."""

    def __init__(self, calls: CallTelemetry, slow_s: float = math.inf) -> None:
        self._calls = calls
        self._slow_s = slow_s

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

        async def serve(connect: Callable[[Any], Exchange], _: object, carried: Any) -> Any:
            exchange = connect(carried)
            started = perf_counter()
            try:
                return await begin(_as_it_is, None, exchange)
            except asyncio.CancelledError:
                exchange.refused = exchange.refused or _CANCELLED
                raise
            except BaseException:
                # What the exchange raises to refuse a call, or a defect of the gate.
                exchange.refused = exchange.refused or _DEFECT
                raise
            finally:
                duration = perf_counter() - started
                refused = exchange.refused
                if refused is None:
                    succeeded.observe(duration)
                else:
                    durations(refused.code).observe(duration)
                    fail(refused)
                if duration > slow_s:
                    _log_slow(name, exchange, duration)

        return serve


def _log_slow(name: str, exchange: Exchange, duration: float) -> None:
    code = StatusCode.OK if exchange.refused is None else exchange.refused.code
    fields = {"agent_id": exchange.agent_id} if exchange.agent_id else {}
    log.warning(
        "slow call", extra={"method": name, **fields, "duration_ms": round(duration * 1000, 1), "status": code.name}
    )


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
