"""The steps of get-or-set, performed by the test."""

from typing import Any

import pytest

from memoryd.errors import DeadlineExceeded, ReservationLost, TooLarge, Unavailable, WrongType
from memoryd.model.entry import Entry, entry_from, stored_from
from memoryd.protocol.call import Call
from memoryd.protocol.entry import Place
from memoryd.protocol.reservation import WAIT_EACH, Flow, Make, Reservation, Reserved, get_or_set
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.entry_pb2 import Entry as EntryMessage

RESERVED = Reserved(None, "token-1")
HELD = Reserved(None, "")
STORED = stored_from(pb.SetEntryResponse(created=True, revision=1))


def found(value_json: str) -> Entry:
    return entry_from(EntryMessage(key="k", value_json=value_json))


def flow(*, wait: float | None = None, expected: type[Any] | None = None, now: list[float] | None = None) -> Flow:
    asked = Reservation(Place("a"), "k", local_only=False, lease=3.0, wait=wait)
    return get_or_set(asked, expected, {"importance": 0.9}, lambda: (now or [0.0])[0])


def call_of(step: Call[Any] | Make, name: str) -> Any:
    assert isinstance(step, Call)
    assert step.method.name == name
    return step.request


def finish(steps: Flow, answer: Any) -> Any:
    with pytest.raises(StopIteration) as done:
        steps.send(answer)
    return done.value.value


def test_an_existing_value_is_returned_without_the_factory() -> None:
    steps = flow()
    call_of(next(steps), "ReserveEntry")
    assert finish(steps, Reserved(found('"there"'), "")) == "there"


def test_a_value_of_another_type_is_refused() -> None:
    steps = flow(expected=int)
    next(steps)
    with pytest.raises(WrongType):
        steps.send(Reserved(found('"there"'), ""))


def test_the_reserved_key_is_made_and_stored_with_the_token() -> None:
    steps = flow()
    next(steps)
    assert isinstance(steps.send(RESERVED), Make)
    request = call_of(steps.send((1, 2)), "SetEntry")
    assert (request.value_json, request.reservation_token, request.importance) == ("[1,2]", "token-1", 0.9)
    assert finish(steps, STORED) == [1, 2]


def test_the_lease_is_renewed_well_before_it_ends() -> None:
    steps = flow()
    next(steps)
    make = steps.send(RESERVED)
    assert isinstance(make, Make)
    assert make.interval == 1.0
    request = call_of(make.renew(), "RenewReservation")
    assert (request.reservation_token, request.lease_duration.seconds) == ("token-1", 3)


def test_a_held_key_is_waited_for_again_and_again() -> None:
    steps = flow()
    first = call_of(next(steps), "ReserveEntry")
    second = call_of(steps.send(HELD), "ReserveEntry")
    assert first.wait_duration.seconds == second.wait_duration.seconds == WAIT_EACH
    assert first.request_id != second.request_id


def test_the_wait_for_another_holder_can_be_bounded() -> None:
    now = [0.0]
    steps = flow(wait=5.0, now=now)
    assert call_of(next(steps), "ReserveEntry").wait_duration.seconds == 5
    now[0] = 5.0
    with pytest.raises(DeadlineExceeded):
        steps.send(HELD)


def test_a_failing_factory_gives_the_reservation_up_and_its_error_is_raised() -> None:
    steps = flow()
    next(steps)
    steps.send(RESERVED)
    request = call_of(steps.throw(ZeroDivisionError()), "ReleaseReservation")
    assert request.reservation_token == "token-1"
    with pytest.raises(ZeroDivisionError):
        steps.send(False)


def test_a_reservation_that_cannot_be_given_up_hides_no_error() -> None:
    steps = flow()
    next(steps)
    steps.send(RESERVED)
    steps.throw(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        steps.throw(Unavailable("gone"))


def test_a_refused_value_gives_the_reservation_up() -> None:
    steps = flow()
    next(steps)
    steps.send(RESERVED)
    steps.send("value")
    call_of(steps.throw(TooLarge("too large")), "ReleaseReservation")
    with pytest.raises(TooLarge):
        steps.send(False)


def test_after_a_lost_reservation_anothers_value_is_answered() -> None:
    steps = flow()
    next(steps)
    steps.send(RESERVED)
    steps.send("mine")
    call_of(steps.throw(ReservationLost("lost")), "ReserveEntry")
    assert finish(steps, Reserved(found('"theirs"'), "")) == "theirs"


def test_after_a_lost_reservation_the_value_is_offered_again_and_not_made_again() -> None:
    steps = flow()
    next(steps)
    steps.send(RESERVED)
    steps.send("mine")
    steps.throw(ReservationLost("lost"))
    request = call_of(steps.send(Reserved(None, "token-2")), "SetEntry")
    assert (request.value_json, request.reservation_token) == ('"mine"', "token-2")
    assert finish(steps, STORED) == "mine"
