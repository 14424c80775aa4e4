from collections.abc import Callable, Generator
from datetime import date
from typing import Any

import pytest

from memoryd.errors import RevisionMismatch
from memoryd.model.entry import entry_from, stored_from
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place
from memoryd.protocol.option import EntryOptions
from memoryd.protocol.update import RACES_MAX, update
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.entry_pb2 import Entry as EntryMessage


def flow() -> Generator[Call[Any], Any, Any]:
    return update(Place("a"), "k", lambda value: value + 1, 10, None, {})


def mask_of(entry: EntryMessage, change: Callable[[Any], Any] = str, **options: Any) -> list[str]:
    steps = update(Place("a"), "k", change, None, None, EntryOptions(**options))
    next(steps)
    request = steps.send(entry_from(entry)).request
    assert request.HasField("update_mask")
    return sorted(request.update_mask.paths)


def test_an_entry_keeps_what_no_option_names() -> None:
    entry = EntryMessage(key="k", value_json="1", type_name="Visits", revision=5)
    assert mask_of(entry) == []
    assert mask_of(entry, tags=(), ttl=5, entry_type="event") == ["expire_time", "tags", "type"]
    assert mask_of(entry, expire_time=None, type_name=None) == ["expire_time", "type_name"]


def test_a_type_name_that_no_writer_chose_follows_the_value() -> None:
    assert mask_of(EntryMessage(key="k", value_json="1", type_name="int", revision=5)) == ["type_name"]


def test_a_typed_value_is_given_and_returned_as_its_type() -> None:
    def older(given: date) -> date:
        return given.replace(year=given.year + 1)

    steps = update(Place("a"), "k", older, None, date, {})
    next(steps)
    request = steps.send(entry_from(EntryMessage(key="k", value_json='"2026-01-31"', revision=5))).request
    assert request.value_json == '"2027-01-31"'
    with pytest.raises(StopIteration) as done:
        steps.send(stored_from(pb.SetEntryResponse()))
    assert done.value.value == date(2027, 1, 31)


def test_a_missing_value_starts_from_the_default_and_must_still_be_missing() -> None:
    steps = flow()
    assert next(steps).request.local_only
    request = steps.send(None).request
    assert (request.value_json, request.precondition.expected_revision) == ("11", 0)
    with pytest.raises(StopIteration) as done:
        steps.send(stored_from(pb.SetEntryResponse(created=True, revision=1)))
    assert done.value.value == 11


def test_a_lost_race_reads_and_changes_again() -> None:
    steps = flow()
    next(steps)
    steps.send(entry_from(EntryMessage(key="k", value_json="1", revision=5)))
    again = steps.throw(RevisionMismatch("lost"))
    assert again.method.name == "GetEntry"
    request = steps.send(entry_from(EntryMessage(key="k", value_json="2", revision=6))).request
    assert (request.value_json, request.precondition.expected_revision) == ("3", 6)


def test_a_race_that_is_lost_for_ever_is_an_error() -> None:
    steps = flow()
    next(steps)
    with pytest.raises(RevisionMismatch):  # noqa: PT012 - the loop is the shell's
        for _ in range(RACES_MAX):
            steps.send(None)
            steps.throw(RevisionMismatch("lost"))
