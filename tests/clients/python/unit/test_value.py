import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import UnsupportedValue, WrongType
from memoryd.model.value import checked, decode, encode

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES)
def test_a_value_survives_a_round_trip_and_is_encoded_as_utf_8(value: Any) -> None:
    text = encode(value)
    assert text.encode()
    assert decode(text) == value


@pytest.mark.parametrize("value", [object(), {object()}, math.nan, math.inf, {(1, 2): 3}, "\ud800"])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(UnsupportedValue):
        encode(value)


def test_an_endless_value_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(UnsupportedValue):
        encode(value)


@pytest.mark.parametrize(
    ("value", "expected"), [(1, int), (1.5, float), ("a", str), (True, bool), ([1], list), ({}, dict), (True, object)]
)
def test_a_value_of_the_expected_type_is_answered(value: Any, expected: type[Any]) -> None:
    assert checked(value, expected, "k") == value


def test_an_integer_is_also_a_float() -> None:
    assert type(checked(1, float, "k")) is float


@pytest.mark.parametrize(
    ("value", "expected"), [("1", int), (1.0, int), (True, int), (True, float), (None, str), ({}, list)]
)
def test_another_type_is_refused_with_both_names(value: Any, expected: type[Any]) -> None:
    with pytest.raises(WrongType, match="the value of 'k' is") as caught:
        checked(value, expected, "k")
    assert (caught.value.expected, caught.value.actual) == (expected.__name__, type(value).__name__)
    assert isinstance(caught.value, TypeError)
