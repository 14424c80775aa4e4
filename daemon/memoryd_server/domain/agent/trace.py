"""Traces: what stays of a record whose content is erased.

A record's class may name in ``kept_when_erased`` the texts and tuples that stay: its ids, and what other fields depend
on. All other texts, bytes and tuples become empty, also those of fields that are added later. Numbers, enums, times and
flags are not content, and stay.
"""

import enum
from typing import Any, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

RecordPath = tuple[str, ...]
"""The path of a record among all of an agent: the name of the stored record, then its group and its key, or its id.

The beginning of a path stands for all records below it: ("entry", scope_id) for the entries of a scope, () for all.
"""

_EMPTY: dict[type, Any] = {str: "", bytes: b"", tuple: ()}


def without_traces(record: T, *kept: str) -> T:
    """Return a record without what its writer wrote, and without its user. ``kept`` are further fields that stay."""
    stays = {*getattr(type(record), "kept_when_erased", ()), *kept}
    emptied: dict[str, Any] = {}
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if name == "size_bytes":
            emptied[name] = 0
        elif name not in stays and not isinstance(value, enum.Enum):
            emptied[name] = without_traces(value) if isinstance(value, msgspec.Struct) else _emptied(value)
    return msgspec.structs.replace(record, **emptied)


def _emptied(value: Any) -> Any:
    return _EMPTY.get(type(value), value)
