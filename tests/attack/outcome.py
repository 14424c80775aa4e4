"""The outcomes of calls, as words that can be counted."""

from collections.abc import Awaitable
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from memoryd.v1 import error_reason_pb2

OK = "OK"
CUT = "ended while it was sent"
"""A call that ended in the middle of a client's write: grpcio replaces its status by INTERNAL, without metadata. The
daemon sends details with each INTERNAL of its own, and logs it."""
_PREFIX = "ERROR_REASON_"
_RETRIED = frozenset({"OVERLOADED"})
"""Reasons that must say when to try again."""

_DEFECTS = frozenset({4, 13, 14, 15})
"""The codes of what is no caller's mistake: timeouts, defects, unavailability and loss."""

ANSWERS = frozenset(
    {OK, CUT}
    | {
        name.removeprefix(_PREFIX)
        for name, number in error_reason_pb2.ErrorReason.items()
        if number and number // 100 not in _DEFECTS
    }
)
"""The outcomes of calls that were answered or refused for their caller's mistake."""


def outcome_of(error: grpc.RpcError) -> str:
    """Return the reason of a refusal without its prefix, or the status of one without a reason.

    A reason that should say when to try again, and does not, is followed by what is missing.
    """
    untyped: Any = error
    details = dict(untyped.trailing_metadata() or ())
    if untyped.code() is grpc.StatusCode.INTERNAL and not details:
        return CUT
    return reason_of(str(untyped.code().name), details.get("grpc-status-details-bin", b""))


def reason_of(code: str, details: bytes) -> str:
    """Return the reason in the details of an error, as ``outcome_of``; the name of the code if there is none."""
    status = status_pb2.Status.FromString(details)
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    says_when = any(detail.Unpack(retry) for detail in status.details)
    if any(detail.Unpack(info) for detail in status.details) and info.reason.startswith(_PREFIX):
        reason = info.reason.removeprefix(_PREFIX)
        return reason if says_when or reason not in _RETRIED else f"{reason} without RetryInfo"
    return code


async def outcome(call: Awaitable[object]) -> str:
    """Return the outcome of a call; OK if it is answered."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return outcome_of(error)
    except (grpc.aio.UsageError, grpc.aio.InternalError) as error:
        return f"client: {error}"
    return OK


def outcome_now(channel: grpc.Channel, path: str, data: bytes, **options: Any) -> tuple[str, bytes]:
    """Make a call with one request and one response, and return its outcome and the response."""
    call: Any = channel.unary_unary(path)
    try:
        return OK, call(data, **options)
    except grpc.RpcError as error:
        return outcome_of(error), b""
