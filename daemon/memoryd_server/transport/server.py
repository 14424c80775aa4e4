"""The interface of a server: what accepts the connections of clients, and carries their calls to the methods."""

from typing import Protocol

from memoryd_server.transport.tls import TlsCredentials


class Server(Protocol):
    """Serves methods on any number of addresses."""

    def listen(self, address: str, tls: TlsCredentials | None) -> int:
        """Bind an address, such as ``127.0.0.1:7600`` or ``unix:/path``, and return the port.

        Without ``tls`` its connections are not encrypted. Raises RuntimeError when the address cannot be bound, and
        ValueError for credentials that it cannot use.
        """

    def renew(self, tls: TlsCredentials) -> None:
        """Use other credentials for new connections. Raises ValueError for credentials that it cannot use.

        They have authorities of client certificates if those before had.
        """

    async def start(self) -> None:
        """Accept connections."""

    async def stop(self) -> None:
        """Close all connections, once the last responses have left."""
