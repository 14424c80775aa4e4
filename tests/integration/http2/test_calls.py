"""Calls that break gRPC's rules are refused with the status that says why, and their connection goes on."""

import gzip
import json
import struct
from collections.abc import Callable

import pytest
from tests.attack.frames import END_HEADERS, END_STREAM, call_headers, data_frames, header, message
from tests.integration.http2.peer import MEMORY, PREFACE, Answer, Peer, setting
from tests.integration.wire import Memory
from tests.wait import until

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_service_pb2 import WatchEventsRequest
from memoryd.v1.server_service_pb2 import GetServerInfoRequest

SERVED = Answer(200, 3, "INVALID_FIELD")
"""The answer to a request without fields."""
GZIP = ("grpc-encoding", "gzip")
INVALID_ARGUMENT, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL = 3, 4, 8, 12, 13
MALFORMED = Answer(200, INVALID_ARGUMENT, "MALFORMED_MESSAGE")
TOO_LARGE = Answer(200, RESOURCE_EXHAUSTED, "TOO_LARGE")


@pytest.fixture(autouse=True)
def connection_goes_on(peer: Peer) -> object:
    """After each test, the same connection serves a call."""
    yield
    assert peer.call() == SERVED


def block_of(method: str, content_type: str) -> bytes:
    names = (":method", method), (":scheme", "http"), (":path", f"{MEMORY}GetEntry"), ("content-type", content_type)
    return b"".join(header(name, value) for name, value in names)


@pytest.mark.parametrize(
    ("method", "content_type", "status"),
    [
        ("PUT", "application/grpc", 405),
        ("POST", "application/grpcs", 415),
        ("POST", "application/xml", 415),
        ("POST", "", 415),
    ],
)
def test_what_is_no_call_gets_a_status_of_http(peer: Peer, method: str, content_type: str, status: int) -> None:
    stream = peer.open(block_of(method, content_type), END_HEADERS | END_STREAM)
    assert peer.end(stream) == Answer(status)


@pytest.mark.parametrize("content_type", ["application/grpc", "application/grpc+proto", "application/grpc; a=b"])
def test_the_format_of_messages_may_be_named(peer: Peer, content_type: str) -> None:
    stream = peer.open(block_of("POST", content_type))
    peer.send(data_frames(stream, message(b""), end=True))
    assert peer.end(stream) == SERVED


@pytest.mark.parametrize("path", ["/", "/memoryd.v1.WorkingMemoryService", "/a/b/c", f"{MEMORY}GetEntry/", "*"])
def test_a_path_without_a_method_is_unimplemented(peer: Peer, path: str) -> None:
    answer = peer.call(path=path)
    assert answer == Answer(200, UNIMPLEMENTED, "METHOD_UNKNOWN")


@pytest.mark.parametrize("timeout", ["", "1", "S", "1x", "-1S", "1.5S", "123456789S", " 1S", "1S ", "\t1S", "0x1S"])
def test_a_timeout_that_grpc_does_not_allow_is_refused(peer: Peer, timeout: str) -> None:
    assert peer.call(message(b""), ("grpc-timeout", timeout)) == Answer(200, INTERNAL)


@pytest.mark.parametrize("timeout", ["99999999H", "1H", "1000000m", "60000000u"])
def test_a_long_timeout_is_served(peer: Peer, timeout: str) -> None:
    assert peer.call(message(b""), ("grpc-timeout", timeout)) == SERVED


@pytest.mark.parametrize("timeout", ["0S", "1n", "1u"])
def test_a_timeout_that_is_over_ends_a_call(peer: Peer, timeout: str) -> None:
    stream = peer.open(call_headers(f"{MEMORY}GetEntry", ("grpc-timeout", timeout)))
    assert peer.end(stream) == Answer(200, DEADLINE_EXCEEDED)


NO_MESSAGES = {
    "nothing": b"",
    "a prefix that is cut": b"\0\0\0",
    "a prefix alone": b"\0\0\0\0\x05",
    "a message that is cut": message(b"12345")[:-1],
    "a message that is no protobuf": message(b"\xff\xff\xff\xff"),
}


@pytest.mark.parametrize("body", NO_MESSAGES.values(), ids=NO_MESSAGES)
def test_a_request_without_its_message_is_malformed(peer: Peer, body: bytes) -> None:
    assert peer.call(body) == MALFORMED


@pytest.mark.parametrize("flag", [2, 0x80, 0xFF])
def test_an_unknown_flag_of_a_message_is_refused(peer: Peer, flag: int) -> None:
    assert peer.call(bytes([flag]) + message(b"")[1:]) == Answer(200, INTERNAL)


def test_a_compressed_message_without_an_encoding_is_refused(peer: Peer) -> None:
    assert peer.call(message(gzip.compress(b""), compressed=True)) == Answer(200, INTERNAL)


def test_a_compressed_message_of_several_parts_is_read_to_its_end(peer: Peer) -> None:
    request = pb.GetEntryRequest(agent_id="a", key="k" * 300_000).SerializeToString()
    assert peer.call(message(gzip.compress(request), compressed=True), GZIP) == SERVED
    assert peer.call(message(gzip.compress(request[:-1]), compressed=True), GZIP) == MALFORMED


def test_an_encoding_that_is_unknown_is_unimplemented(peer: Peer) -> None:
    assert peer.call(message(b"x", compressed=True), ("grpc-encoding", "br")) == Answer(200, UNIMPLEMENTED)
    assert peer.call(message(b""), ("grpc-encoding", "br")) == SERVED


@pytest.mark.parametrize("size", [64 * 1024 * 1024, 0xFFFFFFFF])
def test_a_message_announced_as_too_large_is_refused_before_it_comes(peer: Peer, size: int) -> None:
    stream = peer.open()
    peer.send(data_frames(stream, struct.pack(">BI", 0, size), end=False))
    assert peer.end(stream) == TOO_LARGE


def test_a_message_above_the_limit_of_its_method_is_refused(peer: Peer) -> None:
    assert peer.call(message(bytes(1 << 20 | 1))[:60_000]) == TOO_LARGE


@pytest.mark.parametrize("size", [10_000, 17_000, 60_000])
def test_a_bomb_is_refused_for_its_size(peer: Peer, size: int) -> None:
    """Compressed data of some sizes: inflated at once, after the call was admitted, and after it has arrived."""
    bomb = gzip.compress(bytes(1000 * size))
    assert len(bomb) > size // 2
    assert peer.call(message(bomb[:size], compressed=True), GZIP) == TOO_LARGE


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", gzip.compress(b"data")[:-6], b"\x1f\x8b" + bytes(20_000), gzip.compress(bytes(99))[:-1] + b"\0"],
    ids=["nothing", "text", "cut", "long", "bad size"],
)
def test_what_is_no_gzip_is_malformed(peer: Peer, data: bytes) -> None:
    assert peer.call(message(data, compressed=True), GZIP) == MALFORMED


@pytest.mark.parametrize("size", [10, 70_000, 200_000])
def test_a_compressed_message_below_the_limit_is_served(peer: Peer, size: int) -> None:
    """Also one that grows beyond what is inflated before its call is admitted."""
    request = pb.SetEntryRequest(agent_id=f"gzip-{size}", key="key")
    request.value.string_value = "a" * size
    data = gzip.compress(request.SerializeToString())
    stored = peer.call(message(data, compressed=True), GZIP, path=f"{MEMORY}SetEntry")
    assert isinstance(stored, Answer)
    assert stored.grpc == 0
    read = pb.GetEntryRequest(agent_id=f"gzip-{size}", key="key").SerializeToString()
    answer = peer.call(message(read))
    assert isinstance(answer, Answer)
    assert answer.grpc == 0
    assert json.dumps("a" * 10)[1:-1].encode() in answer.body


@pytest.mark.parametrize(
    ("accepted", "flag"),
    [((), 1), (("identity, deflate,gzip",), 1), (("deflate", "gzip"), 1), (("identity,deflate",), 0), (("",), 0)],
)
def test_a_response_is_compressed_only_for_a_client_that_reads_it(
    peer: Peer, accepted: tuple[str, ...], flag: int
) -> None:
    request = pb.SetEntryRequest(agent_id="compressed", key="key")
    request.value.string_value = "a" * 5_000
    assert isinstance(peer.call(message(request.SerializeToString()), path=f"{MEMORY}SetEntry"), Answer)
    read = pb.GetEntryRequest(agent_id="compressed", key="key").SerializeToString()
    headers = (GZIP, *(("grpc-accept-encoding", each) for each in accepted))
    answer = peer.call(message(gzip.compress(read), compressed=True), *headers)
    assert isinstance(answer, Answer)
    assert (answer.grpc, answer.body[0]) == (0, flag)


@pytest.mark.parametrize(("size", "answer"), [(15_000, SERVED), (17_000, Answer(200, RESOURCE_EXHAUSTED, "TOO_LARGE"))])
def test_metadata_above_its_limit_is_refused(peer: Peer, size: int, answer: Answer) -> None:
    assert peer.call(message(b""), ("x-long", "a" * (size // 2)), ("x-long", "b" * (size // 2))) == answer


def test_metadata_far_above_its_limit_is_refused_by_http(peer: Peer) -> None:
    block = call_headers(f"{MEMORY}GetEntry", *((f"x-{number}", "a" * 8_000) for number in range(10)))
    assert peer.end(peer.open(block)) == Answer(431)


def test_many_small_headers_count_with_their_overhead(peer: Peer) -> None:
    assert peer.call(message(b""), *(("a", "b"),) * 600) == TOO_LARGE


@pytest.mark.whole
def test_a_deadline_ends_a_stream_that_nobody_reads(connect: Callable[..., Peer], other: Memory) -> None:
    def watches() -> int:
        return other.wire.server.GetServerInfo(GetServerInfoRequest()).usage["concurrent_watches"]

    # Without a window, the server may send nothing of the stream.
    with connect(PREFACE + setting(4, 0)) as silent:
        body = WatchEventsRequest(include_initial_state=True).SerializeToString()
        timeout = ("grpc-timeout", "2S")  # time: it must expire
        stream = silent.open(call_headers("/memoryd.v1.EventService/WatchEvents", timeout))
        silent.send(data_frames(stream, message(body), end=True))
        until(lambda: watches() == 1, "the watch has begun")
        until(lambda: watches() == 0, "the watch has ended")
        # Not the connection, which ends after a while, since its pings are not answered either.
        assert silent.call() == SERVED
