from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import memoryd
from memoryd import errors


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, 2**60, "", "ü \U0001f600", [], [1, [2]], {"a": {"b": None}}], ids=repr
)
def test_a_value_comes_back_as_it_was_set(memory: memoryd.Agent, value: Any) -> None:
    memory.set("k", value)
    assert memory.get("k", "nothing") == value


def test_a_missing_key_is_none_or_the_default(memory: memoryd.Agent) -> None:
    assert memory.get("k") is None
    assert memory.get("k", 3) == 3
    assert memory.get_entry("k") is None
    assert not memory.contains("k")


def test_setting_again_says_that_it_was_an_update(memory: memoryd.Agent) -> None:
    first, second = memory.set("k", 1), memory.set("k", 2)
    assert (first.is_update, second.is_update) == (False, True)
    assert (first.entry_id, first.revision + 1) == (second.entry_id, second.revision)


def test_keys_are_case_sensitive(memory: memoryd.Agent) -> None:
    memory.set("k", 1)
    assert not memory.contains("K")


def test_reading_as_the_wrong_type_is_a_clear_error(memory: memoryd.Agent) -> None:
    memory.set("k", "text")
    assert memory.get("k", type=str) == "text"
    with pytest.raises(errors.WrongType, match="the value of 'k' is str, not int"):
        memory.get("k", type=int)


def test_one_agents_memory_is_not_anothers(client: memoryd.Client, memory: memoryd.Agent) -> None:
    memory.set("k", 1)
    assert client.agent(f"{memory.agent_id}-other").get("k") is None


def test_an_entry_tells_all_that_is_known(memory: memoryd.Agent) -> None:
    before = datetime.now(UTC)
    stored = memory.set(
        "k",
        {"a": 1},
        type_name="Mood",
        memory_type="insight",
        importance=0.9,
        tags=["x", "y"],
        metadata={"turn": 3, "deep": [True, None, "s"]},
        ttl=timedelta(hours=1),
    )
    entry = memory.get_entry("k")
    assert entry is not None
    assert (entry.key, entry.value, entry.value_json) == ("k", {"a": 1}, '{"a":1}')
    assert (entry.type_name, entry.memory_type) == ("Mood", memoryd.MemoryType.INSIGHT)
    assert (entry.importance, entry.tags, entry.metadata) == (
        0.9,
        ("x", "y"),
        {"turn": 3, "deep": [True, None, "s"]},
    )
    assert (entry.entry_id, entry.revision, entry.scope_id) == (stored.entry_id, stored.revision, "")
    assert entry.expire_time is not None
    assert before - timedelta(minutes=1) < entry.create_time <= entry.update_time < entry.expire_time


def test_the_types_name_is_pythons_unless_given(memory: memoryd.Agent) -> None:
    memory.set("k", [1])
    entry = memory.get_entry("k")
    assert entry is not None
    assert (entry.type_name, entry.memory_type, entry.importance) == ("list", memoryd.MemoryType.FACT, 0.5)


def test_an_entry_may_expire_by_days_or_at_a_time(memory: memoryd.Agent) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    memory.set("days", 1, expiry_days=1)
    memory.set("time", 1, expire_time=at)
    entries = memory.get_entries(["days", "time"])
    assert entries["time"].expire_time == at
    assert entries["days"].expire_time is not None
    # The days count from the call's arrival, a little before the entry is stored.
    assert abs(entries["days"].expire_time - entries["days"].update_time - timedelta(days=1)) < timedelta(minutes=1)


def test_remove_says_whether_there_was_one(memory: memoryd.Agent) -> None:
    memory.set("k", 1)
    assert memory.remove("k")
    assert not memory.remove("k")
    assert memory.get("k") is None


def test_all_entries_are_listed_in_order_over_many_pages(memory: memoryd.Agent) -> None:
    keys = [f"k{number:04}" for number in range(1_500)]
    for start in range(0, len(keys), 500):
        with memory.batch() as batch:
            for key in keys[start : start + 500]:
                batch.set(key, key)
    assert [(entry.key, entry.value) for entry in memory.entries()] == [(key, key) for key in keys]
    assert list(memory.keys(key_prefix="k14")) == keys[1400:]
    assert memory.count() == 1_500
    assert memory.clear() == 1_500
    assert list(memory.entries()) == []


def test_entries_are_chosen_by_tags_and_type(memory: memoryd.Agent) -> None:
    memory.set("a", 1, tags=["x", "y"])
    memory.set("b", 1, tags=["x"], memory_type="event")
    assert [entry.key for entry in memory.entries(tags=["x", "y"])] == ["a"]
    assert [entry.key for entry in memory.entries(memory_types=["event"])] == ["b"]
    assert [entry.value_json for entry in memory.entries(values=False)] == ["", ""]


def test_many_keys_are_read_at_once(memory: memoryd.Agent) -> None:
    memory.set("a", 1)
    memory.set("c", None)
    assert memory.get_many(["c", "b", "a"]) == {"c": None, "a": 1}


def test_a_batch_is_one_revision(memory: memoryd.Agent) -> None:
    memory.set("old", 1)
    with memory.batch() as batch:
        batch.set("new", 2, tags=["t"])
        batch.remove("old")
        batch.remove("never")
    assert batch.result is not None
    assert [(result.key, result.existed) for result in batch.result.results] == [
        ("new", False),
        ("old", True),
        ("never", False),
    ]
    entry = memory.get_entry("new")
    assert entry is not None
    assert entry.revision == batch.result.revision
    assert list(memory.keys()) == ["new"]


def test_a_batch_that_is_refused_changes_nothing(memory: memoryd.Agent) -> None:
    memory.set("k", 1)
    with pytest.raises(errors.EntryExists), memory.batch() as batch:  # noqa: PT012 - its end is what raises
        batch.set("other", 2)
        batch.set("k", 2, must_not_exist=True)
    assert batch.result is None
    assert memory.get_many(["k", "other"]) == {"k": 1}


def test_an_exception_in_a_batch_sends_nothing(memory: memoryd.Agent) -> None:
    with pytest.raises(ZeroDivisionError), memory.batch() as batch:
        batch.set("k", 1 / 0)
    assert memory.get("k") is None


def test_a_lost_race_tells_both_revisions(memory: memoryd.Agent) -> None:
    first = memory.set("k", 1)
    second = memory.set("k", 2, expected_revision=first.revision)
    with pytest.raises(errors.RevisionMismatch) as caught:
        memory.set("k", 3, expected_revision=first.revision)
    assert (caught.value.expected_revision, caught.value.actual_revision) == (first.revision, second.revision)
    assert caught.value.reason == "ERROR_REASON_REVISION_MISMATCH"
    with pytest.raises(errors.RevisionMismatch):
        memory.remove("k", expected_revision=first.revision)
    assert memory.get("k") == 2


def test_a_key_that_must_not_exist_is_set_once(memory: memoryd.Agent) -> None:
    stored = memory.set("k", 1, must_not_exist=True)
    with pytest.raises(errors.EntryExists) as caught:
        memory.set("k", 2, must_not_exist=True)
    assert caught.value.revision == stored.revision
    assert memory.setdefault("k", 3) == 1
    assert memory.setdefault("other", 3) == 3


def test_a_bad_field_is_named(memory: memoryd.Agent) -> None:
    with pytest.raises(errors.InvalidArgument) as caught:
        memory.set("a\nb", 1)
    assert set(caught.value.fields) == {"key"}
    assert caught.value.reason == "ERROR_REASON_INVALID_FIELD"


def test_a_limit_is_named(memory: memoryd.Agent) -> None:
    with pytest.raises(errors.LimitExceeded) as caught:
        memory.set("k", "x" * 1_100_000)
    assert caught.value.limit
    assert caught.value.value is not None
    assert memory.get("k") is None
