"""The end of a call: a canonical code, a message for people, and details for programs."""

import enum

import msgspec


class StatusCode(enum.IntEnum):
    """The canonical codes of RPC systems, by their numbers in google/rpc/code.proto."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Status(msgspec.Struct, frozen=True):
    """The end of a call. ``details`` is a serialized google.rpc.Status; empty when there is nothing to add.

    ``reason`` is the one that the details name, such as ``STORAGE_FULL``; empty without one.
    """

    code: StatusCode
    message: str = ""
    details: bytes = b""
    reason: str = ""


CANCELLED = Status(StatusCode.CANCELLED)
"""The end of a call whose client has left."""
DEFECT = Status(StatusCode.UNKNOWN)
"""The end of a call that a transport was left with, without a status."""
