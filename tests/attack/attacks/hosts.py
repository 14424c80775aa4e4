"""MCP over HTTP: hosts without the token, pages of other sites, and bodies that are no requests."""

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.attack.attack import Attack, Outcomes, Target

_TIMEOUT_S = 60.0
_PACE_S = 0.05  # time: between two looks
_LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
_TYPES = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
_BODIES = (
    b"{" * 1_000,
    b"[" * 200_000,
    b'"' + b"x" * (40 << 20) + b'"',
    b'{"jsonrpc":"2.0","id":NaN,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    json.dumps([_LIST] * 10_000).encode(),
)
_REFUSED = ("400", "401", "403", "404", "405", "406", "413", "415", "421", "closed")


async def _hosts(target: Target, times: int) -> Outcomes:
    return await asyncio.to_thread(_attack, target, times)


def _attack(target: Target, times: int) -> Outcomes:
    outcomes: Outcomes = Counter()
    with _server(target) as (port, token):
        own = {"Host": f"127.0.0.1:{port}"}
        good = {**own, **_TYPES, "Authorization": f"Bearer {token}"}
        for _ in range(times):
            for headers in _strangers(good, token):
                outcomes[f"a stranger gets {_status(port, headers, json.dumps(_LIST).encode())[0]}"] += 1
            for body in _BODIES:
                status, text = _status(port, good, body)
                outcomes["an internal error" if b"Traceback" in text else status] += 1
            for tool, arguments in _calls(_tools(port, good)):
                call = {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": tool, "arguments": arguments},
                }
                status, text = _status(port, good, json.dumps(call).encode())
                outcomes["an internal error" if b"Traceback" in text or b"nternal error" in text else status] += 1
    return outcomes


def _strangers(good: dict[str, str], token: str) -> Iterator[dict[str, str]]:
    """Yield headers of requests that must be refused."""
    for wrong in ("", token, f"Bearer {token}x", f"Bearer {token[:-1]}", f"Basic {token}", "Bearer "):
        yield {**good, "Authorization": wrong}
    yield {name: value for name, value in good.items() if name != "Authorization"}
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example", "localhost:x.evil.example"):
        yield {**good, "Host": host}
        yield {**good, "Origin": f"http://{host}"}
    yield {**good, "Origin": "null"}


def _tools(port: int, headers: dict[str, str]) -> list[dict[str, Any]]:
    _, text = _status(port, headers, json.dumps(_LIST).encode())
    (line,) = [line for line in text.decode().splitlines() if '"tools"' in line]
    tools: list[dict[str, Any]] = json.loads(line.removeprefix("data: "))["result"]["tools"]
    return tools


def _calls(tools: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield odd arguments for each tool."""
    for tool in tools:
        names = tool["inputSchema"].get("properties", {})
        for value in (None, "\ud800", [[]], 10**400, {"a": {}}, "x" * 200_000):
            yield tool["name"], dict.fromkeys(names, value)
        yield tool["name"], {}
        yield tool["name"], {"agent_id": "bystander", "agent": "bystander", "x": 1}


def _status(port: int, headers: dict[str, str], body: bytes) -> tuple[str, bytes]:
    """Send a request, and return its status and the beginning of the response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    try:
        connection.putrequest("POST", "/mcp", skip_host=True, skip_accept_encoding=True)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(body)
        response = connection.getresponse()
        return str(response.status), response.read(1 << 20)
    except OSError:
        return "closed", b""
    finally:
        connection.close()


@contextmanager
def _server(target: Target) -> Iterator[tuple[int, str]]:
    """Run ``memoryd mcp`` at a free port, and return the port and the token that it prints."""
    log = target.directory / f"mcp-{time.monotonic_ns()}.log"
    command = [Path(sys.executable).with_name("memoryd"), "mcp", "--agent", "attacker-mcp", "--transport", "http"]
    environment = {**os.environ, "MEMORYD_ADDRESS": target.address, "MEMORYD_TOKEN": target.token}
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*command, "--listen", "127.0.0.1:0"], stdout=file, stderr=file, env=environment, stdin=subprocess.DEVNULL
        )
    try:
        while "listening at" not in log.read_text() or "Bearer" not in log.read_text():
            if process.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(_PACE_S)  # time: a look follows
        (port,) = re.findall(r"listening at http://[^:]+:(\d+)", log.read_text())
        (token,) = re.findall(r"Authorization: Bearer (\S+)\n", log.read_text())
        yield int(port), token
    finally:
        process.kill()
        process.wait()


ATTACKS = (
    Attack(
        "mcp",
        "23 requests to MCP over HTTP without a right to it or with a body that is none, and 8 calls of each tool",
        _hosts,
        1,
        1,
        frozenset({"200", "202", *_REFUSED, *(f"a stranger gets {status}" for status in _REFUSED)}),
    ),
)
