"""gRPC for threads: the channel, and the errors of its calls.

Written by hand for each of the two clients, as ``runtime`` is.
"""

from collections.abc import Callable
from typing import Any

import grpc

from memoryd.errors import CallFailed
from memoryd.protocol.call import Call
from memoryd.protocol.setting import Settings
from memoryd.protocol.status import error_from

RpcError = grpc.RpcError
# Raised by a call on a channel that is closed, and for other reasons.
CutOff = ValueError


def open_channel(settings: Settings) -> grpc.Channel:
    """Return a channel, which connects with its first call."""
    if settings.credentials is None:
        return grpc.insecure_channel(settings.target, options=settings.options)
    return grpc.secure_channel(settings.target, settings.credentials, options=settings.options)


def open_batcher(perform: Callable[[Call[Any]], Any], window: float | None) -> Any:
    """Return None. Raises ValueError unless the window is None: a thread waits for each of its calls."""
    if window is not None:
        raise ValueError("batching is for memoryd.aio: a thread waits for each of its calls")
    return None


def failure_of(error: RpcError, target: str) -> CallFailed:
    """Return this package's error for gRPC's."""
    # An error that a call raises is the call, too, which the stubs do not say.
    call: Any = error
    return error_from(call.code(), call.details(), call.trailing_metadata(), target)
