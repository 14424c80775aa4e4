"""Compressed requests: a few bytes on the wire, and many in memory if they were unpacked."""

import zlib
from collections import Counter

import grpc
from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.frames import HEADERS, Connection, call_headers, data_frames, framed, is_end, message
from tests.attack.outcome import outcome

_PATH = "/memoryd.v1.AgentService/GetAgent"
_END_HEADERS = 4
_ANSWERED_S = 60.0
_UNANSWERED = "never answered"


def packed(mebibytes: int) -> bytes:
    """Return a request whose agent id has that many mebibytes, packed with gzip."""
    length = mebibytes << 20
    varint = bytearray()
    while length >= 128:
        varint.append(length & 127 | 128)
        length >>= 7
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(b"\x0a" + bytes([*varint, length]))]
    parts += [packer.compress(b"a" * (1 << 20)) for _ in range(mebibytes)]
    return b"".join([*parts, packer.flush()])


async def _compressed(target: Target, times: int) -> Outcomes:
    async with channel_to(target.address) as channel:
        call = channel.unary_unary(_PATH)(b"a" * 100_000, timeout=_ANSWERED_S, compression=grpc.Compression.Gzip)
        outcomes = Counter([await outcome(call)])
    return outcomes + _sent(target.address, packed(15), times)


async def _bombs(target: Target, times: int) -> Outcomes:
    return sum((_sent(target.address, packed(size), times) for size in (17, 100, 1_000)), Counter())


def _sent(address: str, body: bytes, times: int) -> Outcomes:
    """Make calls with the same body on one connection, as fast as flow control allows."""
    connection = Connection(address)
    headers, body = call_headers(_PATH, ("grpc-encoding", "gzip")), message(body, compressed=True)
    left = {connection.next_stream() for _ in range(times)}
    waiting = sorted(left)
    for stream in waiting:
        connection.send(framed(HEADERS, _END_HEADERS, stream, headers))
    answered = 0
    try:
        for frame in connection.frames(_ANSWERED_S):
            if is_end(frame) and frame.stream in left:
                left.remove(frame.stream)
                answered += 1
            while waiting and connection.room >= len(body) <= connection.stream_room:
                connection.room -= len(body)
                connection.send(data_frames(waiting.pop(0), body, end=True))
            if not left:
                break
    except OSError:
        pass
    connection.close()
    return Counter({"answered": answered, _UNANSWERED: len(left)}) if left else Counter(answered=answered)


ATTACKS = (
    Attack(
        "compressed",
        "{times} requests at once without a token, each 15 kB of gzip that unpack to 15 MiB",
        _compressed,
        200,
        40,
        frozenset({"UNIMPLEMENTED", "UNAUTHENTICATED", "answered"}),
    ),
    Attack(
        "bombs",
        "{times} requests at once without a token that unpack to 17, 100 and 1,000 MiB",
        _bombs,
        10,
        2,
        frozenset({"answered"}),
    ),
)
