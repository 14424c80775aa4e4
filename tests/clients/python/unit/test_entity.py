import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import UnsupportedValue
from memoryd.model.entity import Entity, entities_of_json, json_of
from memoryd.protocol.entity import WindowName, add_entities, extract_entities, load_entities

WINDOW = WindowName("agent", "chat")
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)

TEXTS = st.text(min_size=1)
ENTITIES = st.builds(Entity, TEXTS, TEXTS, TEXTS, st.text(), st.none() | st.datetimes(timezones=st.sampled_from([UTC])))


def test_a_window_is_written_as_the_requirements_say() -> None:
    entities = [Entity("page", "p1", "Größe", "home", NOON), Entity("entry", "e1", "One")]
    assert json.loads(json_of(entities)) == {
        "entities": [
            {"type": "page", "id": "p1", "name": "Größe", "slug": "home", "timestamp": "2026-01-02T12:00:00Z"},
            {"type": "entry", "id": "e1", "name": "One"},
        ]
    }


def test_a_window_that_another_program_wrote_is_read() -> None:
    text = '{"entities": [{"type": "page", "id": "p1", "name": "Home", "slug": "home", "timestamp": "%s", "x": 1}]}'
    assert entities_of_json(text % "2026-01-02T12:00:00.000Z") == [Entity("page", "p1", "Home", "home", NOON)]
    (east,) = entities_of_json(text % "2026-01-02T14:00:00+02:00")
    assert east.last_access_time == NOON.astimezone(timezone(timedelta(hours=2)))


@given(st.lists(ENTITIES))
def test_a_window_is_read_as_it_was_written(entities: list[Entity]) -> None:
    assert entities_of_json(json_of(entities)) == entities


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"entities": {}}',
        '{"entities": [1]}',
        '{"entities": [{"type": "page", "id": 1, "name": "Home"}]}',
        '{"entities": [{"type": "page", "id": "p1"}]}',
        '{"entities": [{"type": "page", "id": "p1", "name": "Home", "timestamp": "noon"}]}',
        '{"entities": [{"type": "page", "id": "p1", "name": "Home", "timestamp": 5}]}',
    ],
)
def test_an_invalid_window_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        entities_of_json(text)


def test_a_time_without_a_zone_is_refused() -> None:
    text = '{"entities": [{"type": "page", "id": "p1", "name": "Home", "timestamp": "2026-01-02T12:00:00"}]}'
    with pytest.raises(ValueError, match="time zone"):
        load_entities(WINDOW, text, expected_revision=None)


def test_a_window_is_loaded_in_its_order_newest_first() -> None:
    text = json_of([Entity("page", "new", "N"), Entity("page", "old", "O")])
    request = load_entities(WINDOW, text, expected_revision=0).request
    assert [each.entity_id for each in request.entities] == ["new", "old"]
    assert request.precondition.expected_revision == 0


def test_a_user_that_is_not_given_is_absent() -> None:
    assert not add_entities(WINDOW, [], {}).request.HasField("user_id")
    assert add_entities(WINDOW, [], {"user_id": ""}).request.HasField("user_id")


def test_a_value_that_is_not_json_is_refused_by_the_client() -> None:
    with pytest.raises(UnsupportedValue):
        extract_entities(WINDOW, "cms_getPage", {object()}, tool_prefix="", dry_run=False, expected_revision=None)
