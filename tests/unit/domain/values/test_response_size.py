import json
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import struct_pb2
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.values.response_size import response_bytes, struct_growth

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)

NESTED: Any = []
for _ in range(60):
    NESTED = [NESTED]

DIGITS: Any = [1] * 3_000


def struct_bytes(fields: dict[str, Any]) -> int:
    message = struct_pb2.Struct()
    message.update(fields)
    return message.ByteSize()


@pytest.mark.whole
@given(st.dictionaries(st.text(), VALUES))
def test_a_struct_is_never_larger_than_is_counted(fields: dict[str, Any]) -> None:
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    assert struct_bytes(fields) <= len(text.encode()) + struct_growth(text)


@pytest.mark.parametrize(
    "value", [DIGITS, [[]] * 3_000, [{}] * 3_000, NESTED, {"": 1}, {str(n): n for n in range(999)}]
)
def test_metadata_of_many_small_values_is_counted_whole(value: Any) -> None:
    text = json.dumps({"a": value}, separators=(",", ":"))
    assert struct_bytes({"a": value}) <= len(text) + struct_growth(text)


def test_a_record_counts_with_its_metadata_as_a_struct() -> None:
    assert response_bytes(SimpleNamespace(size_bytes=7)) == 7
    assert response_bytes(SimpleNamespace(size_bytes=7, metadata_json="")) == 7
    text = json.dumps({"a": DIGITS})
    assert response_bytes(SimpleNamespace(size_bytes=len(text), metadata_json=text)) >= struct_bytes({"a": DIGITS})
