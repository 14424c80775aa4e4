"""Decoding of the users whom records belong to."""

from typing import Any

from memoryd_server.domain import validation
from memoryd_server.domain.limit import USER_ID_BYTES_MAX


def user_id_of(field: str, value: str) -> str:
    """Return the user of a record, empty for none. Raises InvalidField."""
    return validation.text(field, value, USER_ID_BYTES_MAX) if value else ""


def user_filter_of(message: Any) -> str | None:
    """Return the user whose records are selected: empty for those of no user, None for all. Raises InvalidField."""
    return user_id_of("user_id", message.user_id) if message.HasField("user_id") else None
