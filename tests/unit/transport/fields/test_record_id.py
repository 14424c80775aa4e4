import pytest

from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.fields.record_id import record_id_of


def test_an_id_has_no_characters_but_those_that_are_allowed() -> None:
    assert record_id_of("note_id", "a.B:c_d-1" + "x" * 119) == "a.B:c_d-1" + "x" * 119
    for value in ("", "a b", "a/b", "a\n", "é", "x" * 129):
        with pytest.raises(InvalidField) as refused:
            record_id_of("from_memory_id", value)
        assert refused.value.field == "from_memory_id"
