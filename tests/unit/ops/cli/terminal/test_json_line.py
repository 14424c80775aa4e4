import json

from tests.unit.ops.cli.answer import ENTRY, entry, event

from memoryd import EntryEvent, EventType
from memoryd_server.ops.cli.terminal.json_line import to_json


def test_an_entry_has_its_value_embedded_and_the_names_of_the_contract() -> None:
    assert json.loads(to_json(ENTRY)) == {
        "key": "user",
        "value": {"name": "Ada"},
        "entry_id": "e1",
        "type_name": "dict",
        "type": "fact",
        "importance": 0.5,
        "tags": ["a", "b"],
        "metadata": {"turn": 1},
        "scope_id": "",
        "revision": 7,
        "create_time": "2026-11-21T12:30:15.250000Z",
        "update_time": "2026-11-21T12:30:15.250000Z",
        "expire_time": None,
        "access_count": 2,
        "last_access_time": None,
        "user_id": "",
    }


def test_a_value_keeps_every_digit_and_needs_one_line() -> None:
    line = to_json(entry(value_json='[1.10,\n 1e400,\r\n "é"]'))
    assert '"value":[1.10, 1e400, "é"],' in line
    assert "\n" not in line


def test_an_event_has_its_entry_inside() -> None:
    printed = json.loads(to_json(event(EventType.ENTRY_SET, EntryEvent("", "user", ENTRY))))
    assert printed["type"] == "entry_set"
    assert printed["subject"]["entry"]["value"] == {"name": "Ada"}
