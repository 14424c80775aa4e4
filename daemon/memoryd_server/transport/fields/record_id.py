"""Decoding of the ids that clients may choose for records."""

import re

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import RECORD_ID_BYTES_MAX

_RECORD_ID = re.compile(rf"[A-Za-z0-9._:-]{{1,{RECORD_ID_BYTES_MAX}}}")


def record_id_of(field: str, value: str) -> str:
    """Return the id of a record, if it is valid. Raises InvalidField."""
    if not _RECORD_ID.fullmatch(value):
        described = f"must be 1 to {RECORD_ID_BYTES_MAX} letters, digits, dots, colons, underscores and hyphens"
        raise InvalidField(field, described)
    return value
