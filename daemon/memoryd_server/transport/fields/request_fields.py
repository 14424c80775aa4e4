"""Decoding of fields that many requests share: request ids, pages, and maximum staleness."""

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
    """Return the request's id with a digest of its body; None without an id. Raises InvalidField.

    ``rest`` is the digest of parts of the body that are not in ``request``, such as the file of an upload.
    """
    request_id: str = request.request_id
    if not request_id:
        return None
    validation.text("request_id", request_id, limit.REQUEST_ID_BYTES_MAX)
    body = request.SerializeToString(deterministic=True)
    fingerprint = hashlib.blake2b(body + rest, digest_size=16, person=digest(call.method)).digest()
    return RequestKey(request_id, fingerprint)


def max_staleness_of(request: Any) -> int:
    """Return the request's maximum staleness in ns, by default 0. Raises InvalidField."""
    if not request.HasField("max_staleness"):
        return 0
    return duration_within("max_staleness", request.max_staleness, 0, limit.STALENESS_NS_MAX)


def page_request_of(request: Any, call: Call) -> PageRequest:
    """Decode the requested page. Raises InvalidField."""
    size = validation.within("page_size", request.page_size, 0, 2**31 - 1)
    return PageRequest(
        _listing_digest(request, call), min(size or limit.PAGE_SIZE_DEFAULT, limit.PAGE_SIZE_MAX), request.page_token
    )


def _listing_digest(request: Message, call: Call) -> bytes:
    """Return a digest of the request, which must be the same for all pages of one listing."""
    listing = type(request)()
    listing.CopyFrom(request)
    listing.ClearField("page_token")
    listing.ClearField("page_size")
    if "max_staleness" in listing.DESCRIPTOR.fields_by_name:
        listing.ClearField("max_staleness")
    return digest(call.method, listing.SerializeToString(deterministic=True).hex())
