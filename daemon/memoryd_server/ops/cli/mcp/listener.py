"""How a host is spoken to: by standard input and output, or by streamable HTTP."""

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

from memoryd_server.ops.cli.mcp.server import Served, server_of
from memoryd_server.ops.config.address import TcpAddress

PATH = "/mcp"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
BACKLOG = 128
GRACE_S = 3


async def speak_stdio(served: Served) -> None:
    """Serve the process that started this one, until it closes standard input."""
    # While it speaks, what else is printed goes to standard error.
    async with server_of(served) as server, stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def speak_http(served: Served, address: TcpAddress, hosts: Sequence[str]) -> None:
    """Serve whoever connects, until SIGTERM or SIGINT."""
    with _bound(address) as listening:
        port = listening.getsockname()[1]
        async with server_of(served) as server:
            # Nothing is kept from one call to the next, so that hosts go on after a restart.
            app = server.streamable_http_app(
                streamable_http_path=PATH, stateless_http=True, transport_security=security_of(address, hosts)
            )
            config = uvicorn.Config(
                app, log_level="warning", access_log=False, ws="none", timeout_graceful_shutdown=GRACE_S
            )
            click.echo(f"memoryd mcp: listening at http://{TcpAddress(address.host, port)}{PATH}", err=True)
            await _Endable(config).serve(sockets=[listening])


def security_of(address: TcpAddress, hosts: Sequence[str]) -> TransportSecuritySettings:
    """By which names callers may call it: a page of another site that a browser shows has none of these."""
    bare = f"[{address.host}]" if ":" in address.host else address.host
    names = dict.fromkeys([*LOOPBACK_NAMES, bare, *hosts])
    allowed = [form for name in names for form in (name, f"{name}:*")]
    return TransportSecuritySettings(
        allowed_hosts=allowed,
        allowed_origins=[f"{scheme}://{form}" for scheme in ("http", "https") for form in allowed],
    )


class _Endable(uvicorn.Server):
    """A server that ends cleanly by a signal, and does not raise it again."""

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
        # The words of some of Python's errors repeat the address.
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise click.ClickException(f"cannot listen at {address}: {why}") from error
