"""Decoding of the users whom records belong to."""

from memoryd_server.domain import validation
from memoryd_server.domain.limit import USER_ID_BYTES_MAX


def user_id_of(field: str, value: str) -> str:
    """Return the user of a record, empty for none. Raises InvalidField."""
    return validation.text(field, value, USER_ID_BYTES_MAX) if value else ""
