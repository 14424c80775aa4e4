"""Decoding of the importance in requests."""

from typing import Any

from memoryd_server.domain import validation
from memoryd_server.domain.limit import IMPORTANCE_DEFAULT


def importance_of(message: Any, field: str = "importance") -> float:
    """Return the importance of a message, 0 to 1; the default if it is not set. Raises InvalidField."""
    return validation.importance(field, message.importance) if message.HasField("importance") else IMPORTANCE_DEFAULT
