"""What many requests have in common: request ids, pages, and how old an answer may be."""

import hashlib
from typing import Any, Protocol

from google.protobuf.message import Message

from memoryd_server.domain import limit, validation
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.token import digest
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.timestamp import duration_within


class Paged(Protocol):
    """A request for a page."""

    page_size: int
    page_token: str


def request_key_of(request: Any, call: Call, rest: bytes = b"") -> RequestKey | None:
    """The request's id with a digest of its body, None without one. Raises InvalidField.

    ``rest`` stands for what belongs to the body and came beside the request.
    """
    request_id: str = request.request_id
    if not request_id:
        return None
    validation.text("request_id", request_id, limit.REQUEST_ID_BYTES_MAX)
    body = request.SerializeToString(deterministic=True)
    fingerprint = hashlib.blake2b(body + rest, digest_size=16, person=digest(call.method)).digest()
    return RequestKey(request_id, fingerprint)


def max_staleness_of(request: Any) -> int:
    """How old the answer may be, in ns; 0 for not at all. Raises InvalidField."""
    if not request.HasField("max_staleness"):
        return 0
    return duration_within("max_staleness", request.max_staleness, 0, limit.STALENESS_NS_MAX)


def page_request_of(request: Any, call: Call) -> PageRequest:
    """Which page is asked for. Raises InvalidField."""
    size = validation.within("page_size", request.page_size, 0, 2**31 - 1)
    return PageRequest(
        _listing_digest(request, call), min(size or limit.PAGE_SIZE_DEFAULT, limit.PAGE_SIZE_MAX), request.page_token
    )


def _listing_digest(request: Message, call: Call) -> bytes:
    asked = type(request)()
    asked.CopyFrom(request)
    asked.ClearField("page_token")
    asked.ClearField("page_size")
    if "max_staleness" in asked.DESCRIPTOR.fields_by_name:
        asked.ClearField("max_staleness")
    return digest(call.method, asked.SerializeToString(deterministic=True).hex())
