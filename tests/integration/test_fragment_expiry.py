"""Fragments that expire in real time: none is returned by a call that began after its deadline."""

import random
import time
from collections.abc import Sequence
from contextlib import suppress

import grpc
from tests.integration.wire import Memory
from tests.wait import until

from memoryd.v1 import event_pb2, fragment_pb2
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd.v1.event_service_pb2 import ListEventsRequest

FRAGMENTS_MIN = 300
TTL_MS = (100, 1_500)


def create(agent: Memory, number: int) -> str:
    ttl_ms = random.randint(*TTL_MS)
    request = pb.CreateFragmentRequest(agent_id=agent.id, draft={"content": f"passing thought {number}"})
    request.draft.ttl.FromMilliseconds(ttl_ms)
    fragment_id: str = agent.wire.fragments.CreateFragment(request).fragment.fragment_id
    return fragment_id


def returned(agent: Memory, fragment_ids: Sequence[str]) -> list[fragment_pb2.Fragment]:
    """Return the fragments that each method returns."""
    stub = agent.wire.fragments
    fragments = list(stub.SearchFragments(pb.SearchFragmentsRequest(agent_id=agent.id, query="thought")).fragments)
    recent = pb.ListFragmentsRequest(agent_id=agent.id, page_size=1_000)
    fragments += stub.ListFragments(recent).fragments
    for fragment_id in random.sample(fragment_ids, 20):
        with suppress(grpc.RpcError):
            fragments.append(
                stub.GetFragment(pb.GetFragmentRequest(agent_id=agent.id, fragment_id=fragment_id)).fragment
            )
    return fragments


def expired(agent: Memory) -> int:
    """Return the number of fragments that were removed because they had expired."""
    kinds = [event_pb2.EVENT_TYPE_FRAGMENT_DELETED]
    filters = [event_pb2.EventFilter(agent_ids=[agent.id], event_types=kinds)]
    events = agent.wire.events.ListEvents(ListEventsRequest(filters=filters, page_size=1_000)).events
    return sum(event.cause == event_pb2.EVENT_CAUSE_EXPIRY for event in events)


def served(agent: Memory, fragment_ids: Sequence[str]) -> int:
    """Return the number of returned fragments; assert that none had expired when the calls began."""
    began = time.time_ns()
    fragments = returned(agent, fragment_ids)
    assert not [each for each in fragments if each.expire_time.ToNanoseconds() <= began]
    return len(fragments)


def test_no_fragment_is_served_after_its_deadline_and_all_are_swept(agent: Memory) -> None:
    fragment_ids: list[str] = []
    seen = 0
    while len(fragment_ids) < FRAGMENTS_MIN or not seen:
        fragment_ids += [create(agent, number) for number in range(20)]
        seen += served(agent, fragment_ids)
    until(lambda: not served(agent, fragment_ids), "all have expired")
    assert agent.wire.fragments.CountFragments(pb.CountFragmentsRequest(agent_id=agent.id)).fragment_count == 0
    until(lambda: expired(agent) == len(fragment_ids), "the sweeper has removed all of them")
