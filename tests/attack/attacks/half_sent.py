"""Requests that begin and never end, frame by frame."""

import asyncio
from collections import Counter
from collections.abc import Callable

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.frames import (
    CONTINUATION,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    Connection,
    call_headers,
    data_frames,
    framed,
    header,
    is_end,
)

_PATH = "/memoryd.v1.WorkingMemoryService/SetEntry"
_END_HEADERS = 4
_LARGE_MESSAGE = b"\0" + (15 << 20).to_bytes(4, "big") + b"a" * 1_000
"""The beginning of a message of 15 MiB."""
_HELD_S = 5.0  # time: how long requests are held
_CONNECTIONS = 4
_CANCEL = (8).to_bytes(4, "big")


async def _half_sent(target: Target, times: int) -> Outcomes:
    headers = call_headers(_PATH, ("authorization", f"Bearer {target.token}"))

    def begin(connection: Connection) -> None:
        for _ in range(times):
            stream = connection.next_stream()
            connection.send(framed(HEADERS, _END_HEADERS, stream, headers))
            if connection.room >= len(_LARGE_MESSAGE):
                connection.room -= len(_LARGE_MESSAGE)
                connection.send(data_frames(stream, _LARGE_MESSAGE, end=False))

    return await asyncio.to_thread(_held, target.address, begin, times)


async def _half_headers(target: Target, times: int) -> Outcomes:
    """Begin headers that never end: the server must keep them until they do."""
    block = call_headers(_PATH) + b"".join(header(f"x-{number}", "v" * 200) for number in range(40))

    def begin(connection: Connection) -> None:
        connection.send(framed(HEADERS, 0, connection.next_stream(), block))
        for _ in range(times // _CONNECTIONS):
            connection.send(framed(CONTINUATION, 0, 1, header("x", "y" * 8_000)))

    return await _over_connections(target.address, begin, 1)


async def _resets(target: Target, times: int) -> Outcomes:
    """Begin calls and cancel each at once, so that none counts as concurrent."""
    headers = call_headers(_PATH, ("authorization", f"Bearer {target.token}"))

    def begin(connection: Connection) -> None:
        for _ in range(times // 100 // _CONNECTIONS):
            batch = bytearray()
            for _ in range(100):
                stream = connection.next_stream()
                batch += framed(HEADERS, _END_HEADERS, stream, headers) + framed(RST_STREAM, 0, stream, _CANCEL)
            connection.send(bytes(batch))

    return await _over_connections(target.address, begin, times // _CONNECTIONS)


async def _pings(target: Target, times: int) -> Outcomes:
    def begin(connection: Connection) -> None:
        both = framed(PING, 0, 0, b"12345678") + framed(SETTINGS, 0, 0)
        for _ in range(times // 100):
            connection.send(both * 50)

    return await asyncio.to_thread(_held, target.address, begin, times)


async def _over_connections(address: str, begin: Callable[[Connection], None], times: int) -> Outcomes:
    """Do the same on several connections at once."""
    held = (asyncio.to_thread(_held, address, begin, times) for _ in range(_CONNECTIONS))
    return sum(await asyncio.gather(*held), Counter())


def _held(address: str, begin: Callable[[Connection], None], times: int) -> Outcomes:
    """Send what ``begin`` sends, hold the connection for a while, and count the streams that the daemon ended."""
    connection = Connection(address)
    try:
        begin(connection)
        ended = len({frame.stream for frame in connection.frames(_HELD_S) if is_end(frame)})
    except OSError:
        return Counter({"connection closed": times})
    finally:
        connection.close()
    return Counter(ended=ended, held=max(times - ended, 0))


_MAY = frozenset({"held", "ended", "connection closed"})

ATTACKS = (
    Attack("half-sent", "{times} requests at once of which 1 of 15 MiB arrives", _half_sent, 3_000, 300, _MAY),
    Attack(
        "half-headers",
        "headers that never end, of {times} times 8 kB over 4 connections, without a token",
        _half_headers,
        2_000,
        100,
        _MAY,
    ),
    Attack(
        "resets",
        "{times} calls over 4 connections that are cancelled as soon as they begin",
        _resets,
        50_000,
        2_000,
        _MAY,
    ),
    Attack("pings", "{times} PING and SETTINGS frames on one connection", _pings, 100_000, 5_000, _MAY),
)
