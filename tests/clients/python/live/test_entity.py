from datetime import UTC, datetime

import pytest

import memoryd
from memoryd import Entity, errors

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_a_window_keeps_what_was_touched_last(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    assert (window.recent(), window.size(), window.prompt_text()) == ([], 0, "")
    kept = window.add(Entity("page", "p1", "Home", "home", NOON), Entity("page", "p2", "About"), window_size=2)
    assert (kept.session_id, kept.agent_id, kept.window_size, kept.revision) == ("chat", agent.agent_id, 2, 1)
    assert [each.id for each in kept.entities] == ["p2", "p1"]
    assert kept.entities[1] == Entity("page", "p1", "Home", "home", NOON)
    assert kept.entities[0].access_time == kept.create_time == kept.update_time
    window.add(Entity("entry", "e1", "One"))
    assert [each.id for each in window.recent()] == ["e1", "p2"]
    assert [each.id for each in window.recent(1)] == ["e1"]
    assert window.size() == 2
    assert window.prompt_text() == '[WORKING MEMORY]\nentries:\n  - "One" (e1)\npages:\n  - "About" (p2)'
    assert window.clear() == 2
    assert window.clear() == 0
    assert (window.session_id, window.size()) == ("chat", 0)


def test_entities_are_found_in_what_tools_answer(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    found = window.extract("cms_getPage", {"id": 1, "title": "Home"})
    assert found == [Entity("page", "1", "Home")]
    assert window.extract("crm_getCustomer", memoryd.Json('{"id": "c1", "name": "Ada"}'), dry_run=True) == [
        Entity("resource", "c1", "Ada")
    ]
    assert [each.type for each in window.extract("crm_getCustomer", {"id": 2, "name": "A"}, tool_prefix="crm")] == [
        "customer"
    ]
    assert [each.id for each in window.recent()] == ["2", "1"]
    assert window.extract("cms_getPage", None) == []


def test_a_window_is_written_as_json_and_loaded_again(agent: memoryd.Agent) -> None:
    window, copy = agent.entities("chat"), agent.entities("copy")
    many = [Entity("page", f"p{number}", "Page", access_time=NOON) for number in range(1_000)]
    window.add(*many, window_size=1_000)
    copy.add(Entity("page", "gone", "Gone"), window_size=1_000)
    state = window.to_json()
    assert copy.load_json(state).entities == tuple(reversed(many))
    assert copy.to_json() == state
    assert [each.id for each in agent.entities("small").load_json(state).entities] == [
        f"p{number}" for number in range(999, 989, -1)
    ]
    with pytest.raises(errors.RevisionMismatch):
        copy.load_json(state, expected_revision=0)
    with pytest.raises(errors.RevisionMismatch):
        copy.clear(expected_revision=1)
    assert copy.add(replace=True).entities == ()


def test_changes_of_windows_cause_events(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    window.add(Entity("page", "p1", "Home"))
    window.clear()
    window.add(Entity("page", "p2", "About"))
    cleared = agent.clear_all([memoryd.MemoryKind.ENTITY])
    assert cleared.records_cleared == 1
    updated, removed, _, all_removed = agent.events()
    assert (updated.type, updated.cause) == (memoryd.EventType.ENTITIES_UPDATED, memoryd.EventCause.REQUEST)
    assert updated.entity_window is not None
    assert [each.id for each in updated.entity_window.entities] == ["p1"]
    assert removed.type is memoryd.EventType.ENTITIES_CLEARED
    assert removed.entity_window is not None
    assert (removed.entity_window.session_id, removed.entity_window.entities) == ("chat", ())
    assert (all_removed.type, all_removed.memory_kind, all_removed.record_count) == (
        memoryd.EventType.RECORDS_CLEARED,
        memoryd.MemoryKind.ENTITY,
        1,
    )


async def test_the_async_client_does_the_same(aio_agent: memoryd.aio.Agent) -> None:
    window = aio_agent.entities("chat")
    assert (await window.add(Entity("page", "p1", "Home", access_time=NOON))).revision == 1
    assert await window.extract("cms_getPage", {"id": "p2", "name": "About"}) == [Entity("page", "p2", "About")]
    assert [each.id for each in await window.recent()] == ["p2", "p1"]
    assert (await window.size(), (await window.prompt_text()).splitlines()[1]) == (2, "pages:")
    state = await window.to_json()
    assert (window.session_id, await window.clear()) == ("chat", 2)
    assert [each.id for each in (await window.load_json(state)).entities] == ["p2", "p1"]
    assert await window.to_json() == state
