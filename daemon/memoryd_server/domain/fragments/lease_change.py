"""How commands about leases of fragments are decided."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import LeaseLost
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX, PAGE_BYTES_MAX
from memoryd_server.domain.memories.memory_creation import CreateMemories, MemoriesCreated, create_memories

_SEQUENCE_BYTES = 40
"""What a sequence of a lease takes in memory."""


class FragmentsLeased(Result, frozen=True, array_like=True, tag=True):
    """The result of LeaseFragments and RenewLease: no lease when there was nothing to hand out."""

    lease: Lease | None
    revision: int

    @property
    def is_provisional(self) -> bool:
        """Whether there was nothing to hand out yet."""
        return self.lease is None

    @property
    def memory_bytes(self) -> int:
        """Each sequence of the lease counts, too."""
        return RESULT_BYTES + (0 if self.lease is None else _SEQUENCE_BYTES * len(self.lease.sequences))


class FragmentsSettled(Result, frozen=True, array_like=True, tag=True):
    """The result of AcknowledgeFragments and ReleaseFragments: how many were removed, or given back."""

    count: int
    revision: int


class LeaseFragments(Command[FragmentsLeased], frozen=True):
    """Hand out at most ``count_max`` flushed fragments that nobody holds, for ``lease_ns`` from now."""

    new_token: str
    count_max: int
    lease_ns: int

    def decide(self, transition: Transition) -> FragmentsLeased:
        """Hand out the oldest flushed fragments that nobody holds; those of leases that ran out are such."""
        editor = transition.open(FRAGMENTS)
        if editor.buffer.has_available(transition.now):
            editor.expire(EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
        sequences: list[int] = []
        size_bytes = 0
        for fragment in editor.buffer.available(transition.now):
            if len(sequences) >= self.count_max or size_bytes >= PAGE_BYTES_MAX:
                break
            sequences.append(fragment.sequence)
            size_bytes += fragment.size_bytes
        if not sequences:
            return FragmentsLeased(None, transition.state.revision)
        lease = Lease(self.new_token, transition.now + self.lease_ns, tuple(sequences))
        editor.give_lease(lease)
        return FragmentsLeased(lease, transition.revision)


class RenewLease(Command[FragmentsLeased], frozen=True):
    """Hold a lease for another ``lease_ns`` from now."""

    token: str
    lease_ns: int

    def decide(self, transition: Transition) -> FragmentsLeased:
        """Hold a lease for longer. Raises LeaseLost."""
        renewed = transition.open(FRAGMENTS).renew_lease(_held(self.token, transition), transition.now + self.lease_ns)
        return FragmentsLeased(renewed, transition.revision)


class AcknowledgeFragments(Command[FragmentsSettled], frozen=True):
    """Remove fragments of a lease, since they are consolidated; all of them when none is named."""

    token: str
    fragment_ids: frozenset[str] = frozenset()

    def decide(self, transition: Transition) -> FragmentsSettled:
        """Remove fragments of a lease. Raises LeaseLost."""
        fragments = _taken(self, transition)
        transition.open(FRAGMENTS).remove(fragments, EventCause.ACKNOWLEDGED)
        return FragmentsSettled(len(fragments), transition.result_revision)


class ReleaseFragments(Command[FragmentsSettled], frozen=True):
    """Give fragments of a lease back; all of them when none is named."""

    token: str
    fragment_ids: frozenset[str] = frozenset()

    def decide(self, transition: Transition) -> FragmentsSettled:
        """Give fragments of a lease back. Raises LeaseLost."""
        return FragmentsSettled(len(_taken(self, transition)), transition.result_revision)


class ConsolidateFragments(Command[MemoriesCreated], frozen=True):
    """Make memories of fragments of a lease, and remove these fragments, in one step."""

    token: str
    fragment_ids: frozenset[str]
    creates: CreateMemories

    def decide(self, transition: Transition) -> MemoriesCreated:
        """Make memories of fragments of a lease, and remove these. Raises LeaseLost, and what creating memories raises.

        The lease counts as lost when a fragment is gone: nobody wants a memory of what was deleted meanwhile.
        """
        fragments = _taken(self, transition)
        if len(fragments) < len(self.fragment_ids):
            raise LeaseLost
        transition.open(FRAGMENTS).remove(fragments, EventCause.CONSOLIDATION)
        return create_memories(self.creates, transition, EventCause.CONSOLIDATION)


def _taken(
    command: AcknowledgeFragments | ReleaseFragments | ConsolidateFragments, transition: Transition
) -> list[Fragment]:
    """The fragments that are meant, out of their lease."""
    editor = transition.open(FRAGMENTS)
    lease = _held(command.token, transition)
    chosen = [
        fragment
        for fragment in editor.buffer.held(lease, transition.now)
        if not command.fragment_ids or fragment.fragment_id in command.fragment_ids
    ]
    if chosen:
        editor.take_out_of_lease(lease, {fragment.sequence for fragment in chosen})
    return chosen


def _held(token: str, transition: Transition) -> Lease:
    lease = transition.open(FRAGMENTS).buffer.leases.get(token)
    if lease is None or not lease.is_live(transition.now):
        raise LeaseLost
    return lease
