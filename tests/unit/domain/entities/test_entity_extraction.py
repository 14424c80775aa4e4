"""The extraction that the requirements describe, which tests for presence as JavaScript does."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd_server.domain import limit
from memoryd_server.domain.entities.entity import EntityDraft
from memoryd_server.domain.entities.entity_extraction import extract_entities
from memoryd_server.domain.validation import optional_text, size_bytes, text

UUID = "550e8400-e29b-41d4-a716-446655440000"


def extracted(tool_name: str, result: Any, prefix: str = "cms") -> list[tuple[str, str, str, str]]:
    """Return the type, id, name and slug of each extracted entity."""
    return [(each.type, each.entity_id, each.name, each.slug) for each in extract_entities(tool_name, result, prefix)]


def type_by(tool_name: str, prefix: str = "cms") -> str:
    """Return the type that a tool's name indicates."""
    (found,) = extract_entities(tool_name, {"id": "1", "name": "N"}, prefix)
    return found.type


def test_a_single_resource_is_found() -> None:
    page = {"id": UUID, "name": "Home", "slug": "home"}
    assert extracted("cms_getPage", page) == [("page", UUID, "Home", "home")]
    assert extract_entities("cms_getPage", page) == [EntityDraft("page", UUID, "Home", "home", None)]


@pytest.mark.parametrize("field", ["name", "slug", "title"])
def test_a_single_resource_needs_an_id_and_any_name(field: str) -> None:
    assert [each[1] for each in extracted("cms_getPage", {"id": "1", field: "x"})] == ["1"]
    assert extracted("cms_getPage", {field: "x"}) == []
    for nothing in ("", None, 0, False):
        assert extracted("cms_getPage", {"id": "1", field: nothing}) == []
        assert extracted("cms_getPage", {"id": nothing, field: "x"}) == []
    assert extracted("cms_getPage", {"id": "1", "sectionKey": "hero"}) == []


def test_the_first_three_matches_are_found_each_with_its_own_type() -> None:
    matches = [
        {"id": "1", "name": "A", "type": "Page"},
        {"id": "2", "title": "B"},
        {"id": "3"},
        {"id": "4", "name": "D"},
    ]
    assert extracted("cms_findResource", {"matches": matches}) == [
        ("Page", "1", "A", ""),
        ("resource", "2", "B", ""),
        ("resource", "3", "Unnamed resource", ""),
    ]


def test_a_match_that_nothing_names_is_left_out_but_counts() -> None:
    matches = [{"name": "A"}, None, "text", {"id": "4", "name": "D"}]
    assert extracted("cms_findResource", {"matches": matches}) == []
    assert extracted("cms_findResource", {"matches": matches[1:]}) == [("resource", "4", "D", "")]


def test_the_first_five_of_a_list_are_found_sections_by_their_key() -> None:
    pages = [{"id": str(number), "name": f"P{number}"} for number in range(1, 8)]
    assert [each[1] for each in extracted("cms_listPages", pages)] == ["1", "2", "3", "4", "5"]
    assert [each[0] for each in extracted("cms_listPages", pages)] == ["page"] * 5
    assert extracted("cms_listSections", [{"id": "1", "sectionKey": "hero"}]) == [("section", "1", "hero", "")]
    assert extracted("cms_listPages", [{"id": "1"}, None, 3, {"name": "x"}, {"id": "5", "slug": "e"}, pages[0]]) == [
        ("page", "5", "e", "e")
    ]


def test_the_first_five_of_a_page_of_data_are_found() -> None:
    entries = [{"id": number, "title": f"E{number}", "type": "ignored"} for number in range(1, 8)]
    assert extracted("cms_listEntries", {"data": entries}) == [
        ("entry", str(number), f"E{number}", "") for number in range(1, 6)
    ]
    assert extracted("cms_listSections", {"data": [{"id": "1", "sectionKey": "hero"}]}) == []


def test_an_answer_of_many_shapes_is_read_in_their_order() -> None:
    answer = {
        "id": "1",
        "name": "A",
        "type": "Page",
        "data": [{"id": "3", "name": "C"}],
        "matches": [{"id": "2", "name": "B"}],
    }
    assert extracted("any", answer) == [("page", "1", "A", ""), ("page", "2", "B", ""), ("page", "3", "C", "")]


@pytest.mark.parametrize("nothing", [None, False, True, 0, 1.5, "", "text", [], {}, [[]], {"matches": {}, "data": "x"}])
def test_other_shapes_have_no_entities(nothing: Any) -> None:
    assert extracted("customTool", nothing) == []


@pytest.mark.parametrize(
    ("tool_name", "entity_type"),
    [
        ("cms_getPage", "page"),
        ("cms_getSection", "section"),
        ("cms_listEntries", "entry"),
        ("cms_createEntry", "entry"),
        ("cms_getPageSections", "section"),
        ("cms_updateCollection", "collection"),
        ("cms_listCollectionEntries", "collection"),
        ("cms_deleteMediaFile", "media"),
        ("cms_findResource", "resource"),
        ("cms_getCustomer", "customer"),
        ("cms_getUser_2", "user_2"),
        ("mcp.cms_getPage.v2", "page"),
        ("cms_getX", "resource"),
        ("cms_getpage", "resource"),
        ("cms_publishPage", "resource"),
        ("crm_getPage", "resource"),
        ("customTool", "resource"),
        ("cms_getÄpfel", "resource"),
    ],
)
def test_the_type_comes_from_the_tools_name(tool_name: str, entity_type: str) -> None:
    assert type_by(tool_name) == entity_type


def test_the_prefix_of_tools_is_a_text_that_may_be_chosen() -> None:
    assert type_by("crm_getCustomer", "crm") == "customer"
    assert type_by("cms_getPage", "crm") == "resource"
    assert type_by("axb_getPage", "a.b") == "resource"
    assert type_by("a.b_getPage", "a.b") == "page"


@pytest.mark.parametrize(
    ("said", "entity_type"), [("Page", "page"), ("PageSection", "section"), ("NEWS", "news"), (7, "7")]
)
def test_the_type_of_the_answer_goes_first_in_lower_case(said: Any, entity_type: str) -> None:
    (found,) = extract_entities("cms_getMedia", {"id": "1", "name": "N", "type": said})
    assert found.type == entity_type


@pytest.mark.parametrize("said", ["", None, {"a": 1}, ["page"], True, "x" * 129, "two\nlines"])
def test_a_type_that_cannot_be_kept_is_passed_over(said: Any) -> None:
    (found,) = extract_entities("cms_getMedia", {"id": "1", "name": "N", "type": said})
    assert found.type == "media"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"name": "N", "title": "T", "slug": "s"}, "N"),
        ({"name": "", "title": "T", "slug": "s"}, "T"),
        ({"slug": "s"}, "s"),
        ({"name": {"de": "N"}, "slug": "s"}, "s"),
        ({"name": {"de": "N"}}, "Unnamed page"),
        ({"name": 404}, "404"),
        ({"name": "two\nlines"}, "two\nlines"),
        ({"name": "ü" * 400}, "ü" * 256),
    ],
)
def test_a_name_is_the_first_there_is(said: dict[str, Any], name: str) -> None:
    (found,) = extract_entities("cms_getPage", {"id": "1", **said})
    assert found.name == name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"sectionName": "A", "sectionKey": "b", "name": "C", "key": "d"}, "A"),
        ({"sectionKey": "b", "name": "C", "key": "d"}, "b"),
        ({"name": "C", "key": "d"}, "C"),
        ({"title": "T", "key": "d"}, "d"),
        ({"title": "T"}, "Unnamed Section"),
    ],
)
@pytest.mark.parametrize("entity_type", ["section", "pagesection"])
def test_a_section_has_names_of_its_own(said: dict[str, Any], name: str, entity_type: str) -> None:
    (found,) = extract_entities("any", {"id": "1", "type": entity_type, **said})
    assert (found.type, found.name) == ("section", name)


@pytest.mark.parametrize(
    ("said", "entity_id"), [(7, "7"), (7.0, "7"), (7.5, "7.5"), (-3, "-3"), (2**64, str(2**64)), ("x" * 512, "x" * 512)]
)
def test_numbers_are_ids(said: Any, entity_id: str) -> None:
    assert [each[1] for each in extracted("cms_getPage", {"id": said, "name": "N"})] == [entity_id]


@pytest.mark.parametrize(
    "said", [True, {}, {"$oid": "1"}, ["1"], "x" * 513, " ", "a\nb", "\ud800", 10**600, math.inf, math.nan]
)
def test_what_is_no_id_leaves_the_entity_out(said: Any) -> None:
    assert extracted("cms_getPage", {"id": said, "name": "N"}) == []


def test_a_slug_that_cannot_be_kept_is_passed_over() -> None:
    for said in ("", None, {"a": 1}, "x" * 513, "a\nb"):
        assert extracted("cms_getPage", {"id": "1", "name": "N", "slug": said}) == [("page", "1", "N", "")]
    assert extracted("cms_getPage", {"id": "1", "name": "N", "slug": 5}) == [("page", "1", "N", "5")]


ODD_TEXTS = st.text(st.characters(exclude_categories=[])) | st.text(min_size=100).map(lambda part: part * 6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXTS
FIELDS = st.sampled_from(["id", "type", "name", "title", "slug", "sectionKey", "sectionName", "key", "matches", "data"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(FIELDS | ODD_TEXTS, inner), max_leaves=30
)
NAMED = st.fixed_dictionaries({"id": SCALARS, "name": SCALARS}, optional={"type": SCALARS, "slug": SCALARS})


@given(ODD_TEXTS, VALUES | NAMED | st.lists(NAMED) | st.fixed_dictionaries({"matches": st.lists(NAMED)}), st.text())
def test_whatever_a_tool_answers_what_is_found_can_be_kept(tool_name: str, result: Any, prefix: str) -> None:
    for found in extract_entities(tool_name, result, prefix):
        assert text("type", found.type, limit.ENTITY_TYPE_BYTES_MAX)
        assert text("entity_id", found.entity_id, limit.ENTITY_ID_BYTES_MAX)
        assert 1 <= size_bytes(found.name) <= limit.ENTITY_NAME_BYTES_MAX
        assert optional_text("slug", found.slug, limit.ENTITY_SLUG_BYTES_MAX) == found.slug


def test_a_deep_answer_is_read_no_deeper_than_its_shape() -> None:
    deep = json.loads("[" * 900 + "]" * 900)
    assert extracted("cms_getPage", {"id": "1", "name": deep, "data": deep}) == [("page", "1", "Unnamed page", "")]
