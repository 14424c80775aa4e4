"""Get-or-set with a factory, atomic across all clients, as a generator of steps that ``sync`` and ``aio`` perform."""

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from memoryd.errors import DeadlineExceeded, MemorydError, ReservationLost
from memoryd.model.entry import Entry, entry_from
from memoryd.model.moment import duration_of
from memoryd.model.value import as_read
from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.protocol.entry import Place, set_entry, value_of
from memoryd.protocol.option import EntryOptions
from memoryd.v1 import working_memory_service_pb2 as pb

DEFAULT_LEASE = 10.0
# How long one call waits for another holder, in seconds. The flow repeats the call for as long as its own wait allows.
WAIT_EACH = 20.0
# Renewals within the time of one lease: if one fails, the next still comes in time.
RENEWALS_PER_LEASE = 3


@dataclass(frozen=True, slots=True)
class Reserved:
    """The result of requesting a reservation: an entry, or a token, or neither while another caller holds it."""

    entry: Entry | None
    token: str


@dataclass(frozen=True, slots=True)
class Make:
    """The step of making the value: run the caller's factory, and renew the lease every ``interval`` seconds."""

    renew: Callable[[], Call[None]]
    interval: float


class Renewed(Protocol):
    """A step during which a lease is renewed every ``interval`` seconds."""

    @property
    def renew(self) -> Callable[[], Call[Any]]:
        """A function that returns the call that renews the lease."""
        ...

    @property
    def interval(self) -> float:
        """Seconds from one renewal to the next."""
        ...


Flow = Generator[Call[Any] | Make, Any, Any]


@dataclass(frozen=True, slots=True)
class Reservation:
    """The parameters of a get-or-set. Times are in seconds. ``wait`` None waits as long as others hold reservations."""

    place: Place
    key: str
    local_only: bool
    lease: float
    wait: float | None


def get_or_set(
    reservation: Reservation, expected: type[Any] | None, options: EntryOptions, clock: Callable[[], float]
) -> Flow:
    """Return the key's value; if there is none, make and store one.

    The caller performs each step, and sends its result or throws its error into this generator. A value that was made
    is kept: if the reservation is lost meanwhile, the same value is stored under the next one, not made again.
    """
    until = None if reservation.wait is None else clock() + reservation.wait
    made: list[Any] = []
    while True:
        wait = WAIT_EACH if until is None else max(0.0, min(WAIT_EACH, until - clock()))
        reserved: Reserved = yield reserve_entry(reservation, wait)
        if reserved.entry is not None:
            return value_of(reserved.entry, expected)
        if not reserved.token:
            _check_patience(reservation.key, until, clock)
            continue
        try:
            if not made:
                interval = reservation.lease / RENEWALS_PER_LEASE
                made.append((yield Make(partial(renew, reservation, reserved.token), interval)))
            yield set_entry(reservation.place, reservation.key, made[0], options, reservation_token=reserved.token)
        except ReservationLost:
            continue
        except GeneratorExit:
            raise  # the generator is being closed: no other step would be performed
        except BaseException:
            with suppress(MemorydError):
                yield give_up(reservation.place, reservation.key, reserved.token)
            raise
        return as_read(made[0], expected, reservation.key)


def reserve_entry(reservation: Reservation, wait: float) -> Call[Reserved]:
    """Request the entry or a reservation of it, and wait up to ``wait`` seconds while another caller holds it."""
    place = reservation.place
    request = pb.ReserveEntryRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=reservation.key,
        local_only=reservation.local_only,
        lease_duration=duration_of(reservation.lease),
        wait_duration=duration_of(wait),
        request_id=new_request_id(),
    )
    return call(method.RESERVE_ENTRY, request, _reserved_from, patience=wait, undo=partial(_give_back, reservation))


def _give_back(reservation: Reservation, reserved: Reserved) -> Call[None] | None:
    """Return the call that gives back what a caller does not wait for any more, if it is a reservation."""
    return give_up(reservation.place, reservation.key, reserved.token) if reserved.token else None


def renew(reservation: Reservation, token: str) -> Call[None]:
    """Renew a reservation."""
    place = reservation.place
    request = pb.RenewReservationRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=reservation.key,
        reservation_token=token,
        lease_duration=duration_of(reservation.lease),
        request_id=new_request_id(),
    )
    return call(method.RENEW_RESERVATION, request, lambda answer: None)


def give_up(place: Place, key: str, token: str) -> Call[None]:
    """Give a reservation up, so that the next waiting caller gets it."""
    request = pb.ReleaseReservationRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=key,
        reservation_token=token,
        request_id=new_request_id(),
    )
    return call(method.RELEASE_RESERVATION, request, lambda answer: None)


def _reserved_from(answer: pb.ReserveEntryResponse) -> Reserved:
    found = answer.outcome == pb.RESERVE_OUTCOME_FOUND
    held = answer.outcome == pb.RESERVE_OUTCOME_HELD
    return Reserved(entry_from(answer.entry) if found else None, "" if held else answer.reservation_token)


def _check_patience(key: str, until: float | None, clock: Callable[[], float]) -> None:
    if until is not None and clock() >= until:
        raise DeadlineExceeded(f"another caller is still making the value of {key!r}")
