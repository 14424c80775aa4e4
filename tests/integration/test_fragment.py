"""Fragments over the wire, beyond what scenarios can express: FB-01 to FB-08."""

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.in_process import AnyDaemon, ServeDaemon
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused
from tests.wait import WAIT_S_MAX

from memoryd.v1 import event_pb2
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd.v1.agent_service_pb2 import EndAgentRequest
from memoryd.v1.fragment_pb2 import Fragment, FragmentDraft
from memoryd.v1.record_pb2 import RECORD_KIND_FRAGMENT, RecordCount

Launch = Callable[..., AnyDaemon]
Connect = Callable[[AnyDaemon], Wire]


class Fragments:
    """One agent's fragments."""

    def __init__(self, agent: Memory) -> None:
        self.agent = agent
        self.stub = agent.wire.fragments

    def create(self, content: str = "text", request_id: str = "", **fields: Any) -> pb.CreateFragmentResponse:
        """Create a fragment. ``fields`` are the draft's."""
        draft = FragmentDraft(content=content, **fields)
        request = pb.CreateFragmentRequest(agent_id=self.agent.id, draft=draft, request_id=request_id)
        return self.stub.CreateFragment(request)

    def get(self, fragment_id: str) -> Fragment:
        return self.stub.GetFragment(pb.GetFragmentRequest(agent_id=self.agent.id, fragment_id=fragment_id)).fragment

    def contents(self) -> list[str]:
        """Return all contents, newest first."""
        request = pb.ListFragmentsRequest(agent_id=self.agent.id, page_size=1000)
        return [each.content for each in self.stub.ListFragments(request).fragments]

    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of all, of flushed and of leased fragments."""
        answer = self.stub.CountFragments(pb.CountFragmentsRequest(agent_id=self.agent.id))
        return answer.fragment_count, answer.flushed_fragment_count, answer.leased_fragment_count

    def flush(self) -> int:
        return self.stub.FlushFragments(pb.FlushFragmentsRequest(agent_id=self.agent.id)).flushed_fragment_count

    def lease(self, *, wait_s: int = 0, **fields: Any) -> pb.LeaseFragmentsResponse:
        request = pb.LeaseFragmentsRequest(agent_id=self.agent.id, wait_duration={"seconds": wait_s}, **fields)
        return self.stub.LeaseFragments(request)

    def acknowledge(self, token: str, **fields: Any) -> int:
        request = pb.AcknowledgeFragmentsRequest(agent_id=self.agent.id, lease_token=token, **fields)
        return self.stub.AcknowledgeFragments(request).acknowledged_fragment_count

    def release(self, token: str) -> int:
        request = pb.ReleaseFragmentsRequest(agent_id=self.agent.id, lease_token=token)
        return self.stub.ReleaseFragments(request).released_fragment_count

    def renew(self, token: str) -> pb.RenewFragmentLeaseResponse:
        return self.stub.RenewFragmentLease(pb.RenewFragmentLeaseRequest(agent_id=self.agent.id, lease_token=token))


@pytest.fixture
def fragments(agent: Memory) -> Fragments:
    """The fragments of a new agent."""
    return Fragments(agent)


@pytest.fixture(scope="module")
def small(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The stubs of a daemon with a small buffer, which its flags set."""
    flags = ["--durability", "memory", "--limit-fragments-per-agent", "4", "--limit-fragment-bytes", "16"]
    flags += ["--fragment-flush-threshold", "3", "--fragment-ttl", "90", "--limit-storage-bytes-per-agent", "40"]
    with serve_daemon(tmp_path_factory.mktemp("small"), *flags) as wire:
        yield wire


def test_the_fingerprint_is_the_agents_and_does_not_reveal_its_id(fragments: Fragments) -> None:
    """FB-02."""
    found = fragments.get(fragments.create().fragment.fragment_id)
    assert found.agent_fingerprint == hashlib.sha256(fragments.agent.id.encode()).hexdigest()[:16]


def test_a_fragment_without_a_time_to_live_has_the_servers_default(small: Wire) -> None:
    """FB-05."""
    fragments = Fragments(small.agent())
    created = fragments.create().fragment
    assert created.expire_time.ToNanoseconds() - created.create_time.ToNanoseconds() == pytest.approx(90e9, abs=1e9)


def test_a_fragment_that_is_too_large_is_refused_with_the_limit(small: Wire) -> None:
    """FB-06: nothing is evicted for a refused fragment."""
    fragments = Fragments(small.agent())
    fragments.create("x" * 16)
    refusal = refused(lambda: fragments.create("ü" * 9))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE")
    assert refusal.own_metadata == {"limit": "fragment_bytes", "value": "16"}
    fragments.create("y" * 16)
    full = refused(lambda: fragments.create("z" * 16))
    assert full.own_metadata == {"limit": "storage_bytes_per_agent", "value": "40"}
    assert fragments.contents() == ["y" * 16, "x" * 16]


def test_the_threshold_flushes_with_one_event_in_the_same_commit(small: Wire) -> None:
    """FB-07."""
    fragments = Fragments(small.agent())
    with Watcher(small, fragments.agent.id).opened() as watcher:
        assert [fragments.create(str(number)).flushed_fragment_count for number in range(4)] == [0, 0, 3, 0]
        events = watcher.until_events(5)
    assert [event.revision for event in events] == [1, 2, 3, 3, 4]
    flushed = events[3]
    assert (flushed.type, flushed.cause) == (event_pb2.EVENT_TYPE_FRAGMENTS_FLUSHED, event_pb2.EVENT_CAUSE_THRESHOLD)
    assert flushed.flushed.fragment_count == 3
    assert fragments.counts() == (4, 3, 0)


def test_a_flushed_fragment_is_never_evicted(small: Wire) -> None:
    """FB-06: the limit is strict, and refuses when only flushed fragments are left."""
    fragments = Fragments(small.agent())
    evicted = [fragments.create(str(number)).evicted_fragment_count for number in range(6)]
    assert evicted == [0, 0, 0, 0, 1, 1]
    assert fragments.contents() == ["5", "2", "1", "0"]
    fragments.flush()
    full = refused(lambda: fragments.create("6"))
    assert (full.code, full.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED")
    assert fragments.contents() == ["5", "2", "1", "0"]


def test_a_waiting_consumer_leases_fragments_as_soon_as_they_are_flushed(fragments: Fragments) -> None:
    """FB-07."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fragments.lease, wait_s=30)
        while fragments.agent.revision < 20:
            fragments.create()
        fragments.flush()
        answer = waiting.result(WAIT_S_MAX)
    assert [each.delivery_count for each in answer.fragments] == [1] * 20


def test_a_waiting_consumer_leases_fragments_that_another_releases(fragments: Fragments) -> None:
    """FB-07."""
    fragments.create()
    fragments.flush()
    held = fragments.lease()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fragments.lease, wait_s=30)
        assert fragments.release(held.lease_token) == 1
        assert [each.delivery_count for each in waiting.result(WAIT_S_MAX).fragments] == [2]


def test_no_two_consumers_lease_a_fragment_at_once(fragments: Fragments) -> None:
    """FB-07: also while some release their fragments."""
    for number in range(60):
        fragments.create(str(number))
    fragments.flush()
    held: set[str] = set()
    done: list[str] = []
    lock = threading.Lock()

    def consume(place: int) -> None:
        turn = place
        while answer := fragments.lease(limit=3, lease_duration={"seconds": 60}):
            if not answer.fragments:
                return
            ids = {each.fragment_id for each in answer.fragments}
            with lock:
                assert not held & ids
                held.update(ids)
            turn += 1
            with lock:
                held.difference_update(ids)
                if turn % 3:
                    done.extend(ids)
            settle = fragments.acknowledge if turn % 3 else fragments.release
            settle(answer.lease_token)

    with ThreadPoolExecutor(4) as pool:
        for worker in [pool.submit(consume, place) for place in range(4)]:
            worker.result(60)
    while answer := fragments.lease().fragments:
        done += [each.fragment_id for each in answer]
    assert len(done) == len(set(done)) == 60


def test_a_consumer_that_dies_loses_nothing(fragments: Fragments) -> None:
    """FB-07: the next one leases its fragments when the lease has ended."""
    stored = fragments.create().fragment.fragment_id
    fragments.flush()
    dead = fragments.lease(lease_duration={"nanos": 200_000_000})
    answer = fragments.lease(wait_s=30)
    assert answer.fragments[0].fragment_id == stored
    assert time.time() >= dead.lease_expire_time.ToNanoseconds() / 1e9
    assert refused(lambda: fragments.acknowledge(dead.lease_token)).reason == "LEASE_LOST"
    assert fragments.acknowledge(answer.lease_token) == 1


def test_large_fragments_are_leased_and_listed_in_messages_that_a_client_accepts(fragments: Fragments) -> None:
    for number in range(48):
        fragments.create(f"{number} " + "x" * 65_000)
    fragments.flush()
    first, second = fragments.lease(limit=1000), fragments.lease(limit=1000)
    assert 0 < len(first.fragments) < 48
    assert len(first.fragments) + len(second.fragments) == 48
    listed = fragments.stub.ListFragments(pb.ListFragmentsRequest(agent_id=fragments.agent.id))
    assert len(listed.fragments) == len(first.fragments)
    found = fragments.stub.SearchFragments(
        pb.SearchFragmentsRequest(agent_id=fragments.agent.id, query="x" * 65 + " 1 2 3 47")
    )
    assert [each.content.split()[0] for each in found.fragments] == ["47", "3", "2", "1"]


def test_fragments_survive_a_kill(launch_process: Callable[..., Daemon], connect: Connect) -> None:
    """FB-08: with their contents, flushed state, leases and deadlines."""
    daemon = launch_process()
    fragments = Fragments(connect(daemon).agent("a"))
    fragments.create("leased", metadata={"a": 1}, sources=[{"b": 2}])
    fragments.create("flushed")
    fragments.flush()
    lease = fragments.lease(limit=1, lease_duration={"seconds": 120})
    fragments.create("waiting", request_id="r")
    short = fragments.create("short", ttl={"nanos": 1_000_000}).fragment
    daemon.kill()
    daemon.start()
    fragments = Fragments(connect(daemon).agent("a"))
    assert fragments.contents() == ["waiting", "flushed", "leased"]
    assert fragments.counts() == (3, 2, 1)
    assert refused(lambda: fragments.get(short.fragment_id)).reason == "RECORD_NOT_FOUND"
    assert fragments.create("waiting", request_id="r").revision == 5
    again = fragments.renew(lease.lease_token)
    assert [each.metadata["a"] for each in again.fragments] == [1]
    assert [each.content for each in fragments.lease().fragments] == ["flushed"]
    assert fragments.acknowledge(lease.lease_token) == 1
    found = fragments.stub.SearchFragments(pb.SearchFragmentsRequest(agent_id="a", query="LEASED waiting"))
    assert [each.content for each in found.fragments] == ["waiting"]


def test_a_draining_server_ends_the_calls_that_wait_for_fragments(launch: Launch, connect: Connect) -> None:
    """FB-07: with no fragments, so that the clients call another server."""
    daemon = launch()
    fragments = Fragments(connect(daemon).agent("a"))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fragments.lease, wait_s=60)
        while fragments.agent.revision < 5:
            fragments.create()
        daemon.stop()
        assert waiting.result(WAIT_S_MAX).lease_token == ""


def test_fragments_count_in_the_statistics_and_end_with_the_agent(fragments: Fragments) -> None:
    fragments.create("12345")
    fragments.create("gone", ttl={"nanos": 1})
    stats = fragments.agent.stats().stats
    one = [RecordCount(kind=RECORD_KIND_FRAGMENT, count=1)]
    assert (stats.record_counts, stats.storage_bytes) == (one, 5)
    assert fragments.agent.wire.agents.EndAgent(EndAgentRequest(agent_id=fragments.agent.id)).cleared == one
    assert fragments.counts() == (0, 0, 0)


def test_a_field_beyond_its_bound_is_refused(fragments: Fragments) -> None:
    """FB-01."""
    for field, value in [
        ("type", "x" * 257),
        ("dynamic_type", "x\n"),
        ("participants", [f"p{number}" for number in range(65)]),
        ("causal_chain", ["x" * 1025]),
        ("causal_chain", ["x"] * 65),
        ("metadata", {"x": "y" * 65_536}),
        ("sources", [{}] * 65),
        ("sources", [{"x": "y" * 65_536}]),
        ("confidence", float("nan")),
    ]:
        assert refused(lambda field=field, value=value: fragments.create(**{field: value})).fields == (
            f"draft.{field}",
        )
    query = pb.SearchFragmentsRequest(agent_id=fragments.agent.id, query="x" * 4097)
    assert refused(lambda: fragments.stub.SearchFragments(query)).fields == ("query",)
    many = ["mem_00000000"] * 1001
    assert refused(lambda: fragments.acknowledge("x", fragment_ids=many)).fields == ("fragment_ids",)
