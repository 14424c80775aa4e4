"""Publishes the daemon's metrics and its health by HTTP, for Prometheus and for probes."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry, ProcessCollector, make_wsgi_app

from memoryd_server.ops.config.address import TcpAddress
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import METRICS_REQUEST_S_MAX, METRICS_REQUESTS_MAX
from memoryd_server.ops.observing.metrics_data import feed
from memoryd_server.ports.instrument import Instrument

log = logging.getLogger("memoryd.observing")

Probe = Callable[[], str]
"""Returns why the daemon is not well; an empty text if it is. Called on a thread of its own; must not raise."""

WELL = "ok"


class MetricsExporter:
    """Serves ``/metrics``, and each of ``probes`` at its path, until ``shutdown``.

    ``metrics_address`` has the actual port if ``listen`` has port 0. Raises OperatorError if it cannot listen. Requests
    are served on threads of their own. ``instruments`` is called at each scrape, on such a thread; must not raise.
    """

    def __init__(
        self,
        instruments: Callable[[], Iterable[Instrument]],
        resource: Resource,
        listen: TcpAddress,
        probes: dict[str, Probe],
    ) -> None:
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._reader = PrometheusMetricReader(scope_info_enabled=False, registry=registry)
        feed(self._reader, instruments, resource)
        self._server = _server(_application(registry, probes), listen)
        self._thread = threading.Thread(target=self._server.serve_forever, name="memoryd-metrics", daemon=True)
        self._thread.start()
        self.metrics_address = TcpAddress(listen.host, self._server.server_port)

    def shutdown(self) -> None:
        """Close the port, and wait for the thread that listens.

        A scrape in progress is not waited for: one that hangs must not hold up the daemon's end.
        """
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self._reader.shutdown()


Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def _application(registry: CollectorRegistry, probes: dict[str, Probe]) -> Application:
    """Return what serves the requests: OpenMetrics or Prometheus' text, by the Accept header, and the probes."""
    metrics = make_wsgi_app(registry)
    # The reader keeps what it has collected where the next scrape finds it: one of two at a time might take both.
    scraping = threading.Lock()

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path, is_read = environ["PATH_INFO"], environ["REQUEST_METHOD"] in ("GET", "HEAD")
        if not is_read:
            return _text(start_response, "405 Method Not Allowed", "only GET")
        if path == "/metrics":
            with scraping:
                served: Iterable[bytes] = metrics(environ, start_response)
            return served
        if path not in probes:
            return _text(start_response, "404 Not Found", f"only {', '.join(('/metrics', *probes))}")
        fault = probes[path]()
        return _text(start_response, "503 Service Unavailable" if fault else "200 OK", fault or WELL)

    return serve


def _text(start_response: Callable[..., Any], status: str, text: str) -> Iterable[bytes]:
    start_response(status, [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")])
    return (f"{text}\n".encode(),)


class _Server(ThreadingMixIn, WSGIServer):
    """Serves METRICS_REQUESTS_MAX connections at a time, each for METRICS_REQUEST_S_MAX: anybody may connect."""

    daemon_threads = True
    # A request that hangs must not hold up the daemon's end.
    block_on_close = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # The connections, and when they are closed. Each copy of the dictionary is one step for the interpreter.
        self._deadlines: dict[Any, float] = {}
        super().__init__(*args, **kwargs)

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._deadlines) >= METRICS_REQUESTS_MAX:
            self.shutdown_request(request)
            return
        self._deadlines[request] = time.monotonic() + METRICS_REQUEST_S_MAX
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End the connections that take too long. Called twice a second; their threads then find them closed."""
        now = time.monotonic()
        for request, deadline in list(self._deadlines.items()):
            if deadline < now:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log that a client has left: the library prints a traceback."""
        log.debug("request failed", exc_info=True)


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log no requests: there is one every few seconds."""


def _server(application: Application, listen: TcpAddress) -> WSGIServer:
    try:
        (family, *_), *_ = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM)
        kind = type("_Server", (_Server,), {"address_family": family})
        return make_server(listen.host, listen.port, application, kind, _SilentHandler)
    except OSError as error:
        message = f"metrics_listen: cannot listen on {listen}: {error.strerror}"
        raise OperatorError(message) from error
