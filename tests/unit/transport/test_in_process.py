"""Behaviour of the in-process transport alone. That of all transports is in tests/acceptance/transports."""

import asyncio
import logging
from typing import Any

import pytest
from tests.unit.transport.gated import is_refused, one_request

from memoryd_server.transport.exchange import Exchange, Peer
from memoryd_server.transport.in_process import CallFailed, InProcessCall, InProcessTransport
from memoryd_server.transport.limit import UNREAD_RESPONSES_MAX
from memoryd_server.transport.routes import MethodKind, method_of
from memoryd_server.transport.status import Status, StatusCode

PATH = "/test.Service/Method"


def transport_of(serve: Any, kind: MethodKind = MethodKind.UNARY, **options: Any) -> InProcessTransport:
    return InProcessTransport({PATH: method_of(kind, serve)}, **options)


async def wait(_exchange: Exchange) -> None:
    await asyncio.get_running_loop().create_future()


async def respond(exchange: Exchange) -> object:
    return await exchange.receive()


async def failure_of(call: InProcessCall) -> Status:
    with pytest.raises(CallFailed) as failed:
        await anext(call)
    return failed.value.status


async def test_a_call_that_is_cancelled_before_it_ran_ends() -> None:
    call = transport_of(wait).call(PATH, b"")
    call.cancel()
    assert (await failure_of(call)).code is StatusCode.CANCELLED


async def test_a_call_that_has_ended_ends_the_same_way_for_every_further_read() -> None:
    call = transport_of(respond).call(PATH, b"x")
    assert await anext(call) == b"x"
    for _ in range(2):
        with pytest.raises(StopAsyncIteration):
            await anext(call)
    failed = InProcessTransport({}).call(PATH, b"x")
    assert await failure_of(failed) == await failure_of(failed)


async def test_a_call_that_has_ended_cannot_be_cancelled() -> None:
    call = transport_of(respond).call(PATH, b"x")
    assert [each async for each in call] == [b"x"]
    call.cancel()
    assert [each async for each in call] == []


async def test_cancelling_the_wait_for_the_only_response_cancels_the_call() -> None:
    ended = asyncio.Event()

    async def serve(_exchange: Exchange) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    waiting = asyncio.create_task(transport_of(serve).unary(PATH, b""))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    waiting.cancel()
    await ended.wait()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_stopping_cancels_calls_that_do_not_end_in_time() -> None:
    transport = transport_of(wait)
    calls = [transport.call(PATH, b"") for _ in range(3)]
    await asyncio.sleep(0)
    await transport.stop(grace_s=0.0)
    assert [(await failure_of(call)).code for call in calls] == [StatusCode.CANCELLED] * 3
    await transport.stop(grace_s=0.0)


async def test_stopping_waits_for_calls_that_end_in_time() -> None:
    may_end = asyncio.Event()

    async def serve(_exchange: Exchange) -> bytes:
        await may_end.wait()
        return b"done"

    transport = transport_of(serve)
    call = transport.call(PATH, b"")
    stopping = asyncio.create_task(transport.stop(grace_s=1e9))
    await asyncio.sleep(0)
    may_end.set()
    await stopping
    assert await anext(call) == b"done"


async def test_an_exception_of_a_method_ends_its_call_as_a_defect(caplog: pytest.LogCaptureFixture) -> None:
    async def serve(_exchange: Exchange) -> None:
        raise KeyError("inside")

    status = await failure_of(transport_of(serve).call(PATH, b""))
    assert (status.code, status.message) == (StatusCode.INTERNAL, "internal error")
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


async def test_all_calls_have_the_peer_of_the_transport() -> None:
    peers = []

    async def serve(exchange: Exchange) -> bytes:
        peers.append(exchange.peer())
        return b""

    await transport_of(serve, peer=Peer(["agent.example"], "a test")).unary(PATH, b"")
    assert peers == [Peer(["agent.example"], "a test")]


async def test_a_method_is_ahead_of_its_reader_by_no_more_than_the_limit() -> None:
    sent = 0

    async def serve(exchange: Exchange) -> None:
        nonlocal sent
        while True:
            await exchange.send(b"x")
            sent += 1

    call = transport_of(serve, MethodKind.SERVER_STREAM).call(PATH, b"")
    for read in range(3):
        for _ in range(5):
            await asyncio.sleep(0)
        assert sent == read + UNREAD_RESPONSES_MAX
        await anext(call)
    call.cancel()


@pytest.mark.parametrize("path", ["/memoryd.v1.NoteService/Nothing", "/test.Service/Method", ""])
async def test_a_method_that_does_not_exist_is_refused_with_details(path: str) -> None:
    for request in (b"", one_request(b"")):
        call = InProcessTransport({}).unary(path, request)
        await is_refused(call, StatusCode.UNIMPLEMENTED, "METHOD_UNKNOWN", method=path)
