"""The server of the settings: the front end in Rust where it is installed, otherwise that of grpcio."""

import importlib.util
from collections.abc import Mapping

from memoryd_server.ops.config.settings import Listening, Settings
from memoryd_server.ops.error import SettingError
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
        from memoryd_server.transport.front.admission import FrontSettings
        from memoryd_server.transport.front.server import FrontServer

        bounds = FrontSettings(
            connections_max=settings.limits.connections,
            age_s=listening.connection_age,
            idle_s=listening.connection_idle,
            threads=listening.front_threads,
            unsent_bytes_max=settings.limits.response_bytes,
        )
        return FrontServer(methods, bounds, telemetry, shares_ports=shares_ports)
    # Imported late: where the front end serves, no call reaches gRPC's server.
    from memoryd_server.transport.grpc.server import GrpcServer

    return GrpcServer(
        methods,
        settings.limits.connections,
        age_s=listening.connection_age,
        idle_s=listening.connection_idle,
        shares_ports=shares_ports,
    )
