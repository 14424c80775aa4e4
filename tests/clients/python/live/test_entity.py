from datetime import UTC, datetime

import pytest

import memoryd
from memoryd import Entity, errors

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def test_a_window_keeps_what_was_touched_last(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    nothing = window.get()
    assert (nothing.entities, nothing.window_size, nothing.create_time, nothing.revision) == ((), 10, None, 0)
    assert window.prompt_text() == ""
    kept = window.add(Entity("page", "p1", "Home", "home", NOON), Entity("page", "p2", "About"), window_size=2)
    assert (kept.conversation_id, kept.agent_id, kept.window_size, kept.revision) == ("chat", agent.agent_id, 2, 1)
    assert [each.entity_id for each in kept.entities] == ["p2", "p1"]
    assert kept.entities[1] == Entity("page", "p1", "Home", "home", NOON)
    assert kept.entities[0].last_access_time == kept.create_time == kept.update_time
    window.add(Entity("entry", "e1", "One"))
    assert [each.entity_id for each in window.get().entities] == ["e1", "p2"]
    assert window.prompt_text() == '[WORKING MEMORY]\nentries:\n  - "One" (e1)\npages:\n  - "About" (p2)'
    assert window.clear() == 2
    assert window.clear() == 0
    assert (window.conversation_id, window.get().revision) == ("chat", 0)


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
    assert [each.entity_id for each in window.get().entities] == ["2", "1"]
    assert window.extract("cms_getPage", None) == []


def test_a_window_is_written_as_json_and_loaded_again(agent: memoryd.Agent) -> None:
    window, copy = agent.entities("chat"), agent.entities("copy")
    many = [Entity("page", f"p{number}", "Page", last_access_time=NOON) for number in range(1_000)]
    window.add(*many, window_size=1_000)
    copy.add(Entity("page", "gone", "Gone"), window_size=1_000)
    state = window.to_json()
    assert copy.load_json(state).entities == tuple(reversed(many))
    assert copy.to_json() == state
    assert [each.entity_id for each in agent.entities("small").load_json(state).entities] == [
        f"p{number}" for number in range(999, 989, -1)
    ]
    with pytest.raises(errors.RevisionMismatch):
        copy.load_json(state, expected_revision=0)
    with pytest.raises(errors.RevisionMismatch):
        copy.clear(expected_revision=1)
    assert copy.set().entities == ()


def test_entities_are_replaced_newest_first(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    window.add(Entity("page", "old", "Old"), user_id="ada")
    kept = window.set(Entity("page", "p1", "Home"), Entity("page", "p2", "About"), window_size=5, expected_revision=1)
    assert ([each.entity_id for each in kept.entities], kept.window_size, kept.user_id) == (["p1", "p2"], 5, "ada")
    assert window.get() == kept
    with pytest.raises(errors.RevisionMismatch):
        window.set(expected_revision=1)
    with pytest.raises(errors.RevisionMismatch):
        window.extract("cms_getPage", {"id": 1, "title": "Home"}, expected_revision=1)
    agent.entities("other").add(Entity("page", "p1", "Home"))
    assert [each.conversation_id for each in agent.entity_windows(all_users=True)] == ["chat", "other"]
    assert list(agent.entity_windows(user_id="ada")) == [kept]
    assert [each.conversation_id for each in agent.entity_windows(user_id="")] == ["other"]
    (last, _) = agent.entity_windows(all_users=True, order="create_time_descending", view="without_content")
    assert (last.conversation_id, last.entities[0].entity_id, last.entities[0].name) == ("other", "p1", "")


def test_changes_of_windows_cause_events(agent: memoryd.Agent) -> None:
    window = agent.entities("chat")
    window.add(Entity("page", "p1", "Home"))
    window.clear()
    window.add(Entity("page", "p2", "About"))
    window.add(Entity("page", "p3", "Team"))
    counts = {memoryd.RecordKind.ENTITY_WINDOW: 1, memoryd.RecordKind.ENTITY: 2}
    assert agent.clear_all([memoryd.RecordKind.ENTITY_WINDOW]).cleared == counts
    created, removed, _, updated, all_removed = (event for event in agent.events() if event.kind != "agent")
    assert (created.type, created.cause) == (memoryd.EventType.ENTITY_WINDOW_CREATED, memoryd.EventCause.REQUEST)
    assert isinstance(created.subject, memoryd.EntityWindowEvent)
    assert created.subject.entity_window is not None
    assert [each.entity_id for each in created.subject.entity_window.entities] == ["p1"]
    assert removed.type is memoryd.EventType.ENTITY_WINDOW_DELETED
    assert removed.subject == memoryd.EntityWindowEvent("chat", None)
    assert updated.type is memoryd.EventType.ENTITY_WINDOW_UPDATED
    assert all_removed.type is memoryd.EventType.ENTITY_WINDOWS_CLEARED
    assert isinstance(all_removed.subject, memoryd.ClearedEvent)
    assert all_removed.subject.cleared == counts


async def test_the_async_client_does_the_same(aio_agent: memoryd.aio.Agent) -> None:
    window = aio_agent.entities("chat")
    assert (await window.add(Entity("page", "p1", "Home", last_access_time=NOON))).revision == 1
    assert await window.extract("cms_getPage", {"id": "p2", "name": "About"}) == [Entity("page", "p2", "About")]
    assert [each.entity_id for each in (await window.get()).entities] == ["p2", "p1"]
    assert (await window.prompt_text()).splitlines()[1] == "pages:"
    assert [each.conversation_id async for each in aio_agent.entity_windows()] == ["chat"]
    state = await window.to_json()
    assert (window.conversation_id, await window.clear()) == ("chat", 2)
    assert [each.entity_id for each in (await window.load_json(state)).entities] == ["p2", "p1"]
    assert await window.to_json() == state
