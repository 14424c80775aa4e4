"""All that is observed of one daemon, and its exporters."""

import asyncio
import contextlib
import importlib.util
import logging
import math
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator

from memoryd_server.engine.engine import Engine
from memoryd_server.ops.auditing.audit_file import AuditTelemetry
from memoryd_server.ops.auth.telemetry import AuthenticationTelemetry
from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.limit import COUNT_S_MAX, EXPORTS_END_S, LIVE_S_MAX
from memoryd_server.ops.observing.disk import DiskTelemetry
from memoryd_server.ops.observing.loop_lag import LoopLag
from memoryd_server.ops.observing.signal_choice import PROTOCOL, is_exported, other_protocol
from memoryd_server.ops.wiring.stores import store_directory_of
from memoryd_server.ops.wiring.transports import uses_front
from memoryd_server.ports.instrument import Instrument
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.ports.tracing import Tracer
from memoryd_server.transport.admission.pool import Pools
from memoryd_server.transport.observing.call_telemetry import CallTelemetry
from memoryd_server.transport.observing.observer import Observer
from memoryd_server.transport.server_telemetry import ServerTelemetry

log = logging.getLogger("memoryd.observing")


class Observation:
    """The metrics of a daemon. ``observer`` is None while nobody observes its calls.

    ``fault`` returns why the daemon does not serve; an empty text if it does. It is set once the daemon has begun to.
    """

    def __init__(self, settings: Settings, directory: DataDirectory) -> None:
        self.telemetry = WorkingMemoryTelemetry()
        self.pools = Pools(settings.limits)
        self._calls = CallTelemetry()
        self.connections = ServerTelemetry(self._calls)
        self.audit = AuditTelemetry()
        self.authentication = AuthenticationTelemetry()
        self.fault: Callable[[], str] = lambda: "starting"
        self._settings = settings
        self._loop_lag = LoopLag()
        self._disk = DiskTelemetry(directory.path, store_directory_of(settings, directory))
        self._has_front = uses_front(settings.listening)
        self._signals = [each for each in ("METRICS", "TRACES") if is_exported(each, os.environ)]
        if self._signals and importlib.util.find_spec("opentelemetry.exporter.otlp.proto.http") is None:
            log.warning("nothing is exported by OTLP: install memoryd-server[otlp]")
            self._signals = []
        for signal in self._signals:
            if protocol := other_protocol(signal, os.environ):
                extra = {"signal": signal.lower(), "protocol": protocol, "used": PROTOCOL}
                log.warning("protocol of OTLP not supported", extra=extra)
        self.observer: Observer | None = None

    @contextlib.asynccontextmanager
    async def exported(self, engine: Engine) -> AsyncIterator[None]:
        """Observe, and export what is observed, during a with block, as the settings say. Raises OperatorError."""
        slow_s, address = self._settings.logging.slow or math.inf, self._settings.metrics.listen
        if address is None and not self._signals:
            self.observer = None if slow_s == math.inf else Observer(None, slow_s)
            yield
            return
        lag = asyncio.create_task(self._loop_lag.watch(), name="loop lag")
        ends: list[Callable[[], None]] = []
        try:
            tracer = self._begin(ends, address, engine, asyncio.get_running_loop())
            # The front end counts and times calls by itself.
            counted = None if self._has_front else self._calls
            self.observer = Observer(counted, slow_s, tracer)
            yield
        finally:
            lag.cancel()
            # The exporters end their threads, which may wait for this loop.
            await asyncio.to_thread(_end, ends)

    def _begin(
        self,
        ends: list[Callable[[], None]],
        address: TcpAddress | None,
        engine: Engine,
        loop: asyncio.AbstractEventLoop,
    ) -> Tracer | None:
        """Begin to export. Add what ends each exporter to ``ends``. Return the tracer of calls, if there is one."""
        # Imported late: OpenTelemetry takes a fifth of the time to start.
        from memoryd_server.ops.observing.metrics_data import own_resource

        def instruments() -> Iterable[Instrument]:
            self._measure(engine, loop)
            return self._instruments()

        def is_alive() -> str:
            return "" if _within(loop, _nothing(), LIVE_S_MAX) else "the event loop does not respond"

        resource = own_resource()
        if address is not None:
            from memoryd_server.ops.observing.metrics_exporter import MetricsExporter

            probes = {"/livez": is_alive, "/readyz": lambda: self.fault()}
            ends.append(MetricsExporter(instruments, resource, address, probes).shutdown)
        if not self._signals:
            return None
        from memoryd_server.ops.observing.otlp import export_metrics, tracer_of

        end_metrics = export_metrics(instruments, resource) if "METRICS" in self._signals else None
        if end_metrics is not None:
            ends.append(end_metrics)
        tracer = tracer_of(os.environ, resource) if "TRACES" in self._signals else None
        if tracer is not None:
            ends.append(tracer.shutdown)
        return tracer

    def _instruments(self) -> Iterator[Instrument]:
        yield from self.telemetry.instruments()
        yield from self.pools.instruments()
        if self._has_front:
            yield from self.connections.instruments()
        yield from self._calls.instruments()
        yield from self.audit.instruments()
        yield from self.authentication.instruments()
        yield from self._disk.instruments()
        yield self._loop_lag.lag

    def _measure(self, engine: Engine, loop: asyncio.AbstractEventLoop) -> None:
        """Set the gauges. While the store does not respond, or is not open, some stay as they were."""
        self.connections.refresh()
        self._disk.measure()
        _within(loop, engine.measure(), COUNT_S_MAX)


def _end(ends: Iterable[Callable[[], None]]) -> None:
    """End all exporters at once, and wait for them at most EXPORTS_END_S. Blocks."""
    threads = [threading.Thread(target=end, name="end of an exporter", daemon=True) for end in ends]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + EXPORTS_END_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        log.warning("last export did not end in time")


def _within(loop: asyncio.AbstractEventLoop, asked: Coroutine[object, object, None], timeout_s: float) -> bool:
    """Run a coroutine in the loop, on another thread. Return whether it ended well in time."""
    try:
        running = asyncio.run_coroutine_threadsafe(asked, loop)
    except RuntimeError:
        # The loop is closed: the daemon has ended, and did not wait for this thread.
        asked.close()
        return False
    try:
        running.result(timeout_s)
    except Exception:  # noqa: BLE001 - whatever it is, there is no answer
        running.cancel()
        return False
    return True


async def _nothing() -> None:
    """End in the next turn of the event loop."""
