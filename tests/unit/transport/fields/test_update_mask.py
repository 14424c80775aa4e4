import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import REPEATS_MAX
from memoryd_server.transport.fields.update_mask import paths_of


def test_each_path_is_taken_once() -> None:
    assert paths_of(FieldMask(paths=["b", "a", "b"]), ("a", "b")) == ["b", "a"]


@pytest.mark.parametrize(
    ("paths", "description"),
    [
        ([], "must not be empty"),
        (["a", "c"], "must not have 'c'; allowed are a, b"),
        (["a"] * (REPEATS_MAX + 1), f"must be at most {REPEATS_MAX}, repeats included"),
    ],
)
def test_a_mask_that_is_not_allowed_is_refused(paths: list[str], description: str) -> None:
    with pytest.raises(InvalidField) as refused:
        paths_of(FieldMask(paths=paths), ("a", "b"), "mask")
    assert (refused.value.field, refused.value.description) == ("mask", description)
