"""``memoryd mcp``: the command and its options."""

import importlib.util
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection, read_token
from memoryd_server.ops.config.address import TcpAddress, parse_tcp_address
from memoryd_server.ops.config.setting_type import PATH, SettingType
from memoryd_server.ops.limit import MCP_TOKEN_CHARACTERS_MIN

if TYPE_CHECKING:
    import memoryd

LISTEN_DEFAULT = "127.0.0.1:7610"
HTTP_TOKEN_BYTES = 32
"""Number of random bytes in a new token."""
TCP_ADDRESS = SettingType("ADDRESS", parse_tcp_address)


@click.command("mcp", cls=ConnectingCommand)
@click.option("--agent", "agent_id", required=True, metavar="AGENT", help="Agent whose memory is served.")
@click.option(
    "--conversation",
    "conversation_id",
    default="mcp",
    show_default=True,
    metavar="CONVERSATION",
    help="Conversation whose plan, messages and entities are served, and that new memories name as their origin.",
)
@click.option(
    "--user",
    "user_id",
    default="",
    metavar="USER",
    help="Serve only the notes and memories of this user, and documents of this or no user.  [default: of no user]",
)
@click.option(
    "--tools",
    metavar="NAMES",
    help="Serve only these toolkits (notes, plans, documents, memories) or tools, separated by commas.  [default: all]",
)
@click.option("--read-only", is_flag=True, help="Serve only tools that change nothing.")
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="Protocol: standard input and output of this process, or streamable HTTP.",
)
@click.option(
    "--listen", type=TCP_ADDRESS, metavar="HOST:PORT", help=f"Address of --transport http.  [default: {LISTEN_DEFAULT}]"
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Additional host name that clients may use, such as that of a proxy. Repeatable.",
)
@click.option(
    "--insecure",
    is_flag=True,
    help="Allow a --listen address that other machines can reach. The token and the memory travel unencrypted.",
)
@click.option(
    "--http-token-file",
    type=PATH,
    envvar="MEMORYD_MCP_TOKEN_FILE",
    metavar="FILE",
    help="File with the bearer token that HTTP clients must send. Variable: MEMORYD_MCP_TOKEN_FILE.  [default: a new "
    "token, printed at the start]",
)
@click.option(
    "--no-http-token",
    "is_anonymous",
    is_flag=True,
    help="Serve HTTP clients without a token: every process of every user of this machine can use the memory.",
)
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
    http_token_file: Path | None,
    is_anonymous: bool,
) -> None:
    """Serve an agent's memory over the Model Context Protocol (MCP).

    This connects an MCP host, such as an editor, to a running daemon. Standard output carries only the protocol.
    """
    if importlib.util.find_spec("mcp") is None:
        raise click.ClickException("the package mcp is missing: pip install 'memoryd-server[mcp]'")
    if transport == "stdio" and (listen or hosts or insecure or is_anonymous):
        raise click.UsageError("--listen, --allow-host, --insecure and --no-http-token need --transport http.")
    if not (agent_id.strip() and conversation_id.strip()):
        raise click.UsageError("--agent and --conversation must not be empty.")
    # Imported late: help and usage errors need no MCP library.
    import asyncio

    from memoryd_server.ops.cli.mcp.listener import speak_http, speak_stdio
    from memoryd_server.ops.cli.mcp.server import Served

    names = [name.strip() for name in (tools or "").split(",") if name.strip()]
    served = Served(connection, agent_id, conversation_id, user_id, _toolkit(names, read_only=read_only))
    if transport == "stdio":
        # A thread blocks on standard input and cannot be interrupted: let Ctrl-C end the process as SIGTERM does.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        asyncio.run(speak_stdio(served))
        return
    address = listen or parse_tcp_address(LISTEN_DEFAULT)
    if not (address.is_loopback or insecure):
        raise click.UsageError(f"other machines can reach {address}: add --insecure to allow it")
    if is_anonymous and not address.is_loopback:
        raise click.UsageError(f"other machines can reach {address}: --no-http-token is for loopback only")
    token = None if is_anonymous else _http_token(http_token_file)
    asyncio.run(speak_http(served, address, hosts, token))


def _http_token(file: Path | None) -> str:
    """Return the token in a file, or print a new one. Raises click.ClickException."""
    if file is None:
        import secrets

        token = secrets.token_urlsafe(HTTP_TOKEN_BYTES)
        click.echo(f"memoryd mcp: clients must send the header: Authorization: Bearer {token}", err=True)
        return token
    token = read_token(file, "--http-token-file")
    if len(token) < MCP_TOKEN_CHARACTERS_MIN:
        raise click.ClickException(f"{file} must have a token of at least {MCP_TOKEN_CHARACTERS_MIN} characters")
    return token


def _toolkit(names: list[str], *, read_only: bool) -> "memoryd.aio.Toolkit":
    from memoryd.aio import Toolkit

    try:
        return Toolkit(*names, read_only=read_only)
    except ValueError as error:
        raise click.UsageError(f"--tools: {error}") from None
