"""Decoding of the expiry in requests."""

from typing import Any

from memoryd_server.domain import limit
from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.fields.timestamp import duration_within, time_ns


def expire_time_of(message: Any, now: int, place: str = "") -> int:
    """Return the time of a message's ``expiry``, which must be set.

    ``place`` is the path of the message in the request, such as ``"draft."``. Raises InvalidField.
    """
    expiry = message.WhichOneof("expiry")
    if expiry == "ttl":
        return now + duration_within(f"{place}ttl", message.ttl, 1, limit.EXPIRY_NS_MAX)
    moment = time_ns(f"{place}expire_time", message.expire_time)
    if not now < moment <= now + limit.EXPIRY_NS_MAX:
        raise InvalidField(f"{place}expire_time", "must be in the future, and within 100 years")
    return moment
