"""How commands about reservations are decided."""

from memoryd_server.domain.agent.command import ReleaseReservation, RenewReservation, ReserveEntry
from memoryd_server.domain.agent.result import EntryReserved, ReservationReleased
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.error import LimitExceeded, ReservationLost


def reserve_entry(command: ReserveEntry, transition: Transition) -> EntryReserved:
    """Find an entry, or take the right to make it unless another has it.

    Raises ScopeDisposed, ScopeNotFound, and LimitExceeded: there are no more reservations than there may be entries.
    """
    state, now = transition.state, transition.now
    entry = state.find(command.scope_id, command.key, now, local_only=command.local_only)
    if entry is not None:
        return EntryReserved(entry, None, False, state.revision)
    held = transition.reservation(command.scope_id, command.key)
    if held is not None:
        return EntryReserved(None, held, False, state.revision)
    if len(state.reservations) >= transition.limits.entries_per_agent:
        raise LimitExceeded("entries_per_agent", transition.limits.entries_per_agent)
    reservation = Reservation(command.scope_id, command.key, command.new_token, now + command.lease_ns)
    transition.put_reservation(reservation)
    return EntryReserved(None, reservation, True, transition.revision)


def renew_reservation(command: RenewReservation, transition: Transition) -> EntryReserved:
    """Hold a reservation for longer. Raises ScopeDisposed, ScopeNotFound, ReservationLost."""
    _held(command, transition)
    reservation = Reservation(command.scope_id, command.key, command.token, transition.now + command.lease_ns)
    transition.put_reservation(reservation)
    return EntryReserved(None, reservation, True, transition.revision)


def release_reservation(command: ReleaseReservation, transition: Transition) -> ReservationReleased:
    """Give a reservation up. Raises ScopeDisposed, ScopeNotFound, ReservationLost."""
    _held(command, transition)
    transition.drop_reservation(command.scope_id, command.key)
    return ReservationReleased(transition.revision)


def _held(command: RenewReservation | ReleaseReservation, transition: Transition) -> None:
    transition.state.local_entries(command.scope_id)
    reservation = transition.reservation(command.scope_id, command.key)
    if reservation is None or reservation.token != command.token:
        raise ReservationLost(command.key)
