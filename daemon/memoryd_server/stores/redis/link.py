"""One connection of redis-py, without retries and timeouts of its own: who uses it has those of a whole exchange."""

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
"""Not Python's class of that name, nor one of its kind."""

DISCONNECTIONS = (Disconnected, exceptions.TimeoutError, OSError)
"""The connection is gone, and what was sent on it may have been carried out."""

_SCRIPT_ERROR = re.compile(r"Error running script \(call to .*?: -([A-Z]+ .*)", re.DOTALL)


async def connect(connection: Connection) -> None:
    """Connect, with TLS and credentials if it has them. Raises RedisError, OSError."""
    await connection.connect()  # type: ignore[no-untyped-call]


async def send(connection: Connection, commands: Sequence[Command]) -> None:
    """Write commands to a connection that was made."""
    packed = [hiredis.pack_command(cast("Any", each)) for each in commands]
    await connection.send_packed_command(packed, check_health=False)


async def reply_of(connection: Connection) -> Any:
    """The next reply; an error reply is answered, not raised."""
    try:
        return await connection.read_response()
    except ResponseError as error:
        return _cause(error)


def _cause(error: ResponseError) -> Exception:
    """The error that ended a script; before version 7 the server words it as a script's error."""
    found = _SCRIPT_ERROR.match(str(error))
    return error if found is None else BaseParser.parse_error(found[1])  # type: ignore[no-untyped-call]


async def ask(connection: Connection, command: Command) -> Any:
    """One command on a connection that is made and ended for it. Raises RedisError, OSError."""
    (reply,) = await ask_all(connection, [command])
    return reply


async def ask_all(connection: Connection, commands: Sequence[Command]) -> list[Any]:
    """Commands on a connection that is made and ended for them. Raises RedisError, OSError."""
    try:
        async with asyncio.timeout(ASK_S):
            await connect(connection)
            await send(connection, commands)
            return [await connection.read_response() for _ in commands]
    except TimeoutError:
        raise Disconnected(f"no answer within {ASK_S:g} s") from None
    finally:
        await connection.disconnect(nowait=True)
