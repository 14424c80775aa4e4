"""The exchange of a call over HTTP/1.1."""

import asyncio
from typing import Any

from memoryd_server.transport.call_facts import CallFacts
from memoryd_server.transport.exchange import Peer
from memoryd_server.transport.http.answer import Answer
from memoryd_server.transport.http.body import Body, Messages
from memoryd_server.transport.http.head import Head
from memoryd_server.transport.status import Status


class HttpExchange:
    """One call. After ``timeout_s`` seconds it ends with DEADLINE_EXCEEDED."""

    crowd = None
    call = None

    def __init__(self, head: Head, body: Body, messages: Messages, answer: Answer, timeout_s: float | None) -> None:
        self._head = head
        self._body = body
        self._messages = messages
        self._answer = answer
        self._clock = asyncio.get_running_loop().time
        self._deadline = None if timeout_s is None else self._clock() + timeout_s
        self.status: Status | None = None
        self.agent_id = ""
        self.refused: Status | None = None
        self.facts: CallFacts | None = None

    def metadata(self, key: str, /) -> str | None:
        """Return the text of a header; None without one."""
        return self._head.get(key)

    def peer(self) -> Peer:
        """Return the client's address, and the names of its certificate."""
        return self._head.peer

    def address(self) -> str:
        """Return the address of the client's connection."""
        return self._head.peer.address

    def remaining_s(self) -> float | None:
        """Return how many seconds the client will still wait; None when it has set no deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def cancelled(self) -> bool:
        """Return true if the client has left, or the deadline is over."""
        return self._body.has_left or self.remaining_s() == 0

    def task(self) -> Any:
        """Return the task of the method."""
        return asyncio.current_task()

    async def receive(self) -> bytes | None:
        """Return the next message; None behind the last one. Raises Refusal for what is none."""
        return await self._messages.next()

    async def send(self, message: bytes, /) -> None:
        """Send one message, once the client has room for it."""
        await self._answer.send(message)

    def has_left(self, error: Exception) -> bool:
        """Return false: what is sent to a client that has left is dropped."""
        return False

    async def refuse(self, status: Status) -> None:
        """Note the end of the call, which is sent when the method has returned."""
        self.status = status
