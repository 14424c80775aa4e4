"""Concurrent callers: no write is lost, one factory runs, nothing deadlocks. WM-04, WM-25."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf.duration_pb2 import Duration
from tests.integration.wire import Memory, at_revision, code_of, details_of, refused
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import working_memory_service_pb2 as pb

FOUND, RESERVED, HELD = pb.RESERVE_OUTCOME_FOUND, pb.RESERVE_OUTCOME_RESERVED, pb.RESERVE_OUTCOME_HELD
NO_WAIT = Duration()
LONG = Duration(seconds=60)


def test_20_writers_with_compare_and_set_on_one_key_lose_nothing(agent: Memory) -> None:
    agent.set("counter", 0)

    def add_ten(_: int) -> int:
        lost = 0
        for _ in range(10):
            while True:
                entry = agent.get("counter").entry
                try:
                    agent.set("counter", json.loads(entry.value_json) + 1, precondition=at_revision(entry.revision))
                except grpc.RpcError as error:
                    code = code_of(error)
                    assert code is grpc.StatusCode.ABORTED
                    lost += 1
                else:
                    break
        return lost

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(add_ten, range(20), timeout=WAIT_S_MAX))
    assert agent.value("counter") == 200
    assert agent.revision == 201


def test_10_tasks_that_set_and_get_do_not_deadlock(agent: Memory) -> None:
    """WM-25."""
    scope_ids = [agent.scope(f"scope-{index}") for index in range(3)]

    def work(task: int) -> None:
        for index in range(20):
            scope_id = scope_ids[(task + index) % 3]
            agent.set(f"{task}", index, scope_id)
            agent.get(f"{(task + 1) % 10}", scope_id)
            agent.write({f"{task}": index, "shared": task})
            agent.list(scope_id, include_inherited=True)
            agent.remove("shared", scope_id)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10), timeout=WAIT_S_MAX))
    assert agent.values() == {str(task): 19 for task in range(10)} | {"shared": agent.value("shared")}


def test_get_or_set_by_50_callers_stores_one_value(agent: Memory) -> None:
    requests = [pb.GetOrSetEntryRequest(agent_id=agent.id, key="key", value_json=str(caller)) for caller in range(50)]
    answers = [each.result() for each in [agent.wire.memory.GetOrSetEntry.future(request) for request in requests]]
    assert sum(answer.created for answer in answers) == 1
    assert len({answer.entry.value_json for answer in answers}) == 1
    assert agent.revision == 1


def test_get_or_set_by_50_callers_runs_one_factory(agent: Memory) -> None:
    """WM-04."""
    made: list[int] = []

    def get_or_make(caller: int) -> object:
        answer = agent.reserve("key", lease_duration=Duration(seconds=20), wait_duration=Duration(seconds=20))
        if answer.outcome == RESERVED:
            made.append(caller)
            agent.set("key", caller, reservation_token=answer.reservation_token)
            return caller
        assert answer.outcome == FOUND
        return json.loads(answer.entry.value_json)

    with ThreadPoolExecutor(50) as pool:
        values = set(pool.map(get_or_make, range(50), timeout=WAIT_S_MAX))
    assert values == set(made)
    assert len(made) == 1


def test_a_dead_holder_is_replaced_by_exactly_one_after_its_lease(agent: Memory) -> None:
    """WM-04."""
    dead = agent.reserve("key", lease_duration=Duration(nanos=300_000_000))
    assert dead.outcome == RESERVED
    request = pb.ReserveEntryRequest(
        agent_id=agent.id, key="key", lease_duration=Duration(seconds=60), wait_duration=Duration(seconds=1)
    )
    answers = [each.result() for each in [agent.wire.memory.ReserveEntry.future(request) for _ in range(10)]]
    assert sorted(answer.outcome for answer in answers) == [RESERVED] + [HELD] * 9
    assert not any(answer.reservation_token for answer in answers if answer.outcome == HELD)
    lost = refused(lambda: agent.set("key", 1, reservation_token=dead.reservation_token))
    assert (lost.code, lost.reason) == (grpc.StatusCode.ABORTED, "RESERVATION_LOST")
    assert lost.own_metadata == {"key": "key"}
    (holder,) = (answer for answer in answers if answer.outcome == RESERVED)
    agent.set("key", 2, reservation_token=holder.reservation_token)
    assert agent.reserve("key").entry.value_json == "2"


def test_a_released_reservation_goes_to_the_next_waiting_caller(agent: Memory) -> None:
    """WM-04."""
    first = agent.reserve("key")
    waiting = agent.wire.memory.ReserveEntry.future(pb.ReserveEntryRequest(agent_id=agent.id, key="key"))
    assert agent.reserve("key", wait_duration=NO_WAIT).outcome == HELD
    agent.release("key", first.reservation_token)
    second = waiting.result()
    assert second.outcome == RESERVED
    assert second.reservation_token != first.reservation_token
    assert not agent.contains("key").found


def reserve_and_renew(agent: Memory) -> tuple[pb.ReserveEntryResponse, pb.RenewReservationResponse]:
    """Reserve a key for a short lease, and renew it before the lease ends; return both responses."""
    for lease_ms in (200, 2_000, 20_000):
        held = agent.reserve(
            "key", lease_duration=Duration(seconds=lease_ms // 1_000, nanos=lease_ms % 1_000 * 1_000_000)
        )
        try:
            return held, agent.renew("key", held.reservation_token, lease_duration=LONG)
        except grpc.RpcError as error:
            if details_of(error).reason != "RESERVATION_LOST":
                raise
    raise AssertionError("a lease of 20 s was over before it was renewed")


def test_renewing_holds_a_reservation_past_its_first_lease(agent: Memory) -> None:
    """WM-04."""
    held, renewed = reserve_and_renew(agent)
    first_end, second_end = (each.lease_expire_time.ToNanoseconds() for each in (held, renewed))
    assert second_end > first_end
    until(lambda: time.time_ns() > first_end, "the first lease is over")
    assert agent.reserve("key", wait_duration=NO_WAIT).outcome == HELD
    assert refused(lambda: agent.renew("key", "x")).reason == "RESERVATION_LOST"


def test_a_reservation_does_not_block_other_writers_and_ends_with_their_write(agent: Memory) -> None:
    """WM-04."""
    held = agent.reserve("key")
    waiting = agent.wire.memory.ReserveEntry.future(pb.ReserveEntryRequest(agent_id=agent.id, key="key"))
    assert agent.reserve("key", wait_duration=NO_WAIT).outcome == HELD
    agent.set("key", "by another")
    assert waiting.result().entry.value_json == '"by another"'
    assert refused(lambda: agent.set("key", 1, reservation_token=held.reservation_token)).reason == "RESERVATION_LOST"


def test_reservations_of_other_keys_scopes_and_agents_are_independent(agent: Memory) -> None:
    """WM-04, WM-01."""
    scope_id = agent.scope()
    assert agent.reserve("key").outcome == RESERVED
    assert agent.reserve("other", wait_duration=NO_WAIT).outcome == RESERVED
    assert agent.reserve("key", scope_id=scope_id, wait_duration=NO_WAIT).outcome == RESERVED
    assert agent.wire.agent().reserve("key", wait_duration=NO_WAIT).outcome == RESERVED


def test_a_scope_that_is_disposed_ends_the_wait_for_its_keys(agent: Memory) -> None:
    """WM-04, WM-13."""
    scope_id = agent.scope()
    agent.reserve("key", scope_id=scope_id)
    waiting = agent.wire.memory.ReserveEntry.future(
        pb.ReserveEntryRequest(agent_id=agent.id, scope_id=scope_id, key="key")
    )
    assert agent.reserve("key", scope_id=scope_id, wait_duration=NO_WAIT).outcome == HELD
    agent.dispose(scope_id)
    assert refused(waiting.result).reason == "SCOPE_DISPOSED"


def test_readers_never_see_half_a_batch(agent: Memory) -> None:
    agent.write({"a": 0, "b": 0})
    done = threading.Event()
    torn: list[object] = []

    def read() -> None:
        request = pb.BatchGetEntriesRequest(agent_id=agent.id, keys=["a", "b"])
        while not done.is_set():
            answer = agent.wire.memory.BatchGetEntries(request)
            if len({entry.value_json for entry in answer.entries}) != 1:
                torn.append(answer)

    reader = threading.Thread(target=read)
    reader.start()
    for index in range(200):
        agent.write({"a": index, "b": index})
    done.set()
    reader.join()
    assert not torn
