from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from memoryd.errors import UnsupportedValue
from memoryd.model.entry import metadata_from, write_metadata


def test_metadata_is_read_as_it_was_written() -> None:
    metadata = {"n": 3, "f": 0.5, "list": [1, {"deep": None}], "text": "ü", "flag": True}
    message = Struct()
    write_metadata(message, metadata)
    assert metadata_from(message) == metadata


def _nested(depth: int) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    for _ in range(depth):
        metadata = {"in": metadata}
    return metadata


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"at": object()}, r"at \$\.at there is a value of type object"),
        ({"text": "\ud800"}, "lone surrogate"),
        ({"key\ud800": 1}, "lone surrogate in a key"),
        ({1: "one"}, "metadata cannot be written"),
        (_nested(5_000), "metadata cannot be written"),
    ],
)
def test_metadata_that_json_cannot_represent_is_refused_with_its_place(metadata: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedValue, match=reason):
        write_metadata(Struct(), metadata)
