"""A client of HTTP/2 that sends the frames that it is given, which no library does."""

import socket
import struct
import time
from collections.abc import Iterator
from typing import NamedTuple

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
_WINDOW = 65_535
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_INITIAL_WINDOW_SIZE = 4
_FRAME_BYTES_MAX = 16_384


class Frame(NamedTuple):
    """A frame that arrived."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class Connection:
    """One connection. ``window`` is what each stream of the server may send before it is read."""

    def __init__(self, address: str, window: int = _WINDOW) -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=60.0)
        self._buffer = b""
        self._stream = 1
        self.room = _WINDOW
        self.stream_room = _WINDOW
        """Bytes that may be sent on the connection, and on each new stream."""
        settings = struct.pack(">HI", _INITIAL_WINDOW_SIZE, window)
        self._socket.sendall(_PREFACE + framed(SETTINGS, 0, 0, settings))
        if window > _WINDOW:
            self.send(framed(WINDOW_UPDATE, 0, 0, struct.pack(">I", window - _WINDOW)))

    def close(self) -> None:
        """Close the connection without a word."""
        self._socket.close()

    def next_stream(self) -> int:
        """Return the number of a new stream."""
        stream, self._stream = self._stream, self._stream + 2
        return stream

    def send(self, data: bytes) -> None:
        """Send frames. Raises OSError."""
        self._socket.sendall(data)

    def frames(self, seconds: float) -> Iterator[Frame]:
        """Yield frames that arrive within some seconds, until the connection ends. Answers SETTINGS and PING."""
        ends = time.monotonic() + seconds
        while True:
            while len(self._buffer) >= 9:
                length = int.from_bytes(self._buffer[:3], "big")
                if len(self._buffer) < 9 + length:
                    break
                kind, flags, stream = struct.unpack(">BBI", self._buffer[3:9])
                frame = Frame(kind, flags, stream & 0x7FFFFFFF, self._buffer[9 : 9 + length])
                self._buffer = self._buffer[9 + length :]
                self._react(frame)
                yield frame
            left = ends - time.monotonic()
            if left <= 0:
                return
            self._socket.settimeout(left)
            try:
                data = self._socket.recv(1 << 20)
            except TimeoutError:
                return
            except OSError:
                data = b""
            if not data:
                return
            self._buffer += data

    def _react(self, frame: Frame) -> None:
        if frame.kind == SETTINGS and not frame.flags & ACK:
            for at in range(0, len(frame.payload), 6):
                name, value = struct.unpack(">HI", frame.payload[at : at + 6])
                if name == _INITIAL_WINDOW_SIZE:
                    self.stream_room = value
            self.send(framed(SETTINGS, ACK, 0))
        elif frame.kind == PING and not frame.flags & ACK:
            self.send(framed(PING, ACK, 0, frame.payload))
        elif frame.kind == WINDOW_UPDATE and not frame.stream:
            self.room += int.from_bytes(frame.payload, "big")


def framed(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """Return a frame."""
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + payload


def data_frames(stream: int, body: bytes, *, end: bool) -> bytes:
    """Return the frames of a body."""
    parts = [body[at : at + _FRAME_BYTES_MAX] for at in range(0, len(body), _FRAME_BYTES_MAX)] or [b""]
    return b"".join(
        framed(DATA, END_STREAM if end and number == len(parts) else 0, stream, part)
        for number, part in enumerate(parts, 1)
    )


def call_headers(path: str, *more: tuple[str, str]) -> bytes:
    """Return the header block of a gRPC call, without compression."""
    names = (
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        *more,
    )
    return b"".join(header(name, value) for name, value in names)


def header(name: str, value: str) -> bytes:
    """Return a header in HPACK's plainest form: literal, not indexed."""
    return b"\0" + _length(len(name)) + name.encode() + _length(len(value)) + value.encode()


def message(data: bytes, *, compressed: bool = False) -> bytes:
    """Return a gRPC message."""
    return struct.pack(">BI", compressed, len(data)) + data


def is_end(frame: Frame) -> bool:
    """Return whether a frame ends its stream."""
    return frame.kind == RST_STREAM or (frame.kind in (DATA, HEADERS) and bool(frame.flags & END_STREAM))


def _length(number: int) -> bytes:
    if number < 127:
        return bytes([number])
    out, number = [127], number - 127
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
