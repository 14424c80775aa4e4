"""Decoding of the tags that select records."""

from typing import Any

from memoryd_server.domain import validation
from memoryd_server.domain.values.tag_filter import TagFilter


def tag_filter_of(request: Any) -> TagFilter:
    """Decode ``all_tags`` and ``any_tags`` of a listing. Raises InvalidField."""
    return TagFilter(
        frozenset(validation.tags("all_tags", request.all_tags)),
        frozenset(validation.tags("any_tags", request.any_tags)),
    )
