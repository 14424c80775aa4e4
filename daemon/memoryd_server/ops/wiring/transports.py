"""The server of the settings: the front end in Rust where it is installed, otherwise that of grpcio."""

import importlib.util
from collections.abc import Mapping, Sequence

from memoryd_server.ops.config.settings import Listening, Settings
from memoryd_server.ops.error import SettingError
from memoryd_server.transport.openapi import openapi_page
from memoryd_server.transport.routes import Method
from memoryd_server.transport.server import Server
from memoryd_server.transport.server_telemetry import ServerTelemetry


def uses_front(listening: Listening) -> bool:
    """Return whether the front end serves. Raises SettingError if it is required, and not installed."""
    is_installed = importlib.util.find_spec("memoryd_front") is not None
    if listening.transport == "front" and not is_installed:
        raise SettingError("transport", "front needs the package memoryd-front, which is not installed")
    return is_installed and listening.transport != "grpc"


def server_of(
    settings: Settings, methods: Mapping[str, Method], telemetry: ServerTelemetry | None = None, *, shares_ports: bool
) -> Server:
    """Return the server of the settings, which listens nowhere yet. Raises SettingError."""
    listening = settings.listening
    if uses_front(listening):
        # Imported late: the package may not be there.
        from memoryd_server.transport.console.pages import console_pages
        from memoryd_server.transport.front.admission import FrontSettings
        from memoryd_server.transport.front.server import FrontServer

        bounds = FrontSettings(
            connections_max=settings.limits.connections,
            age_s=listening.connection_age,
            idle_s=listening.connection_idle,
            threads=listening.front_threads,
            unsent_bytes_max=settings.limits.response_bytes,
            origins=settings.http.origin,
            hosts=_hosts(settings),
            pages=(openapi_page(), *(console_pages() if listening.console else ())),
        )
        return FrontServer(methods, bounds, telemetry, shares_ports=shares_ports)
    if listening.console:
        raise SettingError("console", "requires the front end, of the package memoryd-front")
    # Imported late: where the front end serves, no call reaches gRPC's server.
    from memoryd_server.transport.grpc.server import GrpcServer

    server = GrpcServer(
        methods,
        settings.limits.connections,
        age_s=listening.connection_age,
        idle_s=listening.connection_idle,
        shares_ports=shares_ports,
    )
    if listening.http is None:
        return server
    return _with_http(settings, server, methods, shares_ports=shares_ports)


def _with_http(settings: Settings, server: Server, methods: Mapping[str, Method], *, shares_ports: bool) -> Server:
    """Return a server that also serves methods over HTTP/1.1, at the last address. Raises SettingError."""
    if importlib.util.find_spec("uvicorn") is None:
        raise SettingError(
            "http", "needs the front end, of the package memoryd-front, or the extra memoryd-server[http]"
        )
    # Imported late: its packages may not be there.
    from memoryd_server.transport.http.beside import Beside
    from memoryd_server.transport.http.server import HttpServer
    from memoryd_server.transport.http.visitors import Visitors

    http = HttpServer(
        methods,
        Visitors(settings.http.origin, _hosts(settings)),
        (openapi_page(),),
        connections_max=settings.limits.connections,
        idle_s=settings.listening.connection_idle,
        shares_ports=shares_ports,
    )
    return Beside(server, http, len(settings.listening.listen))


def _hosts(settings: Settings) -> Sequence[str] | None:
    """Return the names by which web browsers may call; None for any, since callers or the host are known."""
    return settings.http.host if settings.is_open and settings.tls.cert_file is None else None
