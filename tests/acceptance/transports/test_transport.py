"""The behaviour of every transport: messages, metadata, statuses, deadlines, cancellation, backpressure."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.acceptance.transports.conftest import Connect

from memoryd_server.transport.exchange import Exchange
from memoryd_server.transport.in_process import CallFailed
from memoryd_server.transport.routes import MethodKind, method_of
from memoryd_server.transport.status import Status, StatusCode

PATH = "/test.Service/Method"
REFUSED = Status(StatusCode.FAILED_PRECONDITION, "not now: später", b"\x08\x09\x00\xff details")
LARGE = 1024 * 1024


async def stream_of(*messages: bytes) -> AsyncIterator[bytes]:
    for message in messages:
        yield message


async def endless() -> AsyncIterator[bytes]:
    yield b"first"
    await asyncio.get_running_loop().create_future()


async def messages_of(exchange: Exchange) -> AsyncIterator[bytes]:
    """Yield the messages of the request."""
    while isinstance(message := await exchange.receive(), bytes):
        yield message


async def message_of(exchange: Exchange) -> bytes:
    """Return the next message of the request."""
    return await anext(messages_of(exchange))


def sent(kind: MethodKind, *messages: bytes) -> Any:
    """Return the requests in the form that a method of this kind takes."""
    return stream_of(*messages) if kind.value[0] else b"".join(messages)


async def responses_of(responses: Any) -> list[bytes]:
    return [response async for response in responses]


async def failure_of(responses: Any) -> Status:
    with pytest.raises(CallFailed) as failed:
        await responses_of(responses)
    return failed.value.status


@pytest.mark.parametrize(
    "message",
    [b"", b"\x00\xff", b"xy" * LARGE, b"z" * (128 * 1024 + 1)],
    ids=["empty", "binary", "large", "in two parts"],
)
async def test_a_request_and_its_response_arrive_byte_for_byte(connect: Connect, message: bytes) -> None:
    async def serve(exchange: Exchange) -> bytes:
        return await message_of(exchange)

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    assert await responses_of(client.call(PATH, message)) == [message]


async def test_a_server_stream_arrives_in_its_order_and_ends(connect: Connect) -> None:
    async def serve(exchange: Exchange) -> None:
        request = await message_of(exchange)
        for number in range(100):
            await exchange.send(request + bytes([number]))

    client = await connect({PATH: method_of(MethodKind.SERVER_STREAM, serve)})
    assert await responses_of(client.call(PATH, b"n")) == [b"n" + bytes([number]) for number in range(100)]


@pytest.mark.parametrize("kind", [MethodKind.SERVER_STREAM, MethodKind.BIDIRECTIONAL_STREAM])
async def test_a_stream_can_have_no_response(connect: Connect, kind: MethodKind) -> None:
    async def serve(_exchange: Exchange) -> None:
        return

    client = await connect({PATH: method_of(kind, serve)})
    assert await responses_of(client.call(PATH, sent(kind))) == []


@pytest.mark.parametrize("messages", [(), (b"a", b"", b"c"), (b"a" * LARGE, b"", b"c" * LARGE, b"d")])
async def test_a_client_stream_arrives_in_its_order(connect: Connect, messages: tuple[bytes, ...]) -> None:
    async def serve(exchange: Exchange) -> bytes:
        return b"|".join([request async for request in messages_of(exchange)])

    client = await connect({PATH: method_of(MethodKind.CLIENT_STREAM, serve)})
    assert await responses_of(client.call(PATH, stream_of(*messages))) == [b"|".join(messages)]


async def test_a_method_may_answer_a_client_stream_before_it_ends(connect: Connect) -> None:
    async def serve(exchange: Exchange) -> bytes:
        return await message_of(exchange)

    client = await connect({PATH: method_of(MethodKind.CLIENT_STREAM, serve)})
    assert await responses_of(client.call(PATH, endless())) == [b"first"]


async def test_streams_in_both_directions_run_concurrently(connect: Connect) -> None:
    async def serve(exchange: Exchange) -> None:
        async for request in messages_of(exchange):
            await exchange.send(request.upper())

    arrived = asyncio.Queue[bytes]()

    async def requests() -> AsyncIterator[bytes]:
        yield b"first"
        yield await arrived.get()

    client = await connect({PATH: method_of(MethodKind.BIDIRECTIONAL_STREAM, serve)})
    call = client.call(PATH, requests())
    assert await anext(call) == b"FIRST"
    arrived.put_nowait(b"second")
    assert await responses_of(call) == [b"SECOND"]


async def test_many_calls_run_concurrently(connect: Connect) -> None:
    together = asyncio.Barrier(100)

    async def serve(exchange: Exchange) -> bytes:
        await together.wait()
        return await message_of(exchange)

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    calls = [responses_of(client.call(PATH, bytes([number]))) for number in range(100)]
    assert await asyncio.gather(*calls) == [[bytes([number])] for number in range(100)]


async def test_the_last_text_of_a_key_of_the_metadata_is_found(connect: Connect) -> None:
    seen: dict[str, str | None] = {}

    async def serve(exchange: Exchange) -> bytes:
        seen.update({key: exchange.metadata(key) for key in ("authorization", "x-key", "x-key-bin", "x")})
        return b""

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    sent = (("authorization", "Bearer x"), ("x-key", "first"), ("x-key", "last"), ("x-key-bin", b"\x00\xff"))
    await responses_of(client.call(PATH, b"", sent))
    assert seen == {"authorization": "Bearer x", "x-key": "last", "x-key-bin": None, "x": None}


async def test_a_peer_without_a_certificate_has_an_address_and_no_identity(connect: Connect) -> None:
    peers = []

    async def serve(exchange: Exchange) -> bytes:
        peers.append(exchange.peer())
        return b""

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    await responses_of(client.call(PATH, b""))
    ((identities, address),) = [(list(peer.identities), peer.address) for peer in peers]
    assert identities == []
    assert address


@pytest.mark.parametrize("kind", MethodKind)
async def test_a_refusal_arrives_with_its_code_message_and_details(connect: Connect, kind: MethodKind) -> None:
    async def serve(exchange: Exchange) -> None:
        # A client of grpc.aio that still writes may miss the status: https://github.com/grpc/grpc/issues/36066
        assert [message async for message in messages_of(exchange)] == [b"x"]
        await exchange.refuse(REFUSED)

    client = await connect({PATH: method_of(kind, serve)})
    assert await failure_of(client.call(PATH, sent(kind, b"x"))) == REFUSED


@pytest.mark.parametrize("code", set(StatusCode) - {StatusCode.OK})
async def test_a_refusal_can_have_any_code_without_details(connect: Connect, code: StatusCode) -> None:
    async def serve(exchange: Exchange) -> None:
        await exchange.refuse(Status(code))

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    assert await failure_of(client.call(PATH, b"")) == Status(code)


async def test_a_refusal_comes_after_what_was_sent(connect: Connect) -> None:
    async def serve(exchange: Exchange) -> None:
        await exchange.send(b"first")
        await exchange.refuse(REFUSED)

    client = await connect({PATH: method_of(MethodKind.SERVER_STREAM, serve)})
    call = client.call(PATH, b"")
    assert await anext(call) == b"first"
    assert await failure_of(call) == REFUSED


@pytest.mark.parametrize("message", [b"first", b"x" * 4 * LARGE], ids=["small", "more than there is room for"])
async def test_a_call_that_is_ended_while_it_sends_its_first_message_is_refused(
    connect: Connect, message: bytes
) -> None:
    async def serve(exchange: Exchange) -> None:
        task = exchange.task()
        asyncio.get_running_loop().call_soon(task.cancel)
        try:
            await exchange.send(message)
            # This transport had room for it, and did not wait.
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            task.uncancel()
            await exchange.refuse(REFUSED)

    client = await connect({PATH: method_of(MethodKind.SERVER_STREAM, serve)})
    call = client.call(PATH, b"")
    assert await anext(call) == message
    assert await failure_of(call) == REFUSED


async def test_a_method_that_does_not_exist_is_unimplemented(connect: Connect) -> None:
    client = await connect({})
    status = await failure_of(client.call(PATH, b""))
    assert status.code == StatusCode.UNIMPLEMENTED
    assert b"ERROR_REASON_METHOD_UNKNOWN" in status.details


async def test_a_method_knows_the_remaining_time_of_its_call(connect: Connect) -> None:
    remaining: list[float | None] = []

    async def serve(exchange: Exchange) -> bytes:
        remaining.append(exchange.remaining_s())
        return b""

    client = await connect({PATH: method_of(MethodKind.UNARY, serve)})
    await responses_of(client.call(PATH, b""))
    await responses_of(client.call(PATH, b"", timeout_s=1_000.0))
    unlimited, limited = remaining
    assert unlimited is None
    assert limited is not None
    # Each transport measures with its own clock.
    assert 0.0 < limited < 1_010.0


class Waiting:
    """A method that waits until it is cancelled, and records what it saw then."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.ended = asyncio.Event()
        self.was_cancelled = False

    async def serve(self, exchange: Exchange) -> None:
        self.begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            self.was_cancelled = exchange.cancelled()
            raise
        finally:
            self.ended.set()


@pytest.mark.parametrize("kind", MethodKind)
async def test_a_call_that_the_client_cancels_is_cancelled_at_the_method(connect: Connect, kind: MethodKind) -> None:
    waiting = Waiting()
    client = await connect({PATH: method_of(kind, waiting.serve)})
    call = client.call(PATH, sent(kind, b"x"))
    reading = asyncio.create_task(failure_of(call))
    await waiting.begun.wait()
    call.cancel()
    await waiting.ended.wait()
    assert waiting.was_cancelled
    assert (await reading).code is StatusCode.CANCELLED


@pytest.mark.parametrize("kind", MethodKind)
async def test_a_call_whose_deadline_has_passed_is_cancelled_at_the_method(connect: Connect, kind: MethodKind) -> None:
    waiting = Waiting()
    client = await connect({PATH: method_of(kind, waiting.serve)})
    status = await failure_of(client.call(PATH, sent(kind, b"x"), timeout_s=0.2))  # time: it must expire
    assert status.code is StatusCode.DEADLINE_EXCEEDED
    if waiting.begun.is_set():
        await waiting.ended.wait()
        assert waiting.was_cancelled


async def test_backpressure_of_a_slow_client_stops_the_method(connect: Connect) -> None:
    """All that lies between them, buffers of sockets included, holds a few MiB and not the whole stream."""
    message, count, ahead_max = b"x" * 64 * 1024, 1_000, 160
    sent_count = 0

    async def serve(exchange: Exchange) -> None:
        nonlocal sent_count
        for _ in range(count):
            await exchange.send(message)
            sent_count += 1

    client = await connect({PATH: method_of(MethodKind.SERVER_STREAM, serve)})
    call = client.call(PATH, b"")
    for read_count in range(1, count + 1):
        assert await anext(call) == message
        assert sent_count <= read_count + ahead_max
    assert await responses_of(call) == []
