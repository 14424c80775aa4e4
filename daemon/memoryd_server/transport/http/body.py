"""The body of a request, and the messages in it."""

import asyncio
import base64
import binascii
import contextlib
import struct
from collections.abc import Awaitable, Callable
from typing import Any

from memoryd_server.domain.error import MalformedMessage, Overloaded, Refusal, TooLarge
from memoryd_server.engine.agents.lane import REQUESTS
from memoryd_server.transport.http.codec import JsonMessage, inflated
from memoryd_server.transport.http.limit import JSON_BYTES_FACTOR
from memoryd_server.transport.http.protocol import Form, Protocol
from memoryd_server.transport.limit import COLLECTED_BYTES_MAX, PARSED_IN_LOOP_BYTES_MAX

Receive = Callable[[], Awaitable[Any]]

_PREFIX = struct.Struct(">BI")


class Room:
    """The memory for what all requests together have collected and not passed on."""

    def __init__(self, maximum: int = COLLECTED_BYTES_MAX) -> None:
        self._maximum = maximum
        self._used = 0

    def take(self, size: int) -> None:
        """Take bytes. Raises Overloaded if there is no room for them."""
        if self._used + size > self._maximum:
            raise Overloaded("request_bytes", self._maximum)
        self._used += size

    def give_back(self, size: int) -> None:
        """Give bytes back."""
        self._used -= size


class Body:
    """The body of a request as it arrives, and the end of its client.

    Who reads it hands it over once nothing more of it is wanted: from then on, ``until_left`` does.
    """

    def __init__(self, receive: Receive, room: Room) -> None:
        self._receive = receive
        self._room = room
        self._arrived = bytearray()
        self._encoded: bytes | None = None
        self._handed_over = asyncio.Event()
        # A response lingers for the end of a body that ``until_left`` may also be waiting for.
        self._receiving = asyncio.Lock()
        self.is_complete = False
        self.has_left = False

    def decode_text(self) -> None:
        """Take it for base64, which may have padding within."""
        self._encoded = b""

    def hand_over(self) -> None:
        """Let what is still to come be dropped."""
        self._handed_over.set()

    async def more(self) -> bool:
        """Receive more of it, and return False at its end.

        Raises Overloaded, MalformedMessage for what is no base64, and asyncio.CancelledError if the client has left.
        """
        async with self._receiving:
            if self.is_complete:
                return False
            event = await self._receive()
            if event["type"] == "http.disconnect":
                self.has_left = True
                raise asyncio.CancelledError
            if not event.get("more_body", False):
                self.is_complete = True
                self.hand_over()
        data: bytes = event.get("body", b"")
        if self._encoded is not None:
            data = self._decoded(self._encoded + data)
        self._room.take(len(data))
        self._arrived += data
        return True

    def _decoded(self, text: bytes) -> bytes:
        whole = len(text) // 4 * 4
        self._encoded = text[whole:]
        if self.is_complete and self._encoded:
            raise MalformedMessage
        try:
            # Padding ends what was encoded at once.
            return b"".join(
                base64.b64decode(piece + b"=" * (-len(piece) % 4), validate=True)
                for piece in text[:whole].split(b"=")
                if piece
            )
        except binascii.Error:
            raise MalformedMessage from None

    async def whole(self, maximum: int) -> bytes:
        """Return all of it. Raises TooLarge for more than ``maximum`` bytes, and as ``more``."""
        while await self.more():
            if len(self._arrived) > maximum:
                raise TooLarge("message_bytes", maximum)
        return self.take(len(self._arrived))

    async def has(self, size: int) -> bool:
        """Receive ``size`` bytes, and return False if there are fewer. Raises as ``more``."""
        while len(self._arrived) < size:
            if not await self.more():
                return False
        return True

    @property
    def is_empty(self) -> bool:
        """True if nothing has arrived that was not taken."""
        return not self._arrived

    def prefix(self) -> tuple[int, int]:
        """Return the flag of the frame that has arrived next, and its size."""
        with memoryview(self._arrived) as arrived:
            flag, size = _PREFIX.unpack_from(arrived)
            return flag, size

    def take(self, size: int) -> bytes:
        """Return the first bytes of what has arrived, and go on behind them."""
        data = bytes(memoryview(self._arrived)[:size])
        del self._arrived[:size]
        self._room.give_back(len(data))
        return data

    def drop(self) -> int:
        """Drop what has arrived and was not taken, and return its size in bytes."""
        return len(self.take(len(self._arrived)))

    async def until_left(self) -> None:
        """Wait until the client leaves, and drop what it still sends."""
        await self._handed_over.wait()
        with contextlib.suppress(Refusal):
            while await self.more():
                self.drop()
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.has_left = True


class Messages:
    """The messages of a request, as they are serialized.

    ``maximum`` is the largest size of one. ``json`` is their type if the protocol has JSON, and ``is_gzip`` is true if
    they may be compressed. ``query`` is the message of a request without a body. With ``is_single``, what follows the
    first one is dropped.
    """

    def __init__(
        self,
        protocol: Protocol,
        body: Body,
        maximum: int,
        json: JsonMessage | None,
        *,
        is_gzip: bool,
        is_single: bool,
        resume_token: str | None,
        query: bytes | None,
    ) -> None:
        self._is_framed = protocol.form in (Form.FRAMES, Form.WEB)
        self._body = body
        self._maximum = maximum * JSON_BYTES_FACTOR if json is not None else maximum
        self._json = json
        self._is_gzip = is_gzip
        self._is_single = is_single
        self._resume_token = resume_token
        self._query = query
        self._is_over = False
        if protocol.is_text:
            body.decode_text()

    async def next(self) -> bytes | None:
        """Return the next message; None behind the last one. Raises Refusal, and as ``Body.more``."""
        if self._is_over:
            return None
        if not self._is_framed:
            self._is_over = True
            data = await self._body.whole(self._maximum)
            return await self._message(data if self._query is None else self._query, is_gzip=self._is_gzip)
        framed = await self._frame()
        if framed is None or self._is_single:
            self._is_over = True
            self._body.hand_over()
        return None if framed is None else await self._message(framed[1], is_gzip=framed[0] == 1)

    async def _frame(self) -> tuple[int, bytes] | None:
        """Return the next frame as its flag and its data; None at the end."""
        body = self._body
        if not await body.has(_PREFIX.size):
            if body.is_empty:
                return None
            raise MalformedMessage
        flag, size = body.prefix()
        if size > self._maximum:
            raise TooLarge("message_bytes", self._maximum)
        if flag > int(self._is_gzip) or not await body.has(_PREFIX.size + size):
            raise MalformedMessage
        body.take(_PREFIX.size)
        return flag, body.take(size)

    async def _message(self, data: bytes, *, is_gzip: bool) -> bytes:
        if not is_gzip and (self._json is None or len(data) <= PARSED_IN_LOOP_BYTES_MAX):
            return self._read(data, is_gzip=False)
        return await REQUESTS.run(lambda: self._read(data, is_gzip=is_gzip))

    def _read(self, data: bytes, *, is_gzip: bool) -> bytes:
        plain = inflated(data, self._maximum) if is_gzip else data
        return plain if self._json is None else self._json.binary(plain, self._resume_token)
