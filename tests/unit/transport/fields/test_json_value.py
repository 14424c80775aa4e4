"""JSON values as messages: the same as google.protobuf.json_format makes of them."""

import json
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.fields.json_value import json_text_of, write_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(plain=st.dictionaries(st.text(), VALUES, max_size=3))
def test_an_object_is_written_as_by_the_library_and_read_back(plain: dict[str, Any]) -> None:
    message, expected = struct_pb2.Struct(), struct_pb2.Struct()
    write_json(json.dumps(plain), message)
    json_format.ParseDict(plain, expected)
    assert message == expected
    assert json.loads(json_text_of(message, "f")) == plain == json_format.MessageToDict(message)


def test_whole_doubles_are_integers_unless_they_have_lost_digits() -> None:
    values = struct_pb2.ListValue(
        values=[struct_pb2.Value(number_value=each) for each in (1.0, -0.5, 2.0**53, 2.0**54)]
    )
    text = json_text_of(struct_pb2.Value(list_value=values), "f")
    assert text == "[1,-0.5,9007199254740992,1.8014398509481984e+16]"


def test_a_value_that_is_not_set_is_null() -> None:
    assert json_text_of(struct_pb2.Value(), "f") == "null"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    with pytest.raises(InvalidField, match="must be finite"):
        json_text_of(struct_pb2.Value(number_value=number), "f")
