"""One connection of redis-py, without retries or timeouts of its own: its user has a timeout for a whole exchange."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, cast

import hiredis
from redis import exceptions
from redis._parsers.base import BaseParser
from redis.asyncio.connection import Connection
from redis.exceptions import ResponseError

from memoryd_server.stores.redis.limit import ASK_S

Command = tuple[bytes | str | int, ...]

Disconnected = exceptions.ConnectionError
"""redis-py's ConnectionError, which is not derived from Python's."""

DISCONNECTIONS = (Disconnected, exceptions.TimeoutError, OSError)
"""Errors after which the connection is lost, and commands sent on it may have been carried out."""

_SCRIPT_ERROR = re.compile(r"Error running script \(call to .*?: -([A-Z]+ .*)", re.DOTALL)


async def connect(connection: Connection) -> None:
    """Connect, with TLS and credentials if it has them. Raises RedisError, OSError."""
    await connection.connect()  # type: ignore[no-untyped-call]


async def send(connection: Connection, commands: Sequence[Command]) -> None:
    """Write commands to an established connection."""
    packed = [hiredis.pack_command(cast("Any", each)) for each in commands]
    await connection.send_packed_command(packed, check_health=False)


async def reply_of(connection: Connection) -> Any:
    """Return the next reply. An error reply is returned, not raised."""
    try:
        return await connection.read_response()
    except ResponseError as error:
        return _cause(error)


def _cause(error: ResponseError) -> Exception:
    """Return the error that ended a script. Before version 7, the server wraps it in the message of a script error."""
    found = _SCRIPT_ERROR.match(str(error))
    return error if found is None else BaseParser.parse_error(found[1])  # type: ignore[no-untyped-call]


async def ask(connection: Connection, command: Command) -> Any:
    """Send one command on a new connection, and return the reply. Raises RedisError, OSError."""
    (reply,) = await ask_all(connection, [command])
    return reply


async def ask_all(connection: Connection, commands: Sequence[Command]) -> list[Any]:
    """Send commands on a new connection, and return the replies. Raises RedisError, OSError."""
    try:
        async with asyncio.timeout(ASK_S):
            await connect(connection)
            await send(connection, commands)
            return [await connection.read_response() for _ in commands]
    except TimeoutError:
        raise Disconnected(f"the server did not respond within {ASK_S:g} s") from None
    finally:
        await connection.disconnect(nowait=True)
