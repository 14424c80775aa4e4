"""gRPC for asyncio: the channel, and the errors of its calls.

Written by hand for each of the two clients, as ``runtime`` is.
"""

import asyncio

import grpc.aio

from memoryd.errors import CallFailed
from memoryd.protocol.setting import Settings
from memoryd.protocol.status import error_from

RpcError = grpc.aio.AioRpcError
# Raised by a call that is cut off because its stream or channel is closed, and by a task that is cancelled.
CutOff = asyncio.CancelledError


def open_channel(settings: Settings) -> grpc.aio.Channel:
    """Return a channel of the running event loop, which connects with its first call."""
    if settings.credentials is None:
        return grpc.aio.insecure_channel(settings.target, options=settings.options)
    return grpc.aio.secure_channel(settings.target, settings.credentials, options=settings.options)


def failure_of(error: RpcError, target: str) -> CallFailed:
    """Return this package's error for gRPC's."""
    return error_from(error.code(), error.details(), error.trailing_metadata(), target)
