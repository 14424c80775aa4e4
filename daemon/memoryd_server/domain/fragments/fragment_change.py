"""How commands about fragments are decided."""

import itertools

import msgspec

from memoryd_server.domain.agent.command import ClearFragments, DeleteFragment, FlushFragments, StoreFragment
from memoryd_server.domain.agent.event import EventCause
from memoryd_server.domain.agent.result import FragmentDeleted, FragmentsCleared, FragmentsFlushed, FragmentStored
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.error import LimitExceeded
from memoryd_server.domain.fragments.fragment import Fragment, fragment_id_of, fragment_of
from memoryd_server.domain.fragments.fragment_transition import (
    clear_fragments,
    drop_lease,
    expire_fragments,
    flush_fragments,
    put_fragment,
    remove_fragments,
)
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX


def store_fragment(command: StoreFragment, transition: Transition) -> FragmentStored:
    """Store a fragment; those that are over go, then the oldest past the limit; then flush at the threshold.

    Raises LimitExceeded when the agent's storage has no room.
    """
    expire_fragments(transition, EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
    buffer = transition.fragments
    fragment_id = _free_id(command.new_number, transition)
    fragment = fragment_of(command.draft, fragment_id, buffer.next_sequence, transition.revision, transition.now)
    put_fragment(transition, fragment, EventCause.REQUEST)
    evicted = _evict(transition)
    storage_bytes_max = transition.limits.storage_bytes_per_agent
    if transition.size_bytes > max(storage_bytes_max, transition.state.size_bytes):
        raise LimitExceeded("storage_bytes_per_agent", storage_bytes_max)
    flushed = 0
    if command.flush_threshold and transition.fragments.waiting_count(transition.now) >= command.flush_threshold:
        flushed = flush_fragments(transition, EventCause.THRESHOLD, is_due=command.consolidates)
    return FragmentStored(fragment_id, fragment.expire_time, evicted, flushed, transition.revision)


def delete_fragment(command: DeleteFragment, transition: Transition) -> FragmentDeleted:
    """Remove a fragment."""
    fragment = transition.fragments.find(command.fragment_id, transition.now)
    if fragment is not None:
        remove_fragments(transition, [fragment], EventCause.REQUEST)
    return FragmentDeleted(fragment is not None, transition.result_revision)


def clear_all_fragments(command: ClearFragments, transition: Transition) -> FragmentsCleared:
    """Remove all fragments. Raises RevisionMismatch."""
    check_agent(command.precondition, transition)
    cleared = clear_fragments(transition, EventCause.REQUEST)
    return FragmentsCleared(cleared, transition.result_revision)


def flush_all_fragments(command: FlushFragments, transition: Transition) -> FragmentsFlushed:
    """Make all fragments ready for consolidation."""
    flushed = flush_fragments(transition, EventCause.REQUEST, is_due=command.consolidates)
    return FragmentsFlushed(flushed, transition.result_revision)


def restore_fragments(wanted: tuple[Fragment, ...], transition: Transition) -> None:
    """Replace the fragments by those of an image, telling each difference. Nobody holds one after that."""
    for lease in transition.state.fragments.leases.values():
        drop_lease(transition, lease)
    stored = transition.state.fragments.fragments
    image = {fragment.sequence: fragment for fragment in wanted if fragment.is_live(transition.now)}
    kept = {sequence for sequence in image if sequence in stored and stored[sequence].is_stored_as(image[sequence])}
    gone = [stored[sequence] for sequence in transition.state.fragments.order if sequence not in kept]
    remove_fragments(transition, gone, EventCause.RESTORE)
    for sequence in sorted(image.keys() - kept):
        restored = msgspec.structs.replace(image[sequence], revision=transition.revision)
        put_fragment(transition, restored, EventCause.RESTORE)


def _free_id(number: int, transition: Transition) -> str:
    while (fragment_id := fragment_id_of(number)) in transition.fragments.sequences:
        number += 1
    return fragment_id


def _evict(transition: Transition) -> int:
    """Remove the oldest past the limit, but first those that are over; answers how many were not."""
    most = transition.limits.fragments_per_agent
    expire_fragments(transition, max(len(transition.fragments) - most, 0))
    buffer = transition.fragments
    overflow = max(len(buffer) - most, 0)
    if overflow:
        oldest = [buffer.fragments[sequence] for sequence in itertools.islice(buffer.order, overflow)]
        remove_fragments(transition, oldest, EventCause.EVICTION)
    return overflow
