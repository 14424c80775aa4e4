from collections.abc import Generator
from typing import Any

import pytest

from memoryd.errors import RevisionMismatch
from memoryd.model.entry import entry_from, stored_from
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place
from memoryd.protocol.update import RACES_MAX, update
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.entry_pb2 import Entry as EntryMessage


def flow() -> Generator[Call[Any], Any, Any]:
    return update(Place("a"), "k", lambda value: value + 1, 10, {})


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
