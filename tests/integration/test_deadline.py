"""Deadlines and cancelled calls."""

import os
import signal
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from tests.daemon import Daemon
from tests.integration.wire import ABSENT, Memory, Wire, code_of

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import working_memory_service_pb2 as pb


def ended(call: Callable[[], object]) -> grpc.StatusCode:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return code_of(caught.value)


def test_a_deadline_ends_a_wait_for_a_reservation(agent: Memory) -> None:
    held = agent.reserve("key", lease_duration=Duration(seconds=600))
    request = pb.ReserveEntryRequest(agent_id=agent.id, key="key", wait_duration=Duration(seconds=60))
    call = agent.wire.memory.ReserveEntry
    code = ended(lambda: call(request, timeout=0.3))  # time: it must expire
    assert code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert agent.set("key", 1, reservation_token=held.reservation_token).revision == agent.revision


def test_a_cancelled_waiting_call_does_not_get_the_reservation(agent: Memory) -> None:
    held = agent.reserve("key")
    request = pb.ReserveEntryRequest(agent_id=agent.id, key="key", wait_duration=Duration(seconds=60))
    waiting: list[Any] = [agent.wire.memory.ReserveEntry.future(request) for _ in range(3)]
    assert agent.reserve("key", wait_duration=Duration()).outcome == pb.RESERVE_OUTCOME_HELD
    for call in waiting[:2]:
        call.cancel()
    assert agent.reserve("key", wait_duration=Duration()).outcome == pb.RESERVE_OUTCOME_HELD
    agent.release("key", held.reservation_token)
    assert waiting[2].result().outcome == pb.RESERVE_OUTCOME_RESERVED


def test_a_call_that_exceeds_its_deadline_changes_all_or_nothing(agent: Memory) -> None:
    """The client cannot know which; the agent's revision shows it."""
    keys = {f"key-{index}" for index in range(50)}
    operations = [pb.EntryOperation(set=pb.SetEntryOperation(key=key, value_json="1")) for key in keys]
    for timeout_s in (0.0001, 0.001, 0.002, 0.004, 0.008):
        request = pb.BatchWriteEntriesRequest(agent_id=agent.id, operations=operations)
        try:
            agent.wire.memory.BatchWriteEntries(request, timeout=timeout_s)
        except grpc.RpcError as error:
            code = code_of(error)
            assert code is grpc.StatusCode.DEADLINE_EXCEEDED
        assert agent.values().keys() in (set(), keys)


def test_a_call_that_is_cancelled_before_it_is_decided_changes_nothing(daemon: Daemon, connect: Any) -> None:
    """The daemon's process is paused meanwhile, so that it receives the call and its cancellation together."""
    wire: Wire = connect(daemon)
    agent = wire.agent()
    agent.set("before")
    os.kill(daemon.pid, signal.SIGSTOP)
    call: Any = wire.memory.SetEntry.future(pb.SetEntryRequest(agent_id=agent.id, key="cancelled", value_json="1"))
    call.cancel()
    os.kill(daemon.pid, signal.SIGCONT)
    assert call.cancelled()
    assert agent.set("after").revision in (2, 3)
    assert (agent.value("cancelled") is ABSENT) == (agent.revision == 2)


def test_a_watch_ends_with_its_deadline(agent: Memory) -> None:
    call = agent.wire.events.WatchEvents(event_pb.WatchEventsRequest(), timeout=0.3)  # time: it must expire
    assert ended(lambda: list(call)) is grpc.StatusCode.DEADLINE_EXCEEDED
