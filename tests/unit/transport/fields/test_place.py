"""The place of a refused field."""

import pytest

from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.fields.place import below


def test_a_field_is_named_by_its_whole_path() -> None:
    with pytest.raises(InvalidField, match="is too long") as refusal, below("header"):
        raise InvalidField("create.title", "is too long")
    assert refusal.value.field == "header.create.title"
