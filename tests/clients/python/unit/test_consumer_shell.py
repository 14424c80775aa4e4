"""A consumer in both clients. The test is the server, and decides when a call gets its response."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from queue import Queue
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from tests.wait import WAIT_S_MAX

import memoryd
from memoryd import errors
from memoryd.protocol.fragment import count_fragments
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd.v1.fragment_pb2 import Fragment
from memoryd.v1.fragment_service_pb2_grpc import FragmentServiceServicer, add_FragmentServiceServicer_to_server

HOUR_S = 3600
LEASED = pb.LeaseFragmentsResponse(lease_token="token-1", fragments=[Fragment(fragment_id="mem_00000001")])
ACKNOWLEDGED = pb.AcknowledgeFragmentsResponse(acknowledged_fragment_count=1)


class Pending:
    """A call that waits for the test."""

    def __init__(self, request: Any) -> None:
        self.request = request
        self._outcome: Future[Callable[[grpc.ServicerContext], Any]] = Future()

    def answer(self, response: Any) -> None:
        self._outcome.set_result(lambda _: response)

    def postpone(self) -> None:
        """Fail the call with a RetryInfo of an hour."""
        retry = AnyMessage()
        retry.Pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=HOUR_S)))
        # gRPC itself repeats what is UNAVAILABLE, but not what is CANCELLED.
        status = status_pb2.Status(code=grpc.StatusCode.CANCELLED.value[0], details=[retry])
        self._outcome.set_result(lambda context: context.abort_with_status(rpc_status.to_status(status)))

    def outcome(self, context: grpc.ServicerContext) -> Any:
        return self._outcome.result(WAIT_S_MAX)(context)


class Server(FragmentServiceServicer):
    """A fake daemon."""

    def __init__(self) -> None:
        self.postpones_all = False
        self.calls = 0
        self._waiting: Queue[Pending] = Queue()

    def next(self) -> Pending:
        return self._waiting.get(timeout=WAIT_S_MAX)

    def LeaseFragments(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the stub's
        return self._ask(request, context)

    AcknowledgeFragments = CountFragments = ReleaseFragments = RenewFragmentLease = LeaseFragments

    def _ask(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.calls += 1
        pending = Pending(request)
        if self.postpones_all:
            pending.postpone()
        self._waiting.put(pending)
        return pending.outcome(context)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    listening = grpc.server(ThreadPoolExecutor(4))
    add_FragmentServiceServicer_to_server(server, listening)  # type: ignore[no-untyped-call]
    port = listening.add_insecure_port("127.0.0.1:0")
    listening.start()
    yield f"127.0.0.1:{port}"
    listening.stop(None).wait()


@pytest.fixture
def client(address: str) -> Iterator[memoryd.Client]:
    """A client whose timeouts are two hours."""
    with memoryd.connect(address, timeout=2 * HOUR_S, connect_timeout=2 * HOUR_S) as client:
        yield client


@pytest.fixture
def connect(address: str) -> Callable[[], memoryd.aio.Client]:
    return lambda: memoryd.aio.connect(address, timeout=2 * HOUR_S, connect_timeout=2 * HOUR_S)


def test_fragments_that_come_after_the_stop_are_given_back(server: Server, client: memoryd.Client) -> None:
    handled: list[Any] = []
    with ThreadPoolExecutor(1) as background, client.agent("a").fragments.on_flush(handled.append) as consumer:
        lease = server.next()
        closing = background.submit(consumer.close)
        assert consumer._stopped.wait(WAIT_S_MAX)
        lease.answer(LEASED)
        settled = server.next()
        settled.answer(ACKNOWLEDGED)
        closing.result(WAIT_S_MAX)
    assert (type(settled.request).__name__, settled.request.lease_token, handled) == (
        "ReleaseFragmentsRequest",
        "token-1",
        [],
    )


async def test_fragments_that_come_after_the_stop_are_given_back_in_a_task_too(
    server: Server, connect: Callable[[], memoryd.aio.Client]
) -> None:
    handled: list[Any] = []
    async with connect() as client, client.agent("a").fragments.on_flush(handled.append) as consumer:
        lease = await asyncio.to_thread(server.next)
        closing = asyncio.create_task(consumer.close())
        await consumer._stopped.wait()
        lease.answer(LEASED)
        settled = await asyncio.to_thread(server.next)
        settled.answer(ACKNOWLEDGED)
        await closing
    assert (type(settled.request).__name__, settled.request.lease_token, handled) == (
        "ReleaseFragmentsRequest",
        "token-1",
        [],
    )


def test_a_consumer_that_is_closed_waits_for_no_later_attempt(server: Server, client: memoryd.Client) -> None:
    acknowledging = threading.Event()
    with client.agent("a").fragments.on_flush(lambda _: acknowledging.set()):
        lease = server.next()
        server.postpones_all = True
        lease.answer(LEASED)
        assert acknowledging.wait(WAIT_S_MAX)


async def test_a_consumer_that_is_closed_waits_for_no_later_attempt_in_a_task_too(
    server: Server, connect: Callable[[], memoryd.aio.Client]
) -> None:
    acknowledging = asyncio.Event()
    async with connect() as client, client.agent("a").fragments.on_flush(lambda _: acknowledging.set()):
        lease = await asyncio.to_thread(server.next)
        server.postpones_all = True
        lease.answer(LEASED)
        await acknowledging.wait()


def test_a_renewal_that_waits_to_be_tried_again_ends_with_the_handler(server: Server, client: memoryd.Client) -> None:
    may_end = threading.Event()
    with client.agent("a").fragments.on_flush(lambda _: may_end.wait(WAIT_S_MAX), lease=timedelta(milliseconds=3)):
        server.next().answer(LEASED)
        renewal = server.next()
        server.postpones_all = True
        renewal.postpone()
        may_end.set()
    assert renewal.request.lease_token == "token-1"


def test_the_lease_of_a_slow_handler_is_renewed_and_closing_waits_for_it(
    server: Server, client: memoryd.Client
) -> None:
    may_end = threading.Event()
    slow = client.agent("a").fragments.on_flush(lambda _: may_end.wait(WAIT_S_MAX), lease=timedelta(milliseconds=3))
    with ThreadPoolExecutor(1) as background, slow as consumer:
        server.next().answer(LEASED)
        for _ in range(5):
            renewal = server.next()
            assert renewal.request.lease_token == "token-1"
            renewal.answer(LEASED)
        closing = background.submit(consumer.close)
        assert consumer._stopped.wait(WAIT_S_MAX)
        assert not closing.done()
        may_end.set()
        settled = server.next()
        while isinstance(settled.request, pb.RenewFragmentLeaseRequest):
            settled.answer(LEASED)
            settled = server.next()
        settled.answer(ACKNOWLEDGED)
        closing.result(WAIT_S_MAX)
    assert (type(settled.request).__name__, settled.request.lease_token) == ("AcknowledgeFragmentsRequest", "token-1")


class StopMeanwhile(threading.Event):
    """A flag that is set while a retry is waited for."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


class StopMeanwhileOfTask(asyncio.Event):
    """A flag that is set while a task waits for a retry."""

    async def wait(self) -> bool:  # type: ignore[override]
        self.set()
        return True


def test_a_call_that_is_stopped_is_tried_one_last_time(server: Server, client: memoryd.Client) -> None:
    server.postpones_all = True
    with pytest.raises(errors.Cancelled):
        client._channel.run(count_fragments("a"), StopMeanwhile())
    assert server.calls == 2


async def test_a_call_that_is_stopped_is_tried_one_last_time_in_a_task_too(
    server: Server, connect: Callable[[], memoryd.aio.Client]
) -> None:
    server.postpones_all = True
    async with connect() as client:
        with pytest.raises(errors.Cancelled):
            await client._channel.run(count_fragments("a"), StopMeanwhileOfTask())
    assert server.calls == 2
