"""The filter of a search in a store."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def passes(value: Mapping[str, Any], conditions: Mapping[str, Any] | None) -> bool:
    """Return True if an item's value meets all conditions. Raises ValueError for an unknown operator."""
    return all(_matches(value.get(field), expected) for field, expected in (conditions or {}).items())


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
        raise ValueError(f"unknown filter operator {name!r}: use $eq, $ne, $gt, $gte, $lt or $lte")
    both_ordered = (_is_number(actual) and _is_number(operand)) or (
        isinstance(actual, str) and isinstance(operand, str)
    )
    return both_ordered and _ORDERS[name](actual, operand)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
