"""The transports of MCP: standard input and output, and streamable HTTP."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Iterator, Sequence

import click
import uvicorn
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from memoryd_server.ops.cli.mcp.guard import Guard
from memoryd_server.ops.cli.mcp.server import Served, server_of
from memoryd_server.ops.config.address import TcpAddress

PATH = "/mcp"
BACKLOG = 128
GRACE_S = 3


async def speak_stdio(served: Served) -> None:
    """Serve the parent process until it closes standard input."""
    # The transport redirects all other output to standard error.
    async with server_of(served) as server, stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def speak_http(served: Served, address: TcpAddress, hosts: Sequence[str], token: str | None) -> None:
    """Serve all clients that have the token, until SIGTERM or SIGINT. With None they need no token."""
    with _bound(address) as listening:
        port = listening.getsockname()[1]
        async with server_of(served) as server:
            # Without state between calls, a host can continue after a restart of this process.
            app = server.streamable_http_app(
                streamable_http_path=PATH,
                stateless_http=True,
                # The library's own check compares only the beginning of a host name with a port.
                transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            )
            bare = f"[{address.host}]" if ":" in address.host else address.host
            config = uvicorn.Config(
                Guard(app, (bare, *hosts), token),
                log_level="warning",
                access_log=False,
                ws="none",
                timeout_graceful_shutdown=GRACE_S,
            )
            click.echo(f"memoryd mcp: listening at http://{TcpAddress(address.host, port)}{PATH}", err=True)
            await _Endable(config).serve(sockets=[listening])


class _Endable(uvicorn.Server):
    """A server that ends on a signal, and does not raise the signal again."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)


def _bound(address: TcpAddress) -> socket.socket:
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family, backlog=BACKLOG)
    except OSError as error:
        # The text of some of Python's errors repeats the address.
        cause = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise click.ClickException(f"cannot listen on {address}: {cause}") from error
