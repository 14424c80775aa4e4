"""A program that makes the calls of open consoles, and shows nothing: their cost where browsers run elsewhere.

    python -m tests.benchmarks.console_calls HOST:PORT SCREEN...

The calls are those that the screens make in a browser while an agent is written to; see ``console/src``.
"""

import asyncio
import json
import sys

INFO_S = 2.0  # time: as console/src/app.tsx asks
STATS_S = 5.0  # time: as console/src/screens/agent.tsx asks
WATCH = {"filters": [{"agentIds": ["*"]}], "progressInterval": "1s"}
READ_BYTES = 65_536


class Screen:
    """The calls of one screen, over connections of its own."""

    def __init__(self, address: str, path: str) -> None:
        self._host, _, self._port = address.rpartition(":")
        self._path = path

    async def run(self) -> None:
        """Make its calls until it is cancelled, or the daemon closes a connection."""
        calls = [self._poll("ServerService/GetServerInfo", {}, INFO_S)]
        if self._path == "/live":
            calls.append(self._watch())
        elif self._path.startswith("/agents/"):
            agent = {"agentId": self._path.split("/")[2]}
            calls.append(self._poll("AgentService/GetAgentStats", agent, STATS_S))
        await asyncio.gather(*calls)

    async def _poll(self, method: str, request: object, interval_s: float) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        while True:
            writer.write(self._post(method, request, "application/json"))
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            if not head.startswith("http/1.1 200 "):
                raise ConnectionError(f"{method}: {head}")
            await reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))
            await asyncio.sleep(interval_s)

    async def _watch(self) -> None:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        writer.write(self._post("EventService/WatchEvents", WATCH, "text/event-stream"))
        while await reader.read(READ_BYTES):
            pass

    def _post(self, method: str, request: object, accept: str) -> bytes:
        body = json.dumps(request)
        lines = [
            f"POST /memoryd.v1.{method} HTTP/1.1",
            f"host: {self._host}:{self._port}",
            f"accept: {accept}",
            "content-type: application/json",
            f"content-length: {len(body)}",
        ]
        return "\r\n".join([*lines, "", body]).encode()


async def main(address: str, paths: list[str]) -> None:
    """Make the calls of these screens until a connection is closed."""
    await asyncio.gather(*(Screen(address, path).run() for path in paths))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
