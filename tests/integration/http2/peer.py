"""A client of HTTP/2 that sends the bytes that it is given, and reads what they lead to."""

import contextlib
import select
import socket
import struct
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from google.rpc import error_details_pb2, status_pb2
from hpack import Decoder
from tests.attack.frames import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Frame,
    call_headers,
    data_frames,
    framed,
    message,
)
from tests.wait import WAIT_S_MAX

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PRIORITY, PUSH_PROMISE = 2, 5
PADDED, WITH_PRIORITY = 0x8, 0x20
WINDOW = 1 << 20
"""Bytes that a connection lets the server send of each stream, and of all."""
_FRAME_BYTES_MAX = 16_384
MEMORY = "/memoryd.v1.WorkingMemoryService/"
WATCH = "/memoryd.v1.EventService/WatchEvents"


class ErrorCode(IntEnum):
    """An error code of HTTP/2: RFC 9113, section 7."""

    NO_ERROR = 0
    PROTOCOL_ERROR = 1
    INTERNAL_ERROR = 2
    FLOW_CONTROL_ERROR = 3
    SETTINGS_TIMEOUT = 4
    STREAM_CLOSED = 5
    FRAME_SIZE_ERROR = 6
    REFUSED_STREAM = 7
    CANCEL = 8
    COMPRESSION_ERROR = 9
    CONNECT_ERROR = 10
    ENHANCE_YOUR_CALM = 11


@dataclass(frozen=True)
class Goaway:
    """The connection ended with this code."""

    code: ErrorCode


@dataclass(frozen=True)
class Reset:
    """The stream ended with this code."""

    code: ErrorCode


@dataclass(frozen=True)
class Answer:
    """A response: the status of HTTP; gRPC's status, the reason in its details, and the messages."""

    http: int
    grpc: int | None = None
    reason: str = ""
    body: bytes = b""


@dataclass(frozen=True)
class Closed:
    """The connection ended without a frame that says why."""


End = Goaway | Reset | Answer | Closed


class Peer:
    """One connection. Nothing is sent but what is asked for, and the preface and the settings before it."""

    def __init__(self, address: str, preface: bytes = b"") -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=WAIT_S_MAX)
        self._buffer = b""
        self._decoder = Decoder()
        self._stream = -1
        self.send(preface or PREFACE + setting(4, WINDOW) + framed(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes. What the server no longer takes is lost."""
        with contextlib.suppress(OSError):
            self._socket.sendall(data)

    def next_stream(self) -> int:
        """Return the number of a new stream."""
        self._stream += 2
        return self._stream

    def open(self, block: bytes | None = None, flags: int = END_HEADERS) -> int:
        """Begin a call, and return its stream."""
        stream = self.next_stream()
        block = call_headers(f"{MEMORY}GetEntry") if block is None else block
        first, rest = block[:_FRAME_BYTES_MAX], block[_FRAME_BYTES_MAX:]
        frames = [framed(HEADERS, flags & ~END_HEADERS if rest else flags, stream, first)]
        while rest:
            part, rest = rest[:_FRAME_BYTES_MAX], rest[_FRAME_BYTES_MAX:]
            frames.append(framed(CONTINUATION, 0 if rest else END_HEADERS, stream, part))
        self.send(b"".join(frames))
        return stream

    def call(self, body: bytes = message(b""), *more: tuple[str, str], path: str = f"{MEMORY}GetEntry") -> End:
        """Make a whole call, and return its end."""
        stream = self.open(call_headers(path, *more))
        self.send(data_frames(stream, body, end=True))
        return self.end(stream)

    def flood(self, data: bytes) -> None:
        """Send much, and read meanwhile what comes, until all is sent or the connection ends."""
        view = memoryview(data)
        with contextlib.suppress(OSError):
            while view:
                readable, writable, _ = select.select([self._socket], [self._socket], [], WAIT_S_MAX)
                if readable and not self._socket.recv(1 << 20):
                    return
                if writable:
                    view = view[self._socket.send(view[: 1 << 16]) :]

    def stuff(self, data: bytes) -> None:
        """Send much, and read nothing, until all is sent, the connection ends, or the server takes no more."""
        view = memoryview(data)
        with contextlib.suppress(OSError):
            # time: the server has had enough once it takes nothing for this long
            while view and select.select([], [self._socket], [], 0.5)[1]:
                view = view[self._socket.send(view[: 1 << 16], socket.MSG_DONTWAIT) :]

    def end(self, stream: int) -> End:
        """Wait until a stream or the connection ends, and return how."""
        headers: list[tuple[str, str]] = []
        body = b""
        for frame in self._frames():
            if frame.kind == GOAWAY:
                code = ErrorCode(int.from_bytes(frame.payload[4:8], "big"))
                if code is not ErrorCode.NO_ERROR:
                    return Goaway(code)
            if frame.kind == HEADERS:
                decoded = self._decoder.decode(frame.payload)
                if frame.stream == stream:
                    headers += [(str(name), str(value)) for name, value in decoded]
            if frame.stream != stream:
                continue
            if frame.kind == RST_STREAM:
                return Reset(ErrorCode(int.from_bytes(frame.payload, "big")))
            if frame.kind == DATA:
                body += frame.payload
            if frame.kind in (DATA, HEADERS) and frame.flags & END_STREAM:
                return _answer(dict(headers), body)
        return Closed()

    def wait(self, condition: Callable[[Frame], bool]) -> bool:
        """Read frames until one satisfies a condition; return False if the connection ends before."""
        return any(condition(frame) for frame in self._frames())

    def _frames(self) -> Iterator[Frame]:
        deadline = time.monotonic() + WAIT_S_MAX
        while True:
            while len(self._buffer) >= 9 and len(self._buffer) >= 9 + (
                length := int.from_bytes(self._buffer[:3], "big")
            ):
                kind, flags, stream = struct.unpack(">BBI", self._buffer[3:9])
                frame = Frame(kind, flags, stream & 0x7FFFFFFF, self._buffer[9 : 9 + length])
                self._buffer = self._buffer[9 + length :]
                if frame.kind == SETTINGS and not frame.flags & ACK:
                    self.send(framed(SETTINGS, ACK, 0))
                if frame.kind == PING and not frame.flags & ACK:
                    self.send(framed(PING, ACK, 0, frame.payload))
                yield frame
            assert time.monotonic() < deadline, "neither the stream nor the connection ends"
            try:
                data = self._socket.recv(1 << 16)
            except ConnectionError:
                return
            if not data:
                return
            self._buffer += data


def _answer(headers: dict[str, str], body: bytes) -> Answer:
    code = headers.get("grpc-status")
    details = headers.get("grpc-status-details-bin")
    return Answer(int(headers[":status"]), None if code is None else int(code), _reason(details), body)


def _reason(details: str | None) -> str:
    if details is None:
        return ""
    status = status_pb2.Status.FromString(b64decode(details + "=" * (-len(details) % 4)))
    info = error_details_pb2.ErrorInfo()
    assert any(each.Unpack(info) for each in status.details)
    return info.reason.removeprefix("ERROR_REASON_")


def literal(name: bytes, value: bytes) -> bytes:
    """Return a header whose name and value may be any bytes, below 127 of them."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def setting(name: int, value: int) -> bytes:
    """Return a SETTINGS frame."""
    return framed(SETTINGS, 0, 0, struct.pack(">HI", name, value))
