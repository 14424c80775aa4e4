from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import memoryd
from memoryd import errors
from memoryd.protocol.option import EntryOptions


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, 2**60, "", "ü \U0001f600", [], [1, [2]], {"a": {"b": None}}], ids=repr
)
def test_a_value_is_returned_as_it_was_set(agent: memoryd.Agent, value: Any) -> None:
    agent.set("k", value)
    assert agent.get("k", "nothing") == value


def test_a_missing_key_is_none_or_the_default(agent: memoryd.Agent) -> None:
    assert agent.get("k") is None
    assert agent.get("k", 3) == 3
    assert agent.get_entry("k") is None
    assert not agent.contains("k")


def test_setting_again_says_that_it_was_an_update(agent: memoryd.Agent) -> None:
    first, second = agent.set("k", 1), agent.set("k", 2)
    assert (first.created, second.created) == (True, False)
    assert (first.entry.entry_id, first.revision + 1) == (second.entry.entry_id, second.revision)


def test_keys_are_case_sensitive(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    assert not agent.contains("K")


def test_reading_as_the_wrong_type_is_a_clear_error(agent: memoryd.Agent) -> None:
    agent.set("k", "text")
    assert agent.get("k", type=str) == "text"
    with pytest.raises(errors.WrongType, match="the value of 'k' is str, not int"):
        agent.get("k", type=int)


def test_one_agents_memory_is_not_anothers(client: memoryd.Client, agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    assert client.agent(f"{agent.agent_id}-other").get("k") is None


def test_an_entry_has_everything_that_was_set(agent: memoryd.Agent) -> None:
    before = datetime.now(UTC)
    stored = agent.set(
        "k",
        {"a": 1},
        type_name="Mood",
        entry_type="insight",
        importance=0.9,
        tags=["x", "y"],
        metadata={"turn": 3, "deep": [True, None, "s"]},
        ttl=timedelta(hours=1),
    )
    entry = agent.get_entry("k")
    assert entry is not None
    assert (entry.key, entry.value, entry.value_json) == ("k", {"a": 1}, '{"a":1}')
    assert (entry.type_name, entry.type) == ("Mood", memoryd.EntryType.INSIGHT)
    assert (entry.importance, entry.tags, entry.metadata) == (
        0.9,
        ("x", "y"),
        {"turn": 3, "deep": [True, None, "s"]},
    )
    assert (entry.entry_id, entry.revision, entry.scope_id) == (stored.entry.entry_id, stored.revision, "")
    assert entry.expire_time is not None
    assert before - timedelta(minutes=1) < entry.create_time <= entry.update_time < entry.expire_time


def test_the_types_name_is_pythons_unless_given(agent: memoryd.Agent) -> None:
    agent.set("k", [1])
    entry = agent.get_entry("k")
    assert entry is not None
    assert (entry.type_name, entry.type, entry.importance) == ("list", memoryd.EntryType.FACT, 0.5)


def test_an_entry_may_expire_by_days_or_at_a_time(agent: memoryd.Agent) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    agent.set("days", 1, expiry_days=1)
    agent.set("time", 1, expire_time=at)
    entries = agent.get_entries(["days", "time"])
    assert entries["time"].expire_time == at
    assert entries["days"].expire_time is not None
    # The days count from the call's arrival, a little before the entry is stored.
    assert abs(entries["days"].expire_time - entries["days"].update_time - timedelta(days=1)) < timedelta(minutes=1)


def test_remove_returns_true_if_there_was_an_entry(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    assert agent.remove("k")
    assert not agent.remove("k")
    assert agent.get("k") is None


def test_all_entries_are_listed_in_order_over_many_pages(agent: memoryd.Agent) -> None:
    keys = [f"k{number:04}" for number in range(1_500)]
    for start in range(0, len(keys), 500):
        with agent.batch() as batch:
            for key in keys[start : start + 500]:
                batch.set(key, key)
    assert [(entry.key, entry.value) for entry in agent.entries()] == [(key, key) for key in keys]
    assert list(agent.keys(key_prefix="k14")) == keys[1400:]
    assert agent.count() == 1_500
    assert agent.clear() == 1_500
    assert list(agent.entries()) == []


def test_entries_are_chosen_by_tags_and_type(agent: memoryd.Agent) -> None:
    agent.set("a", 1, tags=["x", "y"])
    agent.set("b", 1, tags=["x"], entry_type="event")
    assert [entry.key for entry in agent.entries(all_tags=["x", "y"])] == ["a"]
    assert [entry.key for entry in agent.entries(entry_types=["event"])] == ["b"]
    assert [entry.value_json for entry in agent.entries(content=False)] == ["", ""]


def test_many_keys_are_read_at_once(agent: memoryd.Agent) -> None:
    agent.set("a", 1)
    agent.set("c", None)
    assert agent.get_many(["c", "b", "a"]) == {"c": None, "a": 1}


def test_a_batch_is_one_revision(agent: memoryd.Agent) -> None:
    agent.set("old", 1)
    with agent.batch() as batch:
        batch.set("new", 2, tags=["t"])
        batch.remove("old")
        batch.remove("never")
    assert batch.result is not None
    assert [(result.key, result.created, result.deleted) for result in batch.result.results] == [
        ("new", True, False),
        ("old", False, True),
        ("never", False, False),
    ]
    entry = agent.get_entry("new")
    assert entry is not None
    assert entry.revision == batch.result.revision
    assert list(agent.keys()) == ["new"]


def test_a_batch_that_is_refused_changes_nothing(agent: memoryd.Agent) -> None:
    agent.set("k", 1)
    with pytest.raises(errors.RecordExists), agent.batch() as batch:  # noqa: PT012 - its end is what raises
        batch.set("other", 2)
        batch.set("k", 2, must_not_exist=True)
    assert batch.result is None
    assert agent.get_many(["k", "other"]) == {"k": 1}


def test_an_exception_in_a_batch_sends_nothing(agent: memoryd.Agent) -> None:
    with pytest.raises(ZeroDivisionError), agent.batch() as batch:
        batch.set("k", 1 / 0)
    assert agent.get("k") is None


def test_a_lost_race_reports_both_revisions(agent: memoryd.Agent) -> None:
    first = agent.set("k", 1)
    second = agent.set("k", 2, expected_revision=first.revision)
    with pytest.raises(errors.RevisionMismatch) as caught:
        agent.set("k", 3, expected_revision=first.revision)
    assert (caught.value.expected_revision, caught.value.actual_revision) == (first.revision, second.revision)
    assert caught.value.reason == "ERROR_REASON_REVISION_MISMATCH"
    with pytest.raises(errors.RevisionMismatch):
        agent.remove("k", expected_revision=first.revision)
    assert agent.get("k") == 2


def test_a_key_that_must_not_exist_is_set_once(agent: memoryd.Agent) -> None:
    stored = agent.set("k", 1, must_not_exist=True)
    with pytest.raises(errors.RecordExists) as caught:
        agent.set("k", 2, must_not_exist=True)
    assert caught.value.revision == stored.revision
    assert agent.setdefault("k", 3) == 1
    assert agent.setdefault("other", 3) == 3


def test_a_bad_field_is_named(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        agent.set("a\nb", 1)
    assert set(caught.value.fields) == {"key"}
    assert caught.value.reason == "ERROR_REASON_INVALID_FIELD"


def test_a_limit_is_named(agent: memoryd.Agent) -> None:
    with pytest.raises(errors.TooLarge) as caught:
        agent.set("k", "x" * 1_100_000)
    assert caught.value.limit
    assert caught.value.value is not None
    assert agent.get("k") is None


def test_entries_are_listed_in_a_chosen_order(agent: memoryd.Agent) -> None:
    agent.set("b", 1)
    agent.set("a", 2)
    assert [entry.key for entry in agent.entries()] == ["a", "b"]
    assert [entry.key for entry in agent.entries(order="create_time")] == ["b", "a"]
    assert [entry.key for entry in agent.entries(order=memoryd.ListOrder.ID_DESCENDING)] == ["b", "a"]


def test_the_most_important_entries_are_listed_first(agent: memoryd.Agent) -> None:
    for key, importance in (("a", 0.5), ("b", 0.1), ("c", 0.9)):
        agent.set(key, 1, importance=importance)
    found = agent.entries(order="importance_descending", filter={"entry": {"min_importance": 0.5}})
    assert [entry.key for entry in found] == ["c", "a"]


def test_an_update_keeps_what_was_said_about_the_entry(agent: memoryd.Agent) -> None:
    about: EntryOptions = {
        "tags": ["a"],
        "importance": 0.9,
        "metadata": {"s": 1},
        "entry_type": "insight",
        "user_id": "ann",
        "type_name": "Visits",
    }
    agent.set("n", 1, ttl=3600, **about)
    before = agent.get_entry("n")
    assert before is not None
    assert before.expire_time is not None
    assert agent.update("n", lambda value: value + 1) == 2
    after = agent.get_entry("n")
    assert after is not None
    for name in ("expire_time", "tags", "importance", "metadata", "type", "user_id", "type_name"):
        assert getattr(after, name) == getattr(before, name), name
    agent.update("n", lambda value: value + 1, tags=(), importance=0, expire_time=None)
    cleared = agent.get_entry("n")
    assert cleared is not None
    assert (cleared.tags, cleared.importance, cleared.expire_time, cleared.metadata) == ((), 0, None, {"s": 1})


def test_an_update_of_a_value_that_never_expires_does_not_give_it_the_agents_default(agent: memoryd.Agent) -> None:
    agent.set("n", 1)
    agent.update_info(defaults=memoryd.AgentDefaults(entry_ttl=timedelta(hours=1)))
    agent.update("n", lambda value: value + 1)
    agent.update("new", lambda value: value + 1, 0)
    kept, new = agent.get_entry("n"), agent.get_entry("new")
    assert kept is not None
    assert new is not None
    assert kept.expire_time is None
    assert new.expire_time is not None


def test_a_typed_value_is_written_and_read(agent: memoryd.Agent) -> None:
    agent.set("profile", Profile("Ada", [date(1815, 12, 10)]))
    assert agent.get("profile") == {"name": "Ada", "days": ["1815-12-10"]}
    assert agent.get("profile", type=Profile) == Profile("Ada", [date(1815, 12, 10)])
    renamed = agent.update("profile", lambda found: replace(found, name="Countess"), type=Profile)
    assert renamed == Profile("Countess", [date(1815, 12, 10)])
    assert agent.get_or_set("profile", lambda: Profile("no", []), type=Profile) == renamed
    made = agent.get_or_set("other", lambda: Profile("new", []), type=Profile)
    assert made == Profile("new", [])
    entry = agent.get_entry("profile")
    assert entry is not None
    assert entry.type_name == "Profile"
    agent.set("profile", {"name": "Ada", "days": ["soon"]})
    with pytest.raises(errors.WrongType, match=r"\$\.days\[0\]"):
        agent.get("profile", type=Profile)


@dataclass
class Profile:
    name: str
    days: list[date]
