import threading
from datetime import UTC, datetime, timedelta

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd import errors


def test_a_fragment_is_returned_with_all_of_its_options(agent: memoryd.Agent) -> None:
    end = datetime.now(UTC) + timedelta(hours=1)
    created = agent.fragments.create(
        "The user moved",
        type="Event",
        dynamic_type="relocation",
        confidence=0.5,
        metadata={"city": "Lisbon", "since": 2024},
        participants=["user", "agent"],
        causal_chain=("a new job",),
        sources=[{"turn": 3}],
        user_id="ann",
        expire_time=end,
    )
    found = agent.fragments.get(created.fragment.fragment_id)
    assert found == created.fragment
    assert (created.evicted_fragment_count, created.flushed_fragment_count) == (0, 0)
    assert [each.content for each in agent.fragments.list(user_id="ann", type="Event", flushed=False)] == [
        found.content
    ]
    assert list(agent.fragments.list(user_id="")) == agent.fragments.search("moved", user_id="") == []
    assert found.user_id == "ann"
    assert (found.content, found.type, found.dynamic_type, found.confidence) == (
        "The user moved",
        "Event",
        "relocation",
        0.5,
    )
    assert (found.metadata, found.sources) == ({"city": "Lisbon", "since": 2024}, ({"turn": 3},))
    assert (found.participants, found.causal_chain) == (("user", "agent"), ("a new job",))
    assert (found.agent_id, len(found.agent_fingerprint), found.flushed) == (agent.agent_id, 16, False)
    assert found.expire_time == end


def test_fragments_are_found_counted_and_removed(agent: memoryd.Agent) -> None:
    fragments = agent.fragments
    ids = [
        fragments.create(content, ttl=60, confidence=confidence).fragment.fragment_id for content, confidence in TEXTS
    ]
    assert [found.fragment_id for found in fragments.search("APPLE pear")] == ids[::-1]
    assert [found.fragment_id for found in fragments.search("apple pear", limit=1)] == ids[-1:]
    assert [found.fragment_id for found in fragments.search("apple pear", min_confidence=0.5)] == ids[:1]
    assert [found.fragment_id for found in fragments.list()] == ids[::-1]
    assert fragments.delete(ids[0])
    assert not fragments.delete(ids[0])
    with pytest.raises(errors.RecordNotFound):
        fragments.get(ids[0])
    with pytest.raises(errors.RevisionMismatch):
        fragments.delete(ids[1], expected_revision=1)
    assert fragments.count() == memoryd.FragmentCount(2, 0, 0)
    assert agent.stats().record_counts["fragment"] == 2
    with pytest.raises(errors.RevisionMismatch):
        fragments.clear(expected_revision=1)
    assert fragments.clear() == 2
    assert agent.fragments.count().fragment_count == 0


TEXTS = [("a red apple", 0.9), ("a green apple", 0.1), ("a pear", None)]


def test_an_invalid_fragment_is_refused_by_the_client(agent: memoryd.Agent) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        agent.fragments.create("x", ttl=1, expire_time=datetime.now(UTC))
    with pytest.raises(TypeError, match="participants is one string"):
        agent.fragments.create("x", participants="user")


def test_a_lease_is_acknowledged_at_the_end_of_its_block_or_given_back(agent: memoryd.Agent) -> None:
    fragments = agent.fragments
    with fragments.lease(wait=0) as none:
        assert none == []
    fragments.create("x")
    assert fragments.flush() == 1
    with pytest.raises(ZeroDivisionError), fragments.lease() as leased:
        assert leased[fragments.count().leased_fragment_count // 0]
    with fragments.lease(5, lease=timedelta(seconds=20)) as again:
        assert [found.delivery_count for found in again] == [2]
    assert fragments.count().fragment_count == 0


def test_a_manual_lease_is_renewed_acknowledged_and_released(agent: memoryd.Agent) -> None:
    fragments = agent.fragments
    assert fragments.take() is None
    ids = [fragments.create(content).fragment.fragment_id for content in "abc"]
    fragments.flush()
    taken = fragments.take(lease=5, wait=1)
    assert taken is not None
    assert [found.fragment_id for found in taken.fragments] == ids
    assert fragments.acknowledge(taken.token, ids[:1]) == 1
    renewed = fragments.renew(taken.token, lease=60)
    assert renewed is not None
    assert [found.fragment_id for found in renewed.fragments] == ids[1:]
    assert renewed.expire_time > taken.expire_time
    assert fragments.release(taken.token, ids[1:2]) == 1
    assert fragments.release(taken.token) == 1
    with pytest.raises(errors.LeaseLost):
        fragments.acknowledge(taken.token)


def test_a_lost_lease_is_raised_at_the_end_of_its_block(agent: memoryd.Agent) -> None:
    agent.fragments.create("x")
    agent.fragments.flush()
    with pytest.raises(errors.LeaseLost), agent.fragments.lease():
        agent.fragments.clear()


def test_a_consumer_gets_flushed_fragments_and_again_those_that_its_handler_failed_with(agent: memoryd.Agent) -> None:
    handled: list[tuple[str, int]] = []
    done = threading.Event()

    def consolidate(fragments: list[memoryd.Fragment]) -> None:
        handled.extend((found.content, found.delivery_count) for found in fragments)
        if len(handled) == 1:
            raise RuntimeError("the first time is wrong")
        done.set()

    with agent.fragments.on_flush(consolidate):
        agent.fragments.create("x")
        agent.fragments.flush()
        assert done.wait(WAIT_S_MAX)
    assert handled == [("x", 1), ("x", 2)]
    assert agent.fragments.count().fragment_count == 0


def test_a_consumer_continues_after_the_daemon_was_killed(daemon: Daemon) -> None:
    handled: list[str] = []
    arrived = threading.Semaphore(0)

    def consolidate(fragments: list[memoryd.Fragment]) -> None:
        handled.extend(found.content for found in fragments)
        arrived.release()

    with memoryd.connect(daemon.address, **PATIENT) as client:
        fragments = client.agent("a").fragments
        with fragments.on_flush(consolidate):
            for content in ("before", "after"):
                fragments.create(content)
                fragments.flush()
                assert arrived.acquire(timeout=WAIT_S_MAX)
                daemon.kill()
                daemon.start()
        assert sorted(set(handled)) == ["after", "before"]


def test_a_consumer_that_cannot_go_on_says_so(client: memoryd.Client) -> None:
    unnamed = client.agent("").fragments
    with pytest.raises(errors.InvalidArgument), unnamed.on_flush(print) as consumer:
        consumer.wait()
    with pytest.raises(ZeroDivisionError), unnamed.on_flush(print):
        raise ZeroDivisionError


def test_closing_the_client_ends_its_consumers(shared_daemon: Daemon, agent_id: str) -> None:
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        fragments = client.agent(agent_id).fragments
        with fragments.on_flush(print) as waiting:
            fragments.count()
            client.close()
            waiting.wait()
        with fragments.on_flush(print) as late:
            late.wait()


def test_a_handler_that_closes_the_client_ends_its_consumer(shared_daemon: Daemon, agent_id: str) -> None:
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        fragments = client.agent(agent_id).fragments
        fragments.create("x")
        fragments.flush()
        with fragments.on_flush(lambda _: client.close()) as consumer:
            consumer.wait()


def test_a_call_on_a_client_that_was_closed_is_cancelled(shared_daemon: Daemon) -> None:
    client = memoryd.connect(shared_daemon.address, **PATIENT)
    client.close()
    with pytest.raises(errors.Cancelled, match="closed"):
        client.server_info()


def test_a_consumer_may_be_closed_by_its_handler(agent: memoryd.Agent) -> None:
    agent.fragments.create("x")
    agent.fragments.flush()
    with agent.fragments.on_flush(lambda _: consumer.close()) as consumer:
        consumer.wait()
    assert agent.fragments.count().fragment_count == 0


def test_fragments_are_listed_in_an_order_and_without_content(agent: memoryd.Agent) -> None:
    for content in ("first", "second"):
        agent.fragments.create(content)
    assert [each.content for each in agent.fragments.list()] == ["second", "first"]
    assert [each.content for each in agent.fragments.list(order="create_time")] == ["first", "second"]
    assert {each.content for each in agent.fragments.list(view="without_content")} == {""}
