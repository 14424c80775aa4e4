"""Twenty thousand frames of each sort cost little, and delay nobody for ever."""

import random
import struct
from collections.abc import Callable, Iterator

import pytest
from tests.attack.frames import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
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
from tests.integration.http2.peer import MEMORY, PREFACE, PRIORITY, WATCH, Answer, ErrorCode, Goaway, Peer, Reset

from memoryd_server.transport.limit import CONNECTION_STREAMS_MAX

FRAMES = 20_000
CONNECTIONS = 300
BLOCK = call_headers(f"{MEMORY}GetEntry")
UPLOAD = call_headers("/memoryd.v1.DocumentService/UploadDocument")
CANCEL = struct.pack(">I", ErrorCode.CANCEL)


def streams() -> Iterator[int]:
    return iter(range(1, 2 * FRAMES, 2))


FLOODS: dict[str, Callable[[], bytes]] = {
    "PING": lambda: framed(PING, 0, 0, bytes(8)) * FRAMES,
    "SETTINGS": lambda: framed(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535)) * FRAMES,
    "empty SETTINGS": lambda: framed(SETTINGS, 0, 0) * FRAMES,
    "rapid resets": lambda: b"".join(
        framed(HEADERS, END_HEADERS, stream, BLOCK) + framed(RST_STREAM, 0, stream, CANCEL) for stream in streams()
    ),
    "resets of whole calls": lambda: b"".join(
        framed(HEADERS, END_HEADERS, stream, BLOCK)
        + data_frames(stream, message(b""), end=True)
        + framed(RST_STREAM, 0, stream, CANCEL)
        for stream in streams()
    ),
    "resets that the server makes": lambda: b"".join(
        framed(HEADERS, END_HEADERS, stream, BLOCK) + framed(WINDOW_UPDATE, 0, stream, bytes(4)) for stream in streams()
    ),
    "malformed requests": lambda: b"".join(
        framed(HEADERS, END_HEADERS, stream, header(":color", "red") + BLOCK) for stream in streams()
    ),
    "empty DATA": lambda: framed(HEADERS, END_HEADERS, 1, UPLOAD) + framed(DATA, 0, 1) * FRAMES,
    "DATA of one byte": lambda: framed(HEADERS, END_HEADERS, 1, UPLOAD) + framed(DATA, 0, 1, b"\0") * FRAMES,
    "padding alone": lambda: framed(HEADERS, END_HEADERS, 1, UPLOAD) + framed(DATA, 8, 1, b"\x02\0\0") * FRAMES,
    "WINDOW_UPDATE": lambda: framed(WINDOW_UPDATE, 0, 0, b"\0\0\0\1") * FRAMES,
    "WINDOW_UPDATE of a stream": lambda: (
        framed(HEADERS, END_HEADERS, 1, call_headers(WATCH)) + framed(WINDOW_UPDATE, 0, 1, b"\0\0\0\1") * FRAMES
    ),
    "PRIORITY": lambda: b"".join(framed(PRIORITY, 0, stream, b"\0\0\0\0\x10") for stream in streams()),
    "CONTINUATION without an end": lambda: (
        framed(HEADERS, 0, 1, BLOCK) + framed(CONTINUATION, 0, 1, header("x-more", "a" * 200)) * FRAMES
    ),
    "empty CONTINUATION": lambda: framed(HEADERS, 0, 1, BLOCK) + framed(CONTINUATION, 0, 1) * FRAMES,
    "requests without a message": lambda: b"".join(
        framed(HEADERS, END_HEADERS | END_STREAM, stream, BLOCK) for stream in streams()
    ),
    "methods that do not exist": lambda: b"".join(
        framed(HEADERS, END_HEADERS | END_STREAM, stream, call_headers(f"/a/{stream}")) for stream in streams()
    ),
    "unknown frames": lambda: framed(0x77, 0, 0, bytes(100)) * FRAMES,
    "a table of 4 GiB": lambda: framed(SETTINGS, 0, 0, struct.pack(">HI", 1, 0xFFFFFFFF)) * FRAMES,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_that_is_read_does_no_harm(peer: Peer, flood: Callable[[], bytes]) -> None:
    peer.flood(flood())


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_whose_replies_nobody_reads_does_no_harm(peer: Peer, flood: Callable[[], bytes]) -> None:
    peer.stuff(flood())


def test_rapid_resets_end_the_connection(peer: Peer) -> None:
    peer.send(FLOODS["rapid resets"]())
    assert peer.end(0) == Goaway(ErrorCode.ENHANCE_YOUR_CALM)


def test_a_header_block_without_an_end_ends_the_connection(peer: Peer) -> None:
    peer.send(FLOODS["CONTINUATION without an end"]())
    assert peer.end(0) == Goaway(ErrorCode.ENHANCE_YOUR_CALM)


def test_more_streams_than_announced_are_refused(peer: Peer) -> None:
    """Those that are half open cost little, and end with the connection."""
    count = CONNECTION_STREAMS_MAX + 1
    block = call_headers(f"{MEMORY}SetEntry")
    peer.flood(b"".join(framed(HEADERS, END_HEADERS, stream, block) for stream in range(1, 2 * count, 2)))
    assert peer.end(2 * count - 1) == Reset(ErrorCode.REFUSED_STREAM)


def test_messages_that_stop_halfway_are_bounded_over_all_streams(peer: Peer) -> None:
    part = message(bytes(60_000))[:200]
    peer.flood(
        b"".join(
            framed(HEADERS, END_HEADERS, stream, BLOCK) + framed(DATA, 0, stream, part)
            for stream in range(1, 2 * CONNECTION_STREAMS_MAX, 2)
        )
    )


def test_responses_that_nobody_reads_end_with_their_connection(connect: Callable[..., Peer]) -> None:
    no_window = PREFACE + framed(SETTINGS, 0, 0, struct.pack(">HI", 4, 0))
    with connect(no_window) as peer:
        peer.flood(
            b"".join(
                framed(HEADERS, END_HEADERS, stream, BLOCK) + data_frames(stream, message(b""), end=True)
                for stream in range(1, 2 * CONNECTION_STREAMS_MAX, 2)
            )
        )


def random_frames(chance: random.Random) -> bytes:
    """Return frames of which most make sense on their own."""
    blocks = [BLOCK, call_headers(WATCH), UPLOAD, BLOCK[:-3], b"\x80", b"\x3f\xe1\x1f" + BLOCK, b""]
    frames = []
    for _ in range(chance.randrange(1, 60)):
        kind = chance.choice([*range(10), HEADERS, HEADERS, DATA, DATA, chance.randrange(256)])
        flags = chance.choice([0, 1, 4, 5, 8, 0x20, chance.randrange(256)])
        stream = chance.choice([0, 1, 1, 3, 3, 5, 7, 2, chance.randrange(1 << 31)])
        payload = {
            HEADERS: chance.choice(blocks),
            CONTINUATION: chance.choice(blocks),
            DATA: message(chance.randbytes(chance.randrange(40))),
            SETTINGS: struct.pack(">HI", chance.randrange(8), chance.choice([0, 1, 65_535, 1 << 31])),
            WINDOW_UPDATE: chance.randbytes(4),
            PING: bytes(8),
            RST_STREAM: CANCEL,
        }.get(kind, chance.randbytes(chance.randrange(64)))
        if chance.random() < 0.1:
            payload = chance.randbytes(chance.randrange(64))
        frames.append(framed(kind, flags, stream, payload))
    data = b"".join(frames)
    return data if chance.random() < 0.8 else data[: chance.randrange(len(data))]


def test_random_frames_do_no_harm(connect: Callable[..., Peer]) -> None:
    for number in range(CONNECTIONS):
        with connect() as peer:
            peer.flood(random_frames(random.Random(number)))


def test_random_bytes_do_no_harm(connect: Callable[..., Peer]) -> None:
    for number in range(CONNECTIONS):
        chance = random.Random(number)
        preface = chance.choice([b"", PREFACE, PREFACE + framed(SETTINGS, 0, 0)])
        with connect(preface + chance.randbytes(chance.randrange(1, 4_000))):
            pass


def test_a_connection_that_was_flooded_gently_still_serves(peer: Peer) -> None:
    peer.flood(framed(PING, 0, 0, bytes(8)) * FRAMES)
    assert peer.call() == Answer(200, 3, "INVALID_FIELD")
