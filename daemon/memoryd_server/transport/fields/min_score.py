"""The minimum score of a search."""

from typing import Any

from memoryd_server.domain import validation


def min_score_of(message: Any, field: str = "min_score") -> float | None:
    """Return the minimum score of a message, 0 to 1; None if it is not set. Raises InvalidField."""
    return validation.importance(field, message.min_score) if message.HasField("min_score") else None
