"""Reading part of a tool's result: nothing is left out that entities are extracted from."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain.entities.entity_extraction import extract_entities
from memoryd_server.domain.entities.tool_result import read_tool_result
from memoryd_server.domain.error import InvalidField

FIELDS = ["id", "type", "name", "title", "slug", "key", "sectionName", "sectionKey", "matches", "data", "other", "Id"]
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
VALUES: Any = st.recursive(
    SCALARS | st.text(max_size=5) | st.sampled_from(["section", "page"]),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=9),
    max_leaves=40,
)
TOOLS = st.sampled_from(["cms_getPage", "cms_listSections", "fetch"])


@given(VALUES, TOOLS, st.sampled_from([None, 2]))
def test_the_same_entities_are_extracted_as_from_all_of_it(value: Any, tool: str, indent: int | None) -> None:
    read = read_tool_result("result_json", json.dumps(value, indent=indent))
    assert extract_entities(tool, read) == extract_entities(tool, value)


def test_what_is_not_read_is_left_out() -> None:
    items = [{"id": str(number), "name": "N", "body": [1, 2, 3]} for number in range(9)]
    text = json.dumps({"id": {"a": 1}, "other": [[1]], "data": items, "matches": "none"})
    data = [{"id": str(number), "name": "N"} for number in range(5)]
    assert read_tool_result("result_json", text) == {"id": [], "data": data, "matches": None}


def test_the_last_of_repeated_fields_counts_and_names_may_be_escaped() -> None:
    assert read_tool_result("result_json", ' {"id":1,"\\u0069d":2}') == {"id": 2}


@pytest.mark.parametrize(
    "text", ["", " ", "[1", "[1]]", '{"id":1', '{"other":tru}', "{} {}", "'a'", "NaN", '["a", nul]', "[" * 100_000]
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidField):
        read_tool_result("result_json", text)
