"""Decoding of update masks: the fields that an update takes from a draft."""

from collections.abc import Collection

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.validation import distinct


def paths_of(mask: FieldMask, known: Collection[str], field: str = "update_mask") -> list[str]:
    """Return the paths of a mask, each once. Raises InvalidField for an empty mask, and for a path that is not known.

    A mask that repeats a path of large content could block the event loop.
    """
    if not mask.paths:
        raise InvalidField(field, "must not be empty")
    paths = distinct(field, mask.paths)
    for path in paths:
        if path not in known:
            raise InvalidField(field, f"must not have {path!r}; allowed are {', '.join(known)}")
    return paths
