"""What changes an agent's fragments on its way to the next state: the buffer, the records, the size and the events."""

from collections.abc import Sequence
from typing import cast

import msgspec

from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.transition import Changes, Transition, fragment_record, lease_record
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.lease import Lease


def put_fragment(transition: Transition, fragment: Fragment, cause: EventCause) -> None:
    """Put a new fragment, with its event."""
    transition.fragments = transition.fragments.put(fragment)
    transition.changes[fragment_record(fragment.fragment_id)] = fragment
    transition.size_bytes += fragment.size_bytes
    transition.note_deadline(fragment.expire_time)
    transition.tell(EventType.FRAGMENT_STORED, cause, fragment=fragment, fragment_id=fragment.fragment_id)


def remove_fragments(transition: Transition, gone: Sequence[Fragment], cause: EventCause) -> None:
    """Remove fragments that are there, out of their leases too, each with its event."""
    holders = transition.fragments.holders
    if holders:
        sequences = {fragment.sequence for fragment in gone}
        for token in {holders[sequence] for sequence in sequences if sequence in holders}:
            take_out_of_lease(transition, transition.fragments.leases[token], sequences)
    transition.fragments = transition.fragments.remove(gone)
    for fragment in gone:
        transition.changes[fragment_record(fragment.fragment_id)] = None
        transition.size_bytes -= fragment.size_bytes
        transition.tell(EventType.FRAGMENT_DELETED, cause, fragment_id=fragment.fragment_id)


def flush_fragments(transition: Transition, cause: EventCause, *, is_due: bool = False) -> int:
    """Make all fragments ready, with one event when a live one was not; answers how many live ones were not.

    ``is_due`` makes the agent one that the daemon has to look at.
    """
    buffer = transition.fragments
    flushed = buffer.waiting_count(transition.now)
    if not flushed:
        return 0
    for sequence in buffer.waiting:
        _rewrite(transition, msgspec.structs.replace(buffer.fragments[sequence], flushed=True))
    if is_due:
        transition.note_deadline(transition.now)
    transition.tell(EventType.FRAGMENTS_FLUSHED, cause, fragment_count=flushed)
    return flushed


def clear_fragments(transition: Transition, cause: EventCause) -> int:
    """Remove all fragments and leases, with one event when there was any; answers how many fragments were live."""
    buffer = transition.fragments
    if not buffer:
        return 0
    cleared = buffer.live_count(transition.now)
    for token in buffer.leases:
        transition.changes[lease_record(token)] = None
    for fragment in buffer.fragments.values():
        transition.changes[fragment_record(fragment.fragment_id)] = None
        transition.size_bytes -= fragment.size_bytes
    transition.fragments = type(buffer)(next_sequence=buffer.next_sequence)
    transition.tell(EventType.FRAGMENTS_CLEARED, cause, fragment_count=cleared)
    return cleared


def expire_fragments(transition: Transition, fragments_max: int) -> int:
    """Remove fragments whose time is over, at most so many, and end the leases that ran out; answers how many."""
    for token in transition.fragments.lease_deadlines.due(transition.now):
        drop_lease(transition, transition.fragments.leases[token])
    stored = transition.fragments.fragments
    over = [stored[sequence] for sequence in transition.fragments.deadlines.due(transition.now, fragments_max)]
    if over:
        remove_fragments(transition, over, EventCause.EXPIRY)
    return len(over)


def give_lease(transition: Transition, lease: Lease) -> None:
    """Hand the fragments of a lease out."""
    for sequence in lease.sequences:
        fragment = transition.fragments.fragments[sequence]
        _rewrite(transition, msgspec.structs.replace(fragment, delivery_count=fragment.delivery_count + 1))
    _put_lease(transition, lease)


def renew_lease(transition: Transition, lease: Lease, expire_time: int) -> Lease:
    """Let a lease that is there end at another time."""
    renewed = Lease(lease.token, expire_time, lease.sequences)
    transition.fragments = transition.fragments.drop_lease(lease)
    _put_lease(transition, renewed)
    return renewed


def take_out_of_lease(transition: Transition, lease: Lease, sequences: set[int]) -> None:
    """Make fragments of a lease available again; it ends with its last."""
    left = tuple(sequence for sequence in lease.sequences if sequence not in sequences)
    drop_lease(transition, lease)
    if left:
        _put_lease(transition, Lease(lease.token, lease.expire_time, left))


def drop_lease(transition: Transition, lease: Lease) -> None:
    """End a lease; its fragments are available again."""
    transition.fragments = transition.fragments.drop_lease(lease)
    transition.changes[lease_record(lease.token)] = None


def replay_fragments(transition: Transition, changes: Changes) -> None:
    """Put and delete the fragments and leases among these changes, which were decided elsewhere, without an event."""
    leases = {change: value for change, value in changes.items() if change.kind == "lease"}
    fragments = {change: value for change, value in changes.items() if change.kind == "fragment"}
    for change in leases:
        held = transition.fragments.leases.get(change.key)
        if held is not None:
            transition.fragments = transition.fragments.drop_lease(held)
    # First those that go: one that comes may have the place of another.
    _remove_replaced(transition, {change.key: cast("Fragment | None", value) for change, value in fragments.items()})
    for value in fragments.values():
        if value is not None:
            transition.fragments = transition.fragments.put(cast("Fragment", value))
    for value in leases.values():
        if value is not None:
            transition.fragments = transition.fragments.put_lease(cast("Lease", value))
    transition.changes.update(leases | fragments)


def _remove_replaced(transition: Transition, changes: dict[str, Fragment | None]) -> None:
    buffer = transition.fragments
    gone = []
    for fragment_id, fragment in changes.items():
        transition.size_bytes += 0 if fragment is None else fragment.size_bytes
        if fragment_id in buffer.sequences:
            there = buffer.fragments[buffer.sequences[fragment_id]]
            transition.size_bytes -= there.size_bytes
            if fragment is None or not there.may_become(fragment):
                gone.append(there)
    if gone:
        transition.fragments = buffer.remove(gone)


def _put_lease(transition: Transition, lease: Lease) -> None:
    transition.fragments = transition.fragments.put_lease(lease)
    transition.changes[lease_record(lease.token)] = lease
    transition.note_deadline(lease.expire_time)


def _rewrite(transition: Transition, fragment: Fragment) -> None:
    transition.fragments = transition.fragments.put(fragment)
    transition.changes[fragment_record(fragment.fragment_id)] = fragment
