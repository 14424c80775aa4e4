"""Observes calls around the gate: a wrapper of each method, which is only there when something is to be observed."""

import asyncio
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


class Observer:
    """Times all calls."""

    def __init__(self, calls: CallTelemetry) -> None:
        self._calls = calls

    def methods(self, methods: Mapping[str, Method]) -> dict[str, Method]:
        """Return methods, each observed, by the same paths."""
        return {
            path: msgspec.structs.replace(method, begin=self._observed(path.removeprefix("/"), method.begin))
            for path, method in methods.items()
        }

    def _observed(self, name: str, begin: Begin) -> Begin:
        telemetry = self._calls.of(name)
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

        return serve


def _as_it_is(exchange: Exchange) -> Exchange:
    return exchange
