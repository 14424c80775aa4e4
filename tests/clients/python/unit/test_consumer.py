"""The steps of a consumer, performed by the test."""

import logging
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest

from memoryd.errors import CallFailed, LeaseLost, PermissionDenied, StorageFull, Unavailable
from memoryd.model.fragment import FragmentLease, fragment_from
from memoryd.protocol.call import Call
from memoryd.protocol.consumer import CONSUMER_WAIT, DELAY_S_MAX, Consumption, Pause, Steps, consume
from memoryd.protocol.fragment import Handle
from memoryd.v1.fragment_pb2 import Fragment

FRAGMENTS = [fragment_from(Fragment(fragment_id="mem_00000001"))]
LEASED = FragmentLease("token-1", FRAGMENTS, datetime(2030, 1, 1, tzinfo=UTC))
AWAY = Unavailable("away", code=grpc.StatusCode.UNAVAILABLE)


class Driver:
    """A flow, and the step that it waits for."""

    def __init__(self) -> None:
        self.stopped = False
        self.steps: Steps = consume(Consumption("a", 7, 3.0), lambda: self.stopped)
        self.step: Any = next(self.steps)

    def answer(self, answer: Any) -> None:
        self.step = self.steps.send(answer)

    def fail(self, error: BaseException) -> None:
        self.step = self.steps.throw(error)

    def request(self, name: str) -> Any:
        assert isinstance(self.step, Call)
        assert self.step.method.name == name
        return self.step.request

    def pause(self) -> float:
        assert isinstance(self.step, Pause)
        return self.step.seconds


def test_fragments_are_leased_handled_and_acknowledged_again_and_again() -> None:
    driver = Driver()
    request = driver.request("LeaseFragments")
    assert (request.agent_id, request.limit) == ("a", 7)
    assert (request.lease_duration.seconds, request.wait_duration.seconds) == (3, CONSUMER_WAIT)
    assert driver.step.patience == CONSUMER_WAIT
    driver.answer(LEASED)
    assert isinstance(driver.step, Handle)
    assert (driver.step.fragments, driver.step.interval) == (LEASED.fragments, 1.0)
    renewal = driver.step.renew()
    assert (renewal.method.name, renewal.request.lease_token) == ("RenewFragmentLease", "token-1")
    driver.answer(None)
    acknowledged = driver.request("AcknowledgeFragments")
    assert acknowledged.lease_token == "token-1"
    driver.answer(1)
    driver.request("LeaseFragments")


def test_an_empty_lease_is_repeated_until_the_consumer_is_stopped() -> None:
    driver = Driver()
    driver.answer(None)
    driver.request("LeaseFragments")
    driver.stopped = True
    with pytest.raises(StopIteration):
        driver.answer(None)


@pytest.mark.parametrize("answer", [1, AWAY])
def test_fragments_that_come_after_the_stop_are_given_back_unhandled(answer: int | CallFailed) -> None:
    driver = Driver()
    driver.stopped = True
    driver.answer(LEASED)
    assert driver.request("ReleaseFragments").lease_token == "token-1"
    with pytest.raises(StopIteration):
        driver.fail(answer) if isinstance(answer, CallFailed) else driver.answer(answer)


def test_after_the_stop_nothing_is_waited_for() -> None:
    asking, handling = Driver(), Driver()
    handling.answer(LEASED)
    for driver in (asking, handling):
        driver.stopped = True
    with pytest.raises(StopIteration):
        asking.fail(AWAY)
    handling.fail(ValueError("no"))
    assert handling.request("ReleaseFragments")
    with pytest.raises(StopIteration):
        handling.answer(1)


def test_a_handler_that_raises_releases_the_fragments_and_the_pauses_grow() -> None:
    driver = Driver()
    pauses = []
    for _ in range(14):
        driver.answer(LEASED)
        driver.fail(ValueError("no"))
        assert driver.request("ReleaseFragments")
        driver.answer(1)
        pauses.append(driver.pause())
        driver.answer(None)
    assert pauses[0] <= 0.1
    assert DELAY_S_MAX / 2 <= pauses[-1] <= DELAY_S_MAX
    driver.answer(LEASED)
    driver.answer(None)
    driver.answer(1)
    driver.request("LeaseFragments")


def test_releasing_may_fail_too() -> None:
    driver = Driver()
    driver.answer(LEASED)
    driver.fail(ValueError("no"))
    driver.fail(AWAY)
    assert driver.pause() <= 0.1


def test_a_cancelled_handler_releases_the_fragments_and_ends() -> None:
    driver = Driver()
    driver.answer(LEASED)
    driver.fail(KeyboardInterrupt())
    assert driver.request("ReleaseFragments")
    with pytest.raises(KeyboardInterrupt):
        driver.answer(1)


def test_a_lost_lease_is_logged_and_the_next_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    driver = Driver()
    driver.answer(LEASED)
    driver.answer(None)
    driver.fail(LeaseLost("lost", code=grpc.StatusCode.ABORTED))
    driver.request("LeaseFragments")
    assert "may be delivered again: lost" in caplog.text


def test_fragments_that_could_not_be_acknowledged_are_logged_also_after_the_stop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    driver = Driver()
    driver.answer(LEASED)
    driver.answer(None)
    driver.stopped = True
    with pytest.raises(StopIteration):
        driver.fail(AWAY)
    assert "1 handled fragments not acknowledged, may be delivered again: away" in caplog.text


@pytest.mark.parametrize("error", [AWAY, StorageFull("full", code=grpc.StatusCode.RESOURCE_EXHAUSTED)])
def test_a_transient_error_is_retried(error: Exception) -> None:
    driver = Driver()
    driver.fail(error)
    assert driver.pause() <= 0.1
    driver.answer(None)
    driver.answer(LEASED)
    driver.answer(None)
    driver.fail(error)
    assert driver.pause() <= 0.2


def test_a_permanent_error_ends_it_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    driver = Driver()
    with pytest.raises(PermissionDenied):
        driver.fail(PermissionDenied("no", code=grpc.StatusCode.PERMISSION_DENIED))
    logged = ("memoryd", logging.ERROR, "consumer of agent a ended: no")
    assert caplog.record_tuples == [logged]


def test_a_flow_that_is_closed_while_a_handler_runs_asks_for_nothing_more() -> None:
    driver = Driver()
    driver.answer(LEASED)
    driver.steps.close()
