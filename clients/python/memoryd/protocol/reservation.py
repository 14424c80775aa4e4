"""Get-or-set with a factory, atomic across all clients: a flow of steps that a shell performs."""

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from memoryd.errors import DeadlineExceeded, MemorydError, ReservationLost
from memoryd.model.entry import Entry, entry_from
from memoryd.model.moment import duration_of
from memoryd.model.value import decode, encode
from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.protocol.entry import Place, set_entry, value_of
from memoryd.protocol.option import EntryOptions
from memoryd.v1 import working_memory_service_pb2 as pb

DEFAULT_LEASE = 30.0
# How long one call waits for another holder, in seconds: the flow calls again for as long as its own wait allows.
WAIT_EACH = 20.0
# A lease is renewed so often before it ends, so that a renewal may fail and the next still comes in time.
RENEWALS_PER_LEASE = 3


@dataclass(frozen=True, slots=True)
class Reserved:
    """What became of asking for a reservation: an entry, or a token, or neither while another holds it."""

    entry: Entry | None
    token: str


@dataclass(frozen=True, slots=True)
class Make:
    """The step of making the value: run the caller's factory, and renew its lease every ``interval`` seconds."""

    renew: Callable[[], Call[Reserved]]
    interval: float


class Renewed(Protocol):
    """A step during which a lease is renewed every ``interval`` seconds."""

    @property
    def renew(self) -> Callable[[], Call[Any]]:
        """Makes the call that renews it."""
        ...

    @property
    def interval(self) -> float:
        """Seconds from one renewal to the next."""
        ...


Flow = Generator[Call[Any] | Make, Any, Any]


@dataclass(frozen=True, slots=True)
class Reservation:
    """What is asked for: times are in seconds. ``wait`` None waits for as long as others hold the reservation."""

    place: Place
    key: str
    local_only: bool
    lease: float
    wait: float | None


def get_or_set(
    asked: Reservation, expected: type[Any] | None, options: EntryOptions, clock: Callable[[], float]
) -> Flow:
    """Answer the value that is there, or make and store it.

    The shell performs each Call and each Make, and sends the answer or throws the error into this generator.
    Once made, a value is kept: when the reservation is lost meanwhile, it is offered again, not made again.
    """
    until = None if asked.wait is None else clock() + asked.wait
    made: list[Any] = []
    while True:
        wait = WAIT_EACH if until is None else max(0.0, min(WAIT_EACH, until - clock()))
        reserved: Reserved = yield reserve_entry(asked, wait)
        if reserved.entry is not None:
            return value_of(reserved.entry, expected)
        if not reserved.token:
            _check_patience(asked.key, until, clock)
            continue
        try:
            if not made:
                made.append((yield Make(partial(renew, asked, reserved.token), asked.lease / RENEWALS_PER_LEASE)))
            yield set_entry(asked.place, asked.key, made[0], options, reservation_token=reserved.token)
        except ReservationLost:
            continue
        except GeneratorExit:
            raise  # nobody is there to perform another step
        except BaseException:
            with suppress(MemorydError):
                yield give_up(asked.place, asked.key, reserved.token)
            raise
        return decode(encode(made[0]))


def reserve_entry(asked: Reservation, wait: float) -> Call[Reserved]:
    """Ask for the entry, or for the right to make it, and wait for another holder."""
    request = _request(asked)
    request.wait.CopyFrom(duration_of(wait))
    return call(method.RESERVE_ENTRY, request, _reserved_from, patience=wait)


def renew(asked: Reservation, token: str) -> Call[Reserved]:
    """Renew a reservation that is held."""
    request = _request(asked)
    request.reservation_token = token
    return call(method.RESERVE_ENTRY, request, _reserved_from)


def give_up(place: Place, key: str, token: str) -> Call[bool]:
    """Let the next caller make the value."""
    request = pb.RemoveEntryRequest(
        agent_id=place.agent_id,
        scope_id=place.scope_id,
        key=key,
        reservation_token=token,
        request_id=new_request_id(),
    )
    return call(method.REMOVE_ENTRY, request, lambda answer: answer.removed)


def _request(asked: Reservation) -> pb.ReserveEntryRequest:
    return pb.ReserveEntryRequest(
        agent_id=asked.place.agent_id,
        scope_id=asked.place.scope_id,
        key=asked.key,
        local_only=asked.local_only,
        lease=duration_of(asked.lease),
        request_id=new_request_id(),
    )


def _reserved_from(answer: pb.ReserveEntryResponse) -> Reserved:
    found = answer.outcome == pb.RESERVE_OUTCOME_FOUND
    held = answer.outcome == pb.RESERVE_OUTCOME_HELD
    return Reserved(entry_from(answer.entry) if found else None, "" if held else answer.reservation_token)


def _check_patience(key: str, until: float | None, clock: Callable[[], float]) -> None:
    if until is not None and clock() >= until:
        raise DeadlineExceeded(f"another caller is still making the value of {key!r}")
