"""Decoding of fields that many requests share: request ids, pages, and maximum staleness."""

from functools import cache
from hashlib import blake2b
from typing import Any, Protocol

from google.protobuf.message import Message

from memoryd_server.domain import limit, validation
from memoryd_server.domain.agent.author import Author
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.error import InvalidField
from memoryd_server.engine.agents.consistency import CURRENT, Consistency
from memoryd_server.engine.agents.listing import PageRequest
from memoryd_server.engine.agents.request_window import RequestKey
from memoryd_server.engine.agents.token import digest
from memoryd_server.engine.agents.write import Write
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.timestamp import duration_within


class Paged(Protocol):
    """A request for a page."""

    page_size: int
    page_token: str


def write_of(request: Any, call: Call, rest: bytes = b"") -> Write:
    """Return who makes a change, with its request id, and the condition on the agent. Raises InvalidField.

    ``rest`` is the digest of parts of the body that are not in ``request``, such as the file of an upload.
    """
    request_id: str = request.request_id
    key = request_key_of(request, call, rest) if request_id else None
    precondition = precondition_in(request, "agent_precondition") if request.HasField("agent_precondition") else None
    author = Author(call.origin, call.caller.name, request_id)
    # Every set of an entry passes here: a call of ``features`` would cost it more than this line.
    features = call.policy.own_features if call.policy.further_features is None else call.policy.features(request)
    return Write(author, key, precondition, call.caller.tier, features)


def request_key_of(request: Any, call: Call, rest: bytes = b"") -> RequestKey:
    """Return the id of a request that has one, with a digest of the request's body. Raises InvalidField."""
    validation.text("request_id", request.request_id, limit.REQUEST_ID_BYTES_MAX)
    return RequestKey(request.request_id, body_digest(request, call, rest))


def body_digest(request: Message, call: Call, rest: bytes = b"") -> bytes:
    """Return a digest of a request's method and body. ``rest`` is the digest of parts that are not in ``request``.

    The body is serialized again, not taken as it came: a client that repeats a request may serialize the elements of a
    map in another order.
    """
    body = request.SerializeToString(deterministic=True)
    return blake2b(body + rest if rest else body, digest_size=16, person=_person_of(call.policy.name)).digest()


@cache
def _person_of(method: str) -> bytes:
    return digest(method)


def precondition_of(request: Any) -> Precondition | None:
    """Return the condition on the thing that a request changes, None without one. Raises InvalidField."""
    return precondition_in(request, "precondition")


def precondition_in(request: Any, field: str) -> Precondition | None:
    """Return the precondition in a field of a request, None without one. Raises InvalidField."""
    if not request.HasField(field):
        return None
    message = getattr(request, field)
    condition = message.WhichOneof("condition")
    if condition is None:
        raise InvalidField(field, "must have a condition")
    if condition == "expected_revision":
        if message.expected_revision < 0:
            raise InvalidField(f"{field}.expected_revision", "must not be negative")
        return Precondition(expected_revision=message.expected_revision)
    if not getattr(message, condition):
        raise InvalidField(f"{field}.{condition}", "must be true if set")
    return Precondition(must_not_exist=condition == "must_not_exist", must_exist=condition == "must_exist")


def consistency_of(request: Any) -> Consistency:
    """Return how current the response must be. Raises InvalidField."""
    if not request.HasField("consistency"):
        return CURRENT
    message = request.consistency
    requirement = message.WhichOneof("requirement")
    if requirement is None:
        raise InvalidField("consistency", "must have a requirement")
    if requirement == "min_revision":
        return Consistency(
            min_revision=validation.within("consistency.min_revision", message.min_revision, 0, 2**63 - 1)
        )
    field, staleness = "consistency.max_staleness", message.max_staleness
    return Consistency(max_staleness_ns=duration_within(field, staleness, 0, limit.STALENESS_NS_MAX))


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
    if "consistency" in listing.DESCRIPTOR.fields_by_name:
        listing.ClearField("consistency")
    return digest(call.policy.name, listing.SerializeToString(deterministic=True).hex())
