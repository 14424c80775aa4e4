"""Channels of an attacker, which shares its connection with nobody and has no limits of its own."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc

from memoryd.aio.uploading import uploaded

OPTIONS = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_metadata_size", 64 << 20),
    ("grpc.enable_retries", 0),
)


def channel_to(address: str) -> grpc.aio.Channel:
    """Return a channel of its own, which the caller closes."""
    return grpc.aio.insecure_channel(address, options=OPTIONS)


def blocking_channel_to(address: str) -> grpc.Channel:
    """Return a channel for threads, which the caller closes."""
    return grpc.insecure_channel(address, options=OPTIONS)


async def upload(channel: grpc.aio.Channel, path: str, requests: Iterable[bytes], **options: Any) -> bytes:
    """Make a call that streams messages to the server, and return its response. Raises AioRpcError."""
    untyped: Any = channel

    async def each() -> AsyncIterator[bytes]:
        for request in requests:
            yield request

    return bytes(await uploaded(untyped.stream_unary(path)(**options), each()))
