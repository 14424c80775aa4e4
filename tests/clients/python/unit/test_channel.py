"""The synchronous channel against gRPC's own testing channel, where the test is the server."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import grpc
import grpc_testing
import pytest

import memoryd
from memoryd.v1 import working_memory_service_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["WorkingMemoryService"]
SET_ENTRY = SERVICE.methods_by_name["SetEntry"]
GET_ENTRY = SERVICE.methods_by_name["GetEntry"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A fake channel that the client uses as its connection."""
    channel = grpc_testing.channel([SERVICE], grpc_testing.strict_real_time())
    monkeypatch.setattr(grpc, "insecure_channel", lambda *_, **__: channel)
    return channel


@pytest.fixture
def agent(server: Any) -> memoryd.Agent:
    return memoryd.connect("127.0.0.1:1", origin="planner", token="secret").agent("a")


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


def test_a_change_that_got_no_answer_is_sent_again_with_the_same_request_id(
    server: Any, agent: memoryd.Agent, background: ThreadPoolExecutor
) -> None:
    stored: Future[memoryd.Stored] = background.submit(agent.set, "k", 1)
    _, first, call = server.take_unary_unary(SET_ENTRY)
    call.terminate(None, (), grpc.StatusCode.UNAVAILABLE, "gone")
    _, second, call = server.take_unary_unary(SET_ENTRY)
    call.terminate(pb.SetEntryResponse(created=True, revision=7), (), grpc.StatusCode.OK, "")
    assert stored.result().revision == 7
    assert first == second
    assert first.request_id


def test_a_call_carries_who_makes_it(server: Any, agent: memoryd.Agent, background: ThreadPoolExecutor) -> None:
    value: Future[Any] = background.submit(agent.get, "k")
    metadata, request, call = server.take_unary_unary(GET_ENTRY)
    call.terminate(pb.GetEntryResponse(revision=1), (), grpc.StatusCode.OK, "")
    assert value.result() is None
    assert (request.agent_id, request.key) == ("a", "k")
    assert {("memoryd-origin", "planner"), ("authorization", "Bearer secret")} <= set(metadata)


def test_a_refusal_is_not_retried(server: Any, agent: memoryd.Agent, background: ThreadPoolExecutor) -> None:
    stored: Future[memoryd.Stored] = background.submit(agent.set, "k", 1)
    _, _, call = server.take_unary_unary(SET_ENTRY)
    call.terminate(None, (), grpc.StatusCode.INVALID_ARGUMENT, "no")
    with pytest.raises(memoryd.errors.InvalidArgument):
        stored.result()
