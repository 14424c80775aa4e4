"""Fragments that end in real time: whatever is answered had not ended when it was asked for."""

import random
import time
from collections.abc import Sequence

from tests.integration.wire import Memory
from tests.wait import until

from memoryd.v1 import event_pb2, fragment_pb2
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd.v1.event_service_pb2 import ListEventsRequest

FRAGMENTS_MIN = 300
TTL_MS = (100, 1_500)


def store(agent: Memory, number: int) -> str:
    ttl_ms = random.randint(*TTL_MS)
    request = pb.StoreFragmentRequest(agent_id=agent.id, content=f"passing thought {number}")
    request.ttl.FromMilliseconds(ttl_ms)
    fragment_id: str = agent.wire.fragments.StoreFragment(request).fragment_id
    return fragment_id


def found(agent: Memory, fragment_ids: Sequence[str]) -> list[fragment_pb2.Fragment]:
    """What is answered, in every way to ask."""
    stub = agent.wire.fragments
    answered = list(stub.SearchFragments(pb.SearchFragmentsRequest(agent_id=agent.id, query="thought")).fragments)
    recent = pb.ListRecentFragmentsRequest(agent_id=agent.id, page_size=1_000)
    answered += stub.ListRecentFragments(recent).fragments
    for fragment_id in random.sample(fragment_ids, 20):
        answer = stub.GetFragment(pb.GetFragmentRequest(agent_id=agent.id, fragment_id=fragment_id))
        answered += [answer.fragment] if answer.found else []
    return answered


def expired(agent: Memory) -> int:
    """How many were removed since their time was over."""
    kinds = [event_pb2.EVENT_TYPE_FRAGMENT_DELETED]
    filters = [event_pb2.EventFilter(agent_ids=[agent.id], event_types=kinds)]
    events = agent.wire.events.ListEvents(ListEventsRequest(filters=filters, page_size=1_000)).events
    return sum(event.cause == event_pb2.EVENT_CAUSE_EXPIRY for event in events)


def served(agent: Memory, fragment_ids: Sequence[str]) -> int:
    """How many are answered. None of them had ended when they were asked for."""
    asked = time.time_ns()
    answered = found(agent, fragment_ids)
    assert not [each for each in answered if each.expire_time.ToNanoseconds() <= asked]
    return len(answered)


def test_none_of_many_is_served_after_its_deadline_and_all_of_them_go(agent: Memory) -> None:
    fragment_ids: list[str] = []
    seen = 0
    while len(fragment_ids) < FRAGMENTS_MIN or not seen:
        fragment_ids += [store(agent, number) for number in range(20)]
        seen += served(agent, fragment_ids)
    until(lambda: not served(agent, fragment_ids), "their time is over")
    assert agent.wire.fragments.CountFragments(pb.CountFragmentsRequest(agent_id=agent.id)).fragment_count == 0
    until(lambda: expired(agent) == len(fragment_ids), "the sweeper has removed all of them")
