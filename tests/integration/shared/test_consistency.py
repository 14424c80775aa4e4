"""Two daemons on one store are one memory: a change that one acknowledged is visible at the other."""

import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf.duration_pb2 import Duration
from tests.integration.shared.pair import Pair
from tests.integration.wire import ABSENT, Memory, absent, at_revision, code_of, refused
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.consistency_pb2 import Consistency

WRITERS = 20
FOUND, RESERVED, HELD = pb.RESERVE_OUTCOME_FOUND, pb.RESERVE_OUTCOME_RESERVED, pb.RESERVE_OUTCOME_HELD
NO_WAIT = Duration()
LONG = Duration(seconds=50)


def test_a_change_that_one_daemon_acknowledged_is_read_at_the_other_at_once(pair: Pair) -> None:
    here, there = pair.agents()
    for number in range(50):
        here.set("key", number)
        assert there.value("key") == number
        here, there = there, here
    assert (here.revision, there.revision) == (50, 50)


def test_the_tier_of_an_agent_is_that_of_both_daemons(pair: Pair) -> None:
    here, there = pair.agents()
    there.contains("key")
    request = agent_pb.UpdateAgentRequest(agent_id=here.id, draft={"tier": "free"}, update_mask={"paths": ["tier"]})
    assert here.wire.agents.UpdateAgent(request).created
    assert there.wire.agents.GetAgent(agent_pb.GetAgentRequest(agent_id=here.id)).agent.tier == "free"


def test_20_writers_at_each_daemon_with_compare_and_set_on_one_key_lose_nothing(pair: Pair) -> None:
    memories = pair.agents()
    memories[0].set("counter", 0)

    def add_three(memory: Memory) -> None:
        for _ in range(3):
            while True:
                entry = memory.get("counter").entry
                value = json.loads(entry.value_json) + 1
                try:
                    memory.set("counter", value, precondition=at_revision(entry.revision))
                except grpc.RpcError as error:
                    code = code_of(error)
                    assert code is grpc.StatusCode.ABORTED
                else:
                    break

    with ThreadPoolExecutor(2 * WRITERS) as pool:
        list(pool.map(add_three, memories * WRITERS, timeout=WAIT_S_MAX))
    assert [memory.value("counter") for memory in memories] == [6 * WRITERS] * 2
    assert memories[0].revision == 6 * WRITERS + 1


def test_20_callers_at_each_daemon_set_one_value(pair: Pair) -> None:
    memories = pair.agents()
    futures = [
        memory.wire.memory.GetOrSetEntry.future(
            pb.GetOrSetEntryRequest(agent_id=memory.id, key="key", value_json=str(caller))
        )
        for caller, memory in enumerate(memories * WRITERS)
    ]
    responses = [future.result() for future in futures]
    assert sum(response.created for response in responses) == 1
    assert len({response.entry.value_json for response in responses}) == 1
    assert memories[0].revision == 1


def test_20_callers_at_each_daemon_run_one_factory(pair: Pair) -> None:
    """WM-04."""
    memories = pair.agents()
    made: list[int] = []
    callers = itertools.count()

    def get_or_make(memory: Memory) -> object:
        response = memory.reserve("key", lease_duration=Duration(seconds=20), wait_duration=Duration(seconds=20))
        if response.outcome == RESERVED:
            made.append(next(callers))
            memory.set("key", made[-1], reservation_token=response.reservation_token)
            return made[-1]
        assert response.outcome == FOUND
        return json.loads(response.entry.value_json)

    with ThreadPoolExecutor(2 * WRITERS) as pool:
        values = set(pool.map(get_or_make, memories * WRITERS, timeout=WAIT_S_MAX))
    assert (values, len(made)) == (set(made), 1)


def test_a_request_that_is_repeated_at_the_other_daemon_is_executed_once(pair: Pair) -> None:
    here, there = pair.agents()
    first = here.set("key", 1, request_id="r", precondition=absent())
    again = there.set("key", 1, request_id="r", precondition=absent())
    assert again == first
    other_body = refused(lambda: there.set("key", 2, request_id="r"))
    assert other_body.reason == "REQUEST_ID_REUSED"
    assert here.revision == 1


def test_a_request_that_both_daemons_receive_at_once_is_executed_once(pair: Pair) -> None:
    for _ in range(10):
        here, there = pair.agents()
        request = pb.SetEntryRequest(agent_id=here.id, key="key", value_json="1", request_id="r")
        responses = [each.result() for each in [m.wire.memory.SetEntry.future(request) for m in (here, there)]]
        assert responses[0] == responses[1]
        assert here.revision == 1


def test_a_reservation_at_one_daemon_holds_at_the_other(pair: Pair) -> None:
    here, there = pair.agents()
    held = here.reserve("key", lease_duration=LONG)
    assert there.reserve("key", wait_duration=NO_WAIT).outcome == HELD
    renewed = there.renew("key", held.reservation_token, lease_duration=LONG)
    assert renewed.lease_expire_time.ToNanoseconds() > held.lease_expire_time.ToNanoseconds()
    waiting = here.wire.memory.ReserveEntry.future(
        pb.ReserveEntryRequest(agent_id=here.id, key="key", wait_duration=LONG)
    )
    there.set("key", "made", reservation_token=held.reservation_token)
    assert waiting.result().entry.value_json == '"made"'
    lost = refused(lambda: here.set("key", 1, reservation_token=held.reservation_token))
    assert (lost.code, lost.reason) == (grpc.StatusCode.ABORTED, "RESERVATION_LOST")


def test_a_waiting_caller_gets_the_reservation_when_the_other_daemons_lease_ends(pair: Pair) -> None:
    here, there = pair.agents()
    dead = here.reserve("key", lease_duration=Duration(nanos=200_000_000))
    second = there.reserve("key", lease_duration=LONG, wait_duration=Duration(seconds=20))
    assert second.outcome == RESERVED
    assert second.reservation_token != dead.reservation_token
    assert refused(lambda: here.set("key", 1, reservation_token=dead.reservation_token)).reason == "RESERVATION_LOST"


def test_an_expired_entry_is_served_by_neither_daemon(pair: Pair) -> None:
    here, there = pair.agents()
    here.set("gone", ttl=Duration(nanos=300_000_000))
    expire_time = there.get("gone").entry.expire_time.ToNanoseconds()
    until(lambda: time.time_ns() > expire_time, "the entry has expired")
    assert [memory.value("gone") for memory in (here, there)] == [ABSENT, ABSENT]


def test_a_scope_of_one_daemon_can_be_disposed_at_the_other(pair: Pair) -> None:
    here, there = pair.agents()
    scope_id = here.scope()
    there.set("key", 1, scope_id)
    assert here.value("key", scope_id) == 1
    there.dispose(scope_id)
    assert refused(lambda: here.set("key", 2, scope_id)).reason == "SCOPE_DISPOSED"


def test_an_agent_that_ended_at_one_daemon_starts_empty_at_the_other(pair: Pair) -> None:
    here, there = pair.agents()
    here.write({"k": 1, "l": 2})
    assert there.values() == {"k": 1, "l": 2}
    here.wire.agents.EndAgent(agent_pb.EndAgentRequest(agent_id=here.id))
    assert refused(there.stats).reason == "AGENT_NOT_FOUND"
    assert there.values() == {}
    there.set("m", 3)
    assert here.values() == {"m": 3}
    assert here.revision == there.revision == 3


def test_both_list_the_same_agents(pair: Pair) -> None:
    begin = pair.a.agent().id
    names = [f"{begin}-{number}" for number in range(10)]
    for number, name in enumerate(names):
        pair.wires[number % 2].agent(name).set("key")
    for wire in pair.wires:
        request = agent_pb.ListAgentsRequest(agent_ids=[f"{begin}*"], page_size=100)
        assert [each.agent_id for each in wire.agents.ListAgents(request).agents] == names


def test_a_read_with_max_staleness_may_be_stale_but_soon_is_fresh(pair: Pair) -> None:
    here, there = pair.agents()
    here.set("key", 0)

    def stale() -> object:
        request = pb.GetEntryRequest(
            agent_id=there.id, key="key", consistency=Consistency(max_staleness=Duration(seconds=60))
        )
        return json.loads(there.wire.memory.GetEntry(request).entry.value_json)

    assert stale() == 0
    for number in range(1, 20):
        here.set("key", number)
        assert stale() in (number - 1, number)
        assert there.value("key") == number
        assert stale() == number
    here.set("key", "last")
    until(lambda: stale() == "last", "the read is fresh")
