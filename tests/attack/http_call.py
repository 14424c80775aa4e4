"""Calls of an attacker by JSON over HTTP/1.1, and what is written on a connection by hand."""

import asyncio
import contextlib
import socket
import time
from collections import Counter

import httpx
from tests.attack.attack import Outcomes, Target
from tests.attack.outcome import OK, reason_of
from tests.web.transport import status_of

CALL_S_MAX = 60.0
JSON = {"content-type": "application/json"}


def client_of(target: Target) -> httpx.AsyncClient:
    """Return a client of its own, which the caller closes."""
    headers, limits = JSON | dict(target.bearer), httpx.Limits(max_connections=None)
    url = f"http://{target.address}"
    return httpx.AsyncClient(base_url=url, headers=headers, timeout=CALL_S_MAX, limits=limits, trust_env=False)


async def outcome(client: httpx.AsyncClient, path: str, body: bytes, **headers: str) -> str:
    """Return the outcome of a POST; that of no response at all is the client's error."""
    try:
        answer = await client.post(path, content=body, headers=headers)
    except httpx.TimeoutException:
        return "DEADLINE_EXCEEDED"
    except httpx.TransportError:
        # HTTP/1.1 cannot refuse a request before its end but by closing the connection.
        return "connection closed"
    if answer.status_code == httpx.codes.OK:
        return OK
    if answer.headers.get("content-type") != "application/json":
        return f"HTTP {answer.status_code}"
    status = status_of(answer)
    return reason_of(status.code.name, status.details)


async def held(target: Target, pieces: list[bytes], count: int, seconds: float) -> Outcomes:
    """Write pieces on each of that many connections, evenly over a time, and count those that the daemon has ended."""
    return await asyncio.to_thread(_held, target.address, pieces, count, seconds)


def _held(address: str, pieces: list[bytes], count: int, seconds: float) -> Outcomes:
    host, _, port = address.rpartition(":")
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(count)]
        ended: set[socket.socket] = set()
        for piece in pieces:
            for line in lines:
                try:
                    line.sendall(piece)
                except OSError:
                    ended.add(line)
            time.sleep(seconds / len(pieces))  # time: a pace
        for line in lines:
            line.setblocking(False)
            try:
                line.recv(1)
            except BlockingIOError:
                continue
            except ConnectionError:
                pass
            # A response, or the end.
            ended.add(line)
    return Counter(ended=len(ended), held=count - len(ended))
