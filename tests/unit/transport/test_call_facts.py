"""The facts of a call: what its request names, within bounds."""

from typing import Any

import pytest

from memoryd.v1 import note_service_pb2
from memoryd.v1.agent_service_pb2 import ForgetUserRequest
from memoryd.v1.event_service_pb2 import WatchEventsRequest
from memoryd.v1.transaction_service_pb2 import CommitRequest
from memoryd.v1.working_memory_service_pb2 import BatchWriteEntriesRequest
from memoryd_server.domain.limit import BATCH_OPERATIONS_MAX, USER_ID_BYTES_MAX, WRITES_PER_COMMIT_MAX
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.transport.call_facts import CallFacts, describer
from memoryd_server.transport.limit import AUDIT_AGENTS_MAX


@pytest.mark.parametrize("user_id", ["a\nb", "x" * (USER_ID_BYTES_MAX + 1), "ü" * USER_ID_BYTES_MAX])
def test_what_cannot_be_an_id_is_left_out(user_id: str) -> None:
    facts = CallFacts()
    describer(ForgetUserRequest)(facts, ForgetUserRequest(agent_id="a", user_id=user_id, request_id="r"))
    assert (list(facts.agents), facts.user_id, facts.request_id) == (["a"], "", "r")


def test_a_request_names_a_user_if_it_is_one() -> None:
    describe, request = describer(note_service_pb2.ListNotesRequest), note_service_pb2.ListNotesRequest(agent_id="a")
    for users, named in (["ada"], "ada"), (["ada", "bob"], ""), ([], ""):
        request.filter.user_ids[:] = users
        describe(facts := CallFacts(), request)
        assert facts.user_id == named


def test_no_more_agents_are_noted_than_a_record_has() -> None:
    facts = CallFacts()
    facts.name(AgentPatterns.of([f"a{number}" for number in range(AUDIT_AGENTS_MAX + 1)]))
    facts.name("another")
    assert len(facts.agents) == AUDIT_AGENTS_MAX
    facts = CallFacts()
    facts.name("")
    assert list(facts.agents) == ["*"]


def test_a_request_is_described_once_and_not_kept() -> None:
    facts = CallFacts(request=WatchEventsRequest(), describe=lambda found, _: found.name("a"))
    facts.complete()
    facts.complete()
    assert (list(facts.agents), facts.request, facts.describe) == (["a"], None, None)


@pytest.mark.parametrize(
    ("request_", "field", "kind", "maximum"),
    [
        (BatchWriteEntriesRequest(), "operations", "set", BATCH_OPERATIONS_MAX),
        (CommitRequest(), "writes", "set_entry", WRITES_PER_COMMIT_MAX),
    ],
)
def test_no_more_requests_within_a_request_are_looked_at_than_a_valid_one_has(
    request_: Any, field: str, kind: str, maximum: int
) -> None:
    inner = getattr(request_, field)
    for _ in range(maximum + 1):
        inner.add()
    getattr(inner.add(), kind).SetInParent()
    describer(type(request_))(facts := CallFacts(), request_)
    assert facts.requests == ()
    del inner[0]
    describer(type(request_))(facts, request_)
    assert facts.requests == (kind,)
