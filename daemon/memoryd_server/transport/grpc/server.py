"""The gRPC server: its options, its addresses, and its end."""

from collections.abc import Mapping

import grpc

from memoryd_server.transport.grpc.router import Router
from memoryd_server.transport.limit import (
    CALL_METADATA_BYTES_MAX,
    CONNECTION_STREAMS_MAX,
    HANDSHAKE_MS_MAX,
    KEEPALIVE_INTERVAL_MS,
    KEEPALIVE_TIMEOUT_MS,
    MESSAGE_BYTES_MAX,
    PENDING_CALLS_MAX,
    PING_INTERVAL_MS_MIN,
    RESPONSES_END_S,
    SENT_MESSAGE_BYTES_MAX,
)
from memoryd_server.transport.routes import Method
from memoryd_server.transport.tls import TlsCredentials

_OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", SENT_MESSAGE_BYTES_MAX),
    ("grpc.max_metadata_size", CALL_METADATA_BYTES_MAX),
    # Only "identity": a compressed request may be a thousand times its size, before anyone knows who sent it.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    # By default a connection that says nothing is kept for two minutes.
    ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS_MAX),
    # Otherwise a connection that is fast may send megabytes of a request that is still to be admitted.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.max_concurrent_streams", CONNECTION_STREAMS_MAX),
    # Above the first, gRPC drops calls at random; above the second all.
    ("grpc.server.max_pending_requests", PENDING_CALLS_MAX),
    ("grpc.server.max_pending_requests_hard_limit", PENDING_CALLS_MAX),
    # The default would close the connection of a client that pings more than every five minutes.
    ("grpc.http2.min_ping_interval_without_data_ms", PING_INTERVAL_MS_MIN),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.keepalive_time_ms", KEEPALIVE_INTERVAL_MS),
    ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
)


class GrpcServer:
    """Serves methods over gRPC, on any number of addresses."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        connections_max: int = 10_000,
        *,
        age_s: float = 0.0,
        idle_s: float = 0.0,
        shares_ports: bool = False,
    ) -> None:
        """``connections_max`` is the maximum number of connections to each address.

        Connections end at an age of ``age_s`` seconds, and after ``idle_s`` seconds without calls; 0 for never.
        """
        times = {"grpc.max_connection_age_ms": age_s, "grpc.max_connection_idle_ms": idle_s}
        options = (
            *_OPTIONS,
            ("grpc.max_allowed_incoming_connections", connections_max),
            # Otherwise a second daemon on the same port would silently get a share of its calls.
            ("grpc.so_reuseport", int(shares_ports)),
            *((name, round(time_s * 1_000)) for name, time_s in times.items() if time_s),
        )
        self._server = grpc.aio.server(options=options)
        self._server.add_generic_rpc_handlers((Router(methods),))

    def listen(self, address: str, tls: TlsCredentials | None) -> int:
        """Bind an address, such as ``127.0.0.1:7600`` or ``unix:/path``, and return the port.

        Without ``tls`` its connections are not encrypted. Raises RuntimeError when the address cannot be bound.
        """
        if tls is None:
            return self._server.add_insecure_port(address)
        current = self._certificates = _certificates_of(tls)

        def changed() -> grpc.ServerCertificateConfiguration | None:
            # gRPC asks this before each handshake; None says that nothing has changed.
            nonlocal current
            if current is self._certificates:
                return None
            current = self._certificates
            return current

        credentials = grpc.dynamic_ssl_server_credentials(
            current,
            changed,  # type: ignore[arg-type]  # the stubs know no None
            require_client_authentication=tls.client_authorities is not None,
        )
        return self._server.add_secure_port(address, credentials)

    def renew(self, tls: TlsCredentials) -> None:
        """Use other credentials for new connections."""
        self._certificates = _certificates_of(tls)

    async def start(self) -> None:
        """Accept connections."""
        await self._server.start()

    async def stop(self) -> None:
        """Close all connections, once the last responses have left."""
        await self._server.stop(RESPONSES_END_S)


def _certificates_of(tls: TlsCredentials) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([(tls.key, tls.certificate)], tls.client_authorities)
