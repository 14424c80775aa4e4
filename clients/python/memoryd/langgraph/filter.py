"""Which items the filter of a search keeps."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether an item's value has all that is wanted. Raises ValueError for an operator that is not known."""
    return all(_matches(value.get(field), expected) for field, expected in (wanted or {}).items())


def _matches(actual: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping):
        if any(name.startswith("$") for name in expected):
            return all(_compares(actual, name, operand) for name, operand in expected.items())
        return isinstance(actual, Mapping) and passes(actual, expected)
    if isinstance(expected, list | tuple):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(_matches, actual, expected))
    return bool(actual == expected)


def _compares(actual: Any, name: str, operand: Any) -> bool:
    if name == "$eq":
        return bool(actual == operand)
    if name == "$ne":
        return bool(actual != operand)
    if name not in _ORDERS:
        raise ValueError(f"the filter's operator {name!r} is none of $eq, $ne, $gt, $gte, $lt, $lte")
    both_ordered = (_is_number(actual) and _is_number(operand)) or (
        isinstance(actual, str) and isinstance(operand, str)
    )
    return both_ordered and _ORDERS[name](actual, operand)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
