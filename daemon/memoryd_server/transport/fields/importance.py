"""How important a writer says that something is."""

from typing import Any

from memoryd_server.domain import validation
from memoryd_server.domain.limit import IMPORTANCE_DEFAULT


def importance_of(message: Any, field: str = "importance") -> float:
    """From 0 to 1; the default where the writer says nothing. Raises InvalidField."""
    return validation.importance(field, message.importance) if message.HasField("importance") else IMPORTANCE_DEFAULT
