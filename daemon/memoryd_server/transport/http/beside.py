"""Two servers as one: gRPC's, and that of HTTP/1.1 at an address of its own."""

import asyncio

from memoryd_server.transport.server import Server
from memoryd_server.transport.tls import TlsCredentials


class Beside:
    """Serves the first ``count`` addresses by one server, and the others by another one."""

    def __init__(self, first: Server, second: Server, count: int) -> None:
        self._first = first
        self._second = second
        self._left = count

    def listen(self, address: str, tls: TlsCredentials | None) -> int:
        """Bind an address, and return the port. Raises as ``Server.listen``."""
        self._left -= 1
        server = self._first if self._left >= 0 else self._second
        return server.listen(address, tls)

    def renew(self, tls: TlsCredentials) -> None:
        """Use other credentials for new connections. Raises ValueError for credentials that it cannot use."""
        self._first.renew(tls)
        self._second.renew(tls)

    async def start(self) -> None:
        """Accept connections."""
        await self._first.start()
        await self._second.start()

    async def stop(self) -> None:
        """Close all connections, once the last responses have left."""
        await asyncio.gather(self._first.stop(), self._second.stop())
