"""Errors as Connect writes them: JSON with the name of the code, the message and the details."""

import base64
from typing import Any
from urllib.parse import quote

from google.rpc import status_pb2

from memoryd_server.transport.status import Status, StatusCode

_HTTP = {
    StatusCode.OK: 200,
    StatusCode.CANCELLED: 499,
    StatusCode.UNKNOWN: 500,
    StatusCode.INVALID_ARGUMENT: 400,
    StatusCode.DEADLINE_EXCEEDED: 504,
    StatusCode.NOT_FOUND: 404,
    StatusCode.ALREADY_EXISTS: 409,
    StatusCode.PERMISSION_DENIED: 403,
    StatusCode.RESOURCE_EXHAUSTED: 429,
    StatusCode.FAILED_PRECONDITION: 400,
    StatusCode.ABORTED: 409,
    StatusCode.OUT_OF_RANGE: 400,
    StatusCode.UNIMPLEMENTED: 501,
    StatusCode.INTERNAL: 500,
    StatusCode.UNAVAILABLE: 503,
    StatusCode.DATA_LOSS: 500,
    StatusCode.UNAUTHENTICATED: 401,
}
"""The statuses of HTTP that Connect maps codes to."""


def http_status(status: Status) -> int:
    """Return the status of HTTP for the end of a call."""
    return _HTTP[status.code]


def problem_of(status: Status) -> dict[str, Any]:
    """Return the error as JSON has it."""
    name = "canceled" if status.code is StatusCode.CANCELLED else status.code.name.lower()
    problem: dict[str, Any] = {"code": name, "message": status.message}
    details = [
        {"type": detail.type_url.rpartition("/")[2], "value": _unpadded(detail.value)}
        for detail in status_pb2.Status.FromString(status.details).details
    ]
    return {**problem, "details": details} if details else problem


def trailers_of(status: Status) -> bytes:
    """Return the end of a call as gRPC-Web writes it: the trailers of gRPC's as lines."""
    trailers = [("grpc-status", str(int(status.code)))]
    if status.message:
        trailers.append(("grpc-message", quote(status.message, safe=" !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~")))
    if status.details:
        trailers.append(("grpc-status-details-bin", _unpadded(status.details)))
    return "".join(f"{key}: {value}\r\n" for key, value in trailers).encode("ascii")


def _unpadded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii").rstrip("=")
