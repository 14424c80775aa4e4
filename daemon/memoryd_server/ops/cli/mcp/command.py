"""``memoryd mcp``: its options."""

import asyncio
import importlib.util
import signal
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection
from memoryd_server.ops.config.address import TcpAddress, parse_tcp_address
from memoryd_server.ops.config.setting_type import SettingType

if TYPE_CHECKING:
    import memoryd

LISTEN_DEFAULT = "127.0.0.1:7610"
TCP_ADDRESS = SettingType("ADDRESS", parse_tcp_address)


@click.command("mcp", cls=ConnectingCommand)
@click.option("--agent", "agent_id", required=True, metavar="AGENT", help="Whose memory it is.")
@click.option(
    "--conversation",
    "conversation_id",
    default="mcp",
    show_default=True,
    metavar="CONVERSATION",
    help="Whose plan and messages are meant, and where memories say that they were learned.",
)
@click.option("--user", "user_id", default="", metavar="USER", help="Only this user's notes and memories.")
@click.option("--tools", metavar="NAMES", help="Only these toolkits and tools, by commas.  [default: all]")
@click.option("--read-only", is_flag=True, help="Only tools that change nothing.")
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="Speak to the process that starts it, or streamable HTTP to any that connect.",
)
@click.option("--listen", type=TCP_ADDRESS, metavar="HOST:PORT", help=f"Where, with http.  [default: {LISTEN_DEFAULT}]")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name that callers may call it by, such as that of a proxy.",
)
@click.option("--insecure", is_flag=True, help="Let other machines connect. Whoever can has the memory.")
def mcp(
    connection: Connection,
    agent_id: str,
    conversation_id: str,
    user_id: str,
    tools: str | None,
    read_only: bool,
    transport: str,
    listen: TcpAddress | None,
    hosts: tuple[str, ...],
    insecure: bool,
) -> None:
    """Give an agent's memory to a host of the Model Context Protocol.

    It asks a running daemon. Nothing but the protocol goes to standard output.
    """
    if importlib.util.find_spec("mcp") is None:
        raise click.ClickException("this needs the package mcp: pip install 'memoryd-server[mcp]'")
    if transport == "stdio" and (listen or hosts or insecure):
        raise click.UsageError("--listen, --allow-host and --insecure go with --transport http.")
    if not (agent_id.strip() and conversation_id.strip()):
        raise click.UsageError("--agent and --conversation must not be empty.")
    # Help and wrong usage do not wait for it.
    from memoryd_server.ops.cli.mcp.listener import speak_http, speak_stdio
    from memoryd_server.ops.cli.mcp.server import Served

    names = [name.strip() for name in (tools or "").split(",") if name.strip()]
    served = Served(connection, agent_id, conversation_id, user_id, _toolkit(names, read_only=read_only))
    if transport == "stdio":
        # A thread waits for standard input, and only its end wakes it: Ctrl-C ends the process as SIGTERM does.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        asyncio.run(speak_stdio(served))
        return
    address = listen or parse_tcp_address(LISTEN_DEFAULT)
    if not (address.is_loopback or insecure):
        raise click.UsageError(f"{address} may be reached by other machines: say --insecure to let them.")
    asyncio.run(speak_http(served, address, hosts))


def _toolkit(names: list[str], *, read_only: bool) -> "memoryd.aio.Toolkit":
    from memoryd.aio import Toolkit

    try:
        return Toolkit(*names, read_only=read_only)
    except ValueError as error:
        raise click.UsageError(f"--tools: {error}") from None
