"""How commands about leases of fragments are decided."""

from memoryd_server.domain.agent.command import (
    AcknowledgeFragments,
    ConsolidateFragments,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.domain.agent.event import EventCause
from memoryd_server.domain.agent.result import FragmentsLeased, FragmentsSettled, MemoriesCreated
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import LeaseLost
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_transition import (
    expire_fragments,
    give_lease,
    remove_fragments,
    renew_lease,
    take_out_of_lease,
)
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX, PAGE_BYTES_MAX
from memoryd_server.domain.memories.memory_change import create_memories


def lease_fragments(command: LeaseFragments, transition: Transition) -> FragmentsLeased:
    """Hand out the oldest flushed fragments that nobody holds; those of leases that ran out are such."""
    if transition.fragments.has_available(transition.now):
        expire_fragments(transition, EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
    sequences: list[int] = []
    size_bytes = 0
    for fragment in transition.fragments.available(transition.now):
        if len(sequences) >= command.count_max or size_bytes >= PAGE_BYTES_MAX:
            break
        sequences.append(fragment.sequence)
        size_bytes += fragment.size_bytes
    if not sequences:
        return FragmentsLeased(None, transition.state.revision)
    lease = Lease(command.new_token, transition.now + command.lease_ns, tuple(sequences))
    give_lease(transition, lease)
    return FragmentsLeased(lease, transition.revision)


def renew(command: RenewLease, transition: Transition) -> FragmentsLeased:
    """Hold a lease for longer. Raises LeaseLost."""
    renewed = renew_lease(transition, _held(command.token, transition), transition.now + command.lease_ns)
    return FragmentsLeased(renewed, transition.revision)


def acknowledge_fragments(command: AcknowledgeFragments, transition: Transition) -> FragmentsSettled:
    """Remove fragments of a lease. Raises LeaseLost."""
    fragments = _taken(command, transition)
    remove_fragments(transition, fragments, EventCause.ACKNOWLEDGED)
    return FragmentsSettled(len(fragments), transition.result_revision)


def consolidate_fragments(command: ConsolidateFragments, transition: Transition) -> MemoriesCreated:
    """Make memories of fragments of a lease, and remove these. Raises LeaseLost, and what creating memories raises.

    The lease counts as lost when a fragment is gone: nobody wants a memory of what was deleted meanwhile.
    """
    fragments = _taken(command, transition)
    if len(fragments) < len(command.fragment_ids):
        raise LeaseLost
    remove_fragments(transition, fragments, EventCause.CONSOLIDATION)
    return create_memories(command.creates, transition, EventCause.CONSOLIDATION)


def release_fragments(command: ReleaseFragments, transition: Transition) -> FragmentsSettled:
    """Give fragments of a lease back. Raises LeaseLost."""
    return FragmentsSettled(len(_taken(command, transition)), transition.result_revision)


def _taken(
    command: AcknowledgeFragments | ReleaseFragments | ConsolidateFragments, transition: Transition
) -> list[Fragment]:
    """The fragments that are meant, out of their lease."""
    lease = _held(command.token, transition)
    chosen = [
        fragment
        for fragment in transition.fragments.held(lease, transition.now)
        if not command.fragment_ids or fragment.fragment_id in command.fragment_ids
    ]
    if chosen:
        take_out_of_lease(transition, lease, {fragment.sequence for fragment in chosen})
    return chosen


def _held(token: str, transition: Transition) -> Lease:
    lease = transition.fragments.leases.get(token)
    if lease is None or not lease.is_live(transition.now):
        raise LeaseLost
    return lease
