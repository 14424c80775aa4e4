"""Frames that RFC 9113 forbids end their stream or their connection, with the code that it prescribes."""

import struct
from collections.abc import Callable

import pytest
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
    call_headers,
    data_frames,
    framed,
    header,
    message,
)
from tests.integration.http2.peer import (
    MEMORY,
    PADDED,
    PRIORITY,
    PUSH_PROMISE,
    WATCH,
    WITH_PRIORITY,
    Answer,
    Closed,
    ErrorCode,
    Goaway,
    Peer,
    Reset,
    literal,
    setting,
)
from tests.integration.http2.peer import (
    WINDOW as WINDOW_BYTES,
)

BLOCK = call_headers(f"{MEMORY}GetEntry")
PROTOCOL = ErrorCode.PROTOCOL_ERROR
FLOW = ErrorCode.FLOW_CONTROL_ERROR
SIZE = ErrorCode.FRAME_SIZE_ERROR
CANCEL = struct.pack(">I", ErrorCode.CANCEL)
WINDOW = struct.pack(">I", 0x7FFFFFFF)
SERVED = Answer(200, 3, "INVALID_FIELD")
"""The answer to a request without fields."""


def frame_on(stream: int) -> dict[str, bytes]:
    """Return a frame of each kind that belongs to a stream."""
    return {
        "DATA": framed(DATA, 0, stream, b"data"),
        "RST_STREAM": framed(RST_STREAM, 0, stream, CANCEL),
        "WINDOW_UPDATE": framed(WINDOW_UPDATE, 0, stream, b"\0\0\0\1"),
        "CONTINUATION": framed(CONTINUATION, END_HEADERS, stream, BLOCK),
        "HEADERS": framed(HEADERS, END_HEADERS, stream, BLOCK),
        "PRIORITY": framed(PRIORITY, 0, stream, b"\0\0\0\1\0"),
    }


ON_THE_CONNECTION = {
    **{f"{name} of an idle stream": (frame_on(1)[name], PROTOCOL) for name in list(frame_on(1))[:4]},
    **{f"{name} of no stream": (frame_on(0)[name], PROTOCOL) for name in frame_on(0) if name != "WINDOW_UPDATE"},
    "SETTINGS of a stream": (framed(SETTINGS, 0, 1), PROTOCOL),
    "PING of a stream": (framed(PING, 0, 1, bytes(8)), PROTOCOL),
    "GOAWAY of a stream": (framed(GOAWAY, 0, 1, bytes(8)), PROTOCOL),
    "a stream of an even number": (framed(HEADERS, END_HEADERS, 2, BLOCK), PROTOCOL),
    "PUSH_PROMISE": (framed(PUSH_PROMISE, END_HEADERS, 1, b"\0\0\0\2" + BLOCK), PROTOCOL),
    "HEADERS above the maximum size": (framed(HEADERS, END_HEADERS, 1, bytes(16_385)), SIZE),
    "a short PING": (framed(PING, 0, 0, bytes(7)), SIZE),
    "a long PING": (framed(PING, 0, 0, bytes(9)), SIZE),
    "a short WINDOW_UPDATE": (framed(WINDOW_UPDATE, 0, 0, bytes(3)), SIZE),
    "SETTINGS that are cut": (framed(SETTINGS, 0, 0, bytes(5)), SIZE),
    "an acknowledgment with SETTINGS": (framed(SETTINGS, ACK, 0, bytes(6)), SIZE),
    "a bad ENABLE_PUSH": (setting(2, 2), PROTOCOL),
    "a bad INITIAL_WINDOW_SIZE": (setting(4, 1 << 31), FLOW),
    "a small MAX_FRAME_SIZE": (setting(5, 16_383), PROTOCOL),
    "a large MAX_FRAME_SIZE": (setting(5, 1 << 24), PROTOCOL),
    "an empty WINDOW_UPDATE": (framed(WINDOW_UPDATE, 0, 0, bytes(4)), PROTOCOL),
    "a window above the maximum": (framed(WINDOW_UPDATE, 0, 0, WINDOW) * 2, FLOW),
    "padding above the payload": (framed(HEADERS, END_HEADERS | PADDED, 1, b"\xff" + BLOCK[:20]), PROTOCOL),
    "DATA within a header block": (framed(HEADERS, 0, 1, BLOCK) + framed(DATA, 0, 1, b"data"), PROTOCOL),
    "PING within a header block": (framed(HEADERS, 0, 1, BLOCK) + framed(PING, 0, 0, bytes(8)), PROTOCOL),
    "an unknown frame within a header block": (framed(HEADERS, 0, 1, BLOCK) + framed(0x77, 0, 0), PROTOCOL),
    "HEADERS within a header block": (framed(HEADERS, 0, 1, BLOCK) + framed(HEADERS, 4, 3, BLOCK), PROTOCOL),
    "CONTINUATION of another stream": (framed(HEADERS, 0, 1, BLOCK) + framed(CONTINUATION, 4, 3, BLOCK), PROTOCOL),
    "CONTINUATION after its end": (framed(HEADERS, 4, 1, BLOCK) + framed(CONTINUATION, 4, 1, BLOCK), PROTOCOL),
    "an index without a header": (framed(HEADERS, 4, 1, b"\xff\xff\x03"), ErrorCode.COMPRESSION_ERROR),
    "a string that is cut": (framed(HEADERS, 4, 1, b"\0\x7f"), ErrorCode.COMPRESSION_ERROR),
    "a table above its maximum": (framed(HEADERS, 4, 1, b"\x3f\xff\xff\x7f" + BLOCK), ErrorCode.COMPRESSION_ERROR),
}
"""Frames that end the connection, and the code. `h2` has PROTOCOL_ERROR for all frames that it cannot read."""


@pytest.mark.parametrize(("frames", "code"), ON_THE_CONNECTION.values(), ids=ON_THE_CONNECTION)
def test_a_frame_that_no_connection_allows_ends_it(peer: Peer, frames: bytes, code: ErrorCode) -> None:
    peer.send(frames)
    assert peer.end(0) in (Goaway(code), Goaway(PROTOCOL))


def call_with(*fields: bytes, left_out: str = "") -> bytes:
    """Return a header block of a call, with further fields, and without one."""
    known = (":method", "POST"), (":scheme", "http"), (":path", f"{MEMORY}GetEntry"), ("te", "trailers")
    kept = b"".join(header(name, value) for name, value in known if name != left_out)
    return kept + header("content-type", "application/grpc") + b"".join(fields)


MALFORMED = {
    **{f"no {name}": call_with(left_out=name) for name in (":method", ":scheme")},
    "an empty path": call_with(header(":path", ""), left_out=":path"),
    "two paths": header(":path", "/a") + call_with(),
    "a pseudo-header after the others": call_with(header(":authority", "localhost")),
    "a pseudo-header of responses": header(":status", "200") + call_with(),
    "connection": call_with(header("connection", "keep-alive")),
    "transfer-encoding": call_with(header("transfer-encoding", "chunked")),
    "upgrade": call_with(header("upgrade", "h2c")),
    "te with more than trailers": call_with(header("te", "gzip"), left_out="te"),
    "a content-length that is no number": call_with(header("content-length", "ten")),
}
"""Header blocks of requests that are malformed: RFC 9113, section 8.1.1."""


@pytest.mark.parametrize("block", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_request_ends_its_stream_alone(peer: Peer, block: bytes) -> None:
    stream = peer.open(block)
    assert peer.end(stream) == Reset(PROTOCOL)
    assert peer.call() == SERVED


UNREADABLE = {
    "an unknown pseudo-header": header(":color", "red") + call_with(),
    "a name in upper case": call_with(header("Color", "red")),
    "a name with a space": call_with(literal(b"co lor", b"red")),
    "a value with a newline": call_with(literal(b"color", b"red\r\nblue: 1")),
    "a value with a null byte": call_with(literal(b"color", b"r\0d")),
    "a path with a null byte": call_with(literal(b":path", b"/\0"), left_out=":path"),
}
"""Header blocks with names or values that no header has."""


@pytest.mark.parametrize("block", UNREADABLE.values(), ids=UNREADABLE)
def test_what_no_header_has_ends_the_stream_or_the_connection(peer: Peer, block: bytes) -> None:
    assert peer.end(peer.open(block)) in (Reset(PROTOCOL), Goaway(PROTOCOL))


def test_a_call_without_a_path_has_no_method(peer: Peer) -> None:
    assert peer.end(peer.open(call_with(left_out=":path"))) == Answer(200, 12, "METHOD_UNKNOWN")


ON_THE_STREAM = {
    "DATA above its content-length": (
        [("content-length", "3")],
        lambda stream: data_frames(stream, b"four", end=False),
        PROTOCOL,
    ),
    "DATA below its content-length": (
        [("content-length", "9")],
        lambda stream: data_frames(stream, b"four", end=True),
        PROTOCOL,
    ),
    "trailers that do not end the stream": (
        [],
        lambda stream: framed(HEADERS, END_HEADERS, stream, header("color", "red")),
        PROTOCOL,
    ),
    "an empty WINDOW_UPDATE": ([], lambda stream: framed(WINDOW_UPDATE, 0, stream, bytes(4)), PROTOCOL),
    "a window above the maximum": ([], lambda stream: framed(WINDOW_UPDATE, 0, stream, WINDOW), FLOW),
    "a dependency on itself": ([], lambda stream: framed(PRIORITY, 0, stream, struct.pack(">IB", stream, 1)), PROTOCOL),
    "DATA after its end": (
        [],
        lambda stream: framed(DATA, END_STREAM, stream) + framed(DATA, 0, stream, b"data"),
        ErrorCode.STREAM_CLOSED,
    ),
    "HEADERS after its end": (
        [],
        lambda stream: framed(DATA, END_STREAM, stream) + framed(HEADERS, 5, stream, header("color", "red")),
        ErrorCode.STREAM_CLOSED,
    ),
}
"""Frames that end the stream of a call that goes on: further headers, the frames, and the code."""


@pytest.mark.parametrize(("more", "frames", "code"), ON_THE_STREAM.values(), ids=ON_THE_STREAM)
def test_a_frame_that_no_stream_allows_ends_it(
    peer: Peer, more: list[tuple[str, str]], frames: Callable[[int], bytes], code: ErrorCode
) -> None:
    stream = peer.open(call_headers(WATCH, *more))
    peer.send(frames(stream))
    assert peer.end(stream) in (Reset(code), Goaway(code), Goaway(PROTOCOL))


def test_more_data_than_the_window_allows_ends_the_stream(peer: Peer) -> None:
    stream = peer.open(call_headers(f"{MEMORY}SetEntry"))
    # The message is announced as larger than what the front end receives before its call is admitted.
    peer.send(data_frames(stream, message(bytes(1_000_000))[:200_000], end=False))
    assert peer.end(stream) in (Reset(FLOW), Goaway(FLOW))


def test_a_window_that_settings_enlarge_above_the_maximum_ends_the_stream(peer: Peer) -> None:
    stream = peer.open(call_headers(WATCH))
    peer.send(framed(WINDOW_UPDATE, 0, stream, struct.pack(">I", 0x7FFFFFFF - WINDOW_BYTES)))
    peer.send(setting(4, WINDOW_BYTES + 1))
    assert peer.end(stream) in (Goaway(FLOW), Reset(FLOW))


def test_data_above_the_maximum_size_ends_the_connection(peer: Peer) -> None:
    stream = peer.open()
    peer.send(framed(DATA, 0, stream, bytes(16_385)))
    assert peer.end(stream) in (Goaway(SIZE), Reset(SIZE))


def test_a_stream_below_the_last_one_ends_the_connection(peer: Peer) -> None:
    peer.send(framed(HEADERS, 5, 5, BLOCK) + framed(HEADERS, 5, 3, BLOCK))
    assert peer.end(0) in (Goaway(PROTOCOL), Goaway(ErrorCode.STREAM_CLOSED))


@pytest.mark.parametrize(
    ("kind", "payload"), [(PRIORITY, bytes(4)), (RST_STREAM, bytes(3))], ids=["PRIORITY", "RST_STREAM"]
)
def test_a_frame_of_a_bad_size_ends_its_stream(peer: Peer, kind: int, payload: bytes) -> None:
    stream = peer.open(call_headers(WATCH))
    peer.send(framed(kind, 0, stream, payload))
    assert peer.end(stream) in (Goaway(SIZE), Reset(SIZE), Goaway(PROTOCOL))


@pytest.mark.parametrize("flags", [PADDED, PADDED | END_STREAM])
def test_data_with_more_padding_than_payload_ends_the_connection(peer: Peer, flags: int) -> None:
    stream = peer.open()
    peer.send(framed(DATA, flags, stream, b"\x05data"))
    assert peer.end(stream) == Goaway(PROTOCOL)


def test_a_header_block_may_depend_on_itself_no_longer(peer: Peer) -> None:
    stream = peer.next_stream()
    peer.send(framed(HEADERS, END_HEADERS | WITH_PRIORITY, stream, struct.pack(">IB", stream, 1) + BLOCK))
    assert peer.end(stream) in (Reset(PROTOCOL), Goaway(PROTOCOL))


IGNORED = {
    "an unknown frame": framed(0x77, 0xFF, 0, b"what?"),
    "an unknown setting": setting(0x7777, 7),
    "an acknowledgment of no ping": framed(PING, ACK, 0, bytes(8)),
    "a priority of an idle stream": framed(PRIORITY, 0, 9, bytes(5)),
    "unknown flags": framed(PING, 0xFE, 0, bytes(8)),
    "the reserved bit": framed(PING, 0, 1 << 31, bytes(8)),
}


@pytest.mark.parametrize("frames", IGNORED.values(), ids=IGNORED)
def test_what_is_unknown_is_ignored(peer: Peer, frames: bytes) -> None:
    peer.send(frames)
    assert peer.call() == SERVED


def test_padding_and_continuations_are_part_of_a_call(peer: Peer) -> None:
    stream = peer.next_stream()
    first, rest = BLOCK[:30], BLOCK[30:]
    peer.send(framed(HEADERS, PADDED, stream, b"\x03" + first + bytes(3)) + framed(CONTINUATION, 0, stream))
    peer.send(framed(CONTINUATION, END_HEADERS, stream, rest))
    peer.send(framed(DATA, PADDED | END_STREAM, stream, b"\x02" + message(b"") + bytes(2)))
    assert peer.end(stream) == SERVED


@pytest.mark.parametrize(
    "begin",
    [
        b"\x16\x03\x01\x02\x00\x01" + bytes(40),
        b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
    ],
    ids=["TLS", "a bad preface"],
)
def test_another_protocol_is_not_answered(connect: Callable[..., Peer], begin: bytes) -> None:
    with connect(begin) as peer:
        assert peer.end(0) == Closed()
