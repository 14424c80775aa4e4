"""Uploads that end before all is sent: by their deadline, refused, or with the client."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
from tests.attack.channel import channel_to, upload
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import errors
from memoryd.aio.uploading import uploaded
from memoryd.v1.document_service_pb2 import UploadDocumentRequest

PATH = "/memoryd.v1.DocumentService/UploadDocument"
PART = UploadDocumentRequest(data=b"abc").SerializeToString()
LARGE = b"a" * (2 << 20)
AT_A_TIME, ROUNDS = 64, 10
DEADLINES = 20


async def test_an_upload_that_ends_early_raises_its_own_error(shared_daemon: Daemon) -> None:
    async with channel_to(shared_daemon.address) as channel:

        async def code_of(number: int) -> grpc.StatusCode:
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await upload(channel, PATH, [PART] * (number % 5), timeout=0.0005 * (number % DEADLINES))
            return raised.value.code()

        codes = {
            code for _ in range(ROUNDS) for code in await asyncio.gather(*(code_of(each) for each in range(AT_A_TIME)))
        }
    # A connection on which very many uploads ended early is replaced, which is UNAVAILABLE.
    assert codes <= {
        grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAVAILABLE,
    }  # fmt: skip
    assert grpc.StatusCode.DEADLINE_EXCEEDED in codes


async def test_an_error_of_the_messages_is_raised_and_ends_the_upload(shared_daemon: Daemon) -> None:
    async def messages() -> AsyncIterator[bytes]:
        yield PART
        raise OSError("unreadable")

    async with channel_to(shared_daemon.address) as channel:
        call = channel.stream_unary(PATH)()
        with pytest.raises(OSError, match="unreadable"):
            await uploaded(call, messages())
        assert call.done()


async def test_an_upload_of_a_closed_client_is_cancelled(shared_daemon: Daemon) -> None:
    client = memoryd.aio.connect(shared_daemon.address, **PATIENT)
    await client.close()
    with pytest.raises(errors.Cancelled):
        await client.agent("a").documents.create(data=LARGE, source="large.txt")
    with memoryd.connect(shared_daemon.address, **PATIENT) as other:
        pass
    with pytest.raises(errors.Cancelled):
        other.agent("a").documents.create(data=LARGE, source="large.txt")
