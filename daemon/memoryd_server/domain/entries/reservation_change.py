"""Commands that take, renew and release reservations."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import ReservationLost


class EntryReserved(Result, frozen=True, array_like=True, tag=True):
    """The result of ReserveEntry and RenewReservation: an entry, or the caller's or another caller's reservation."""

    entry: Entry | None
    reservation: Reservation | None
    held_by_caller: bool
    revision: int

    @property
    def held_by_other(self) -> bool:
        """True if the caller must wait for another caller's reservation."""
        return self.reservation is not None and not self.held_by_caller

    @property
    def is_provisional(self) -> bool:
        """True if another caller holds the reservation."""
        return self.held_by_other

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the entry."""
        return RESULT_BYTES + (0 if self.entry is None else self.entry.size_bytes)


class ReservationReleased(Result, frozen=True, array_like=True, tag=True):
    """The result of ReleaseReservation."""

    revision: int


class ReserveEntry(Command[EntryReserved], frozen=True):
    """Return the entry of a key, or reserve the key for ``lease_ns`` if it has none."""

    scope_id: str
    key: str
    new_token: str
    lease_ns: int
    local_only: bool = False

    def decide(self, transition: Transition) -> EntryReserved:
        """Return the entry, or reserve the key unless another caller holds its reservation.

        Raises ScopeDisposed, RecordNotFound, and QuotaExceeded: there must be room for the entry of each reservation.
        """
        working = transition.open(WORKING_MEMORY)
        now = transition.now
        entry = working.before.find(self.scope_id, self.key, now, local_only=self.local_only)
        if entry is not None:
            working.note_use(self.scope_id)
            return EntryReserved(entry, None, False, transition.state.revision)
        held = working.reservation(self.scope_id, self.key)
        if held is not None:
            working.note_use(self.scope_id)
            return EntryReserved(None, held, False, transition.state.revision)
        working.check_room()
        reservation = Reservation(self.scope_id, self.key, self.new_token, now + self.lease_ns)
        working.put_reservation(reservation)
        working.renew_scope(self.scope_id)
        return EntryReserved(None, reservation, True, transition.revision)


class RenewReservation(Command[EntryReserved], frozen=True):
    """Renew a reservation, so that it expires ``lease_ns`` from now."""

    scope_id: str
    key: str
    token: str
    lease_ns: int

    def decide(self, transition: Transition) -> EntryReserved:
        """Renew a reservation. Raises ScopeDisposed, RecordNotFound, ReservationLost."""
        working = transition.open(WORKING_MEMORY)
        _held(self, transition)
        reservation = Reservation(self.scope_id, self.key, self.token, transition.now + self.lease_ns)
        working.put_reservation(reservation)
        working.renew_scope(self.scope_id)
        return EntryReserved(None, reservation, True, transition.revision)


class ReleaseReservation(Command[ReservationReleased], frozen=True):
    """Release a reservation before it expires."""

    scope_id: str
    key: str
    token: str

    def decide(self, transition: Transition) -> ReservationReleased:
        """Release a reservation. Raises ScopeDisposed, RecordNotFound, ReservationLost."""
        working = transition.open(WORKING_MEMORY)
        _held(self, transition)
        working.drop_reservation(self.scope_id, self.key)
        return ReservationReleased(transition.revision)


def _held(command: RenewReservation | ReleaseReservation, transition: Transition) -> None:
    working = transition.open(WORKING_MEMORY)
    working.before.local_entries(command.scope_id)
    reservation = working.reservation(command.scope_id, command.key)
    if reservation is None or reservation.token != command.token:
        raise ReservationLost(command.key)
