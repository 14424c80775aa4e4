"""The server over HTTP/1.1: its connections, by uvicorn's protocol, and their bounds."""

import asyncio
import contextlib
import socket
import ssl
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from memoryd_server.transport.http.door import Door
from memoryd_server.transport.http.limit import BACKLOG, HEAD_BYTES_MAX, HEAD_S_MAX, IDLE_S
from memoryd_server.transport.http.visitors import Visitors
from memoryd_server.transport.limit import (
    KEEPALIVE_INTERVAL_MS,
    KEEPALIVE_TIMEOUT_MS,
    RESPONSES_END_S,
)
from memoryd_server.transport.page import Page
from memoryd_server.transport.routes import Method
from memoryd_server.transport.tls import TlsCredentials

_KEEPALIVE = (
    (socket.TCP_KEEPIDLE, KEEPALIVE_INTERVAL_MS // 1_000),
    (socket.TCP_KEEPINTVL, KEEPALIVE_TIMEOUT_MS // 1_000),
    (socket.TCP_KEEPCNT, 1),
)
"""The bounds within which the kernel notices that a client is gone without a word."""


class HttpServer:
    """Serves methods over HTTP/1.1, on any number of addresses. ``connections_max`` is the maximum of all together."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        visitors: Visitors,
        pages: Iterable[Page] = (),
        *,
        connections_max: int = 10_000,
        idle_s: float = 0.0,
        shares_ports: bool = False,
    ) -> None:
        self._door = Door(methods, visitors, pages)
        self._connections_max = connections_max
        self._shares_ports = shares_ports
        self._config = uvicorn.Config(
            self._door,
            lifespan="off",
            ws="none",
            log_config=None,
            # What its clients do wrong is no concern of the operator's.
            log_level="error",
            access_log=False,
            date_header=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=round(idle_s or IDLE_S),
            h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        )
        self._config.load()
        self._state = ServerState()
        self._bound: list[tuple[socket.socket, bool]] = []
        self._context: ssl.SSLContext | None = None
        self._servers: list[asyncio.AbstractServer] = []

    def listen(self, address: str, tls: TlsCredentials | None) -> int:
        """Bind an address, such as ``127.0.0.1:7600``, and return the port.

        Without ``tls`` its connections are not encrypted. Raises RuntimeError when the address cannot be bound, and
        ValueError for credentials that it cannot use.
        """
        host, _, port = address.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if tls is not None and self._context is None:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.set_alpn_protocols(["http/1.1"])
            self.renew(tls)
        try:
            family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
            bound = socket.create_server(
                (host, int(port)), family=family, backlog=BACKLOG, reuse_port=self._shares_ports
            )
        except OSError as error:
            raise RuntimeError(str(error)) from error
        self._bound.append((bound, tls is not None))
        return int(bound.getsockname()[1])

    def renew(self, tls: TlsCredentials) -> None:
        """Use other credentials for new connections. Raises ValueError for credentials that it cannot use."""
        if self._context is None:
            return
        try:
            with tempfile.TemporaryDirectory() as folder:
                # Python reads certificates from files only. Nobody else may read the folder.
                chain, key = Path(folder, "chain.pem"), Path(folder, "key.pem")
                chain.write_bytes(tls.certificate)
                key.write_bytes(tls.key)
                self._context.load_cert_chain(chain, key)
            if tls.client_authorities is not None:
                self._context.verify_mode = ssl.CERT_REQUIRED
                self._context.load_verify_locations(cadata=tls.client_authorities.decode("ascii"))
        except (ssl.SSLError, OSError, UnicodeDecodeError) as error:
            raise ValueError(str(error)) from error

    async def start(self) -> None:
        """Accept connections."""
        loop = asyncio.get_running_loop()
        for bound, is_encrypted in self._bound:
            encryption: Any = {"ssl": self._context, "ssl_handshake_timeout": HEAD_S_MAX} if is_encrypted else {}
            self._servers.append(await loop.create_server(self._connection, sock=bound, **encryption))

    async def stop(self) -> None:
        """Close all connections, once the last responses have left."""
        for server in self._servers:
            server.close()
        for connection in list(self._state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESPONSES_END_S):
                await self._until_ended()
        self._door.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RESPONSES_END_S):
                await self._until_ended()
        for connection in list(self._state.connections):
            connection.transport.abort()

    async def _until_ended(self) -> None:
        while self._state.tasks:
            await asyncio.wait(self._state.tasks)

    def _connection(self) -> asyncio.Protocol:
        return _Connection(self._config, self._state, self._connections_max)


class _Connection(H11Protocol):
    """A connection on which the head of a request may take only so long."""

    def __init__(self, config: uvicorn.Config, state: ServerState, connections_max: int) -> None:
        super().__init__(config, state, {})
        self._connections_max = connections_max
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        """Accept a connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self._connections_max:
            transport.abort()
            return
        connected = transport.get_extra_info("socket")
        if connected is not None:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _KEEPALIVE:
                connected.setsockopt(socket.IPPROTO_TCP, option, value)
        identities = _identities_of(transport.get_extra_info("peercert"))
        door = self.app

        async def served(scope: Any, receive: Any, send: Any) -> None:
            scope["extensions"] = {"memoryd.identities": identities}
            await door(scope, receive, send)

        self.app = served
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request. What begins a further one begins its time."""
        if self._is_between and self._limit is None:
            self._expect_head()
        super().data_received(data)
        if not self._is_between:
            self._end_limit()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._end_limit()
        super().connection_lost(exc)

    @property
    def _is_between(self) -> bool:
        """True while no request is served."""
        return self.cycle is None or self.cycle.response_complete

    def _expect_head(self) -> None:
        self._limit = self.loop.call_later(HEAD_S_MAX, self.transport.abort)

    def _end_limit(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None


def _identities_of(certificate: Mapping[str, Any] | None) -> list[str]:
    """Return the subject alternative names and the common names of a certificate."""
    if not certificate:
        return []
    names = [value for _, value in certificate.get("subjectAltName", ())]
    subject = [pair for parts in certificate.get("subject", ()) for pair in parts]
    return [*names, *(value for key, value in subject if key == "commonName")]
