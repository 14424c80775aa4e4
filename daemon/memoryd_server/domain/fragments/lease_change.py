"""Commands that take, renew and settle leases of fragments."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import LeaseLost
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, MemoriesCreated, create_memories
from memoryd_server.domain.values.response_size import response_bytes

_SEQUENCE_BYTES = 40
"""Memory that each sequence of a lease takes."""


class FragmentsLeased(Result, frozen=True, array_like=True, tag=True):
    """The result of LeaseFragments and RenewLease. ``lease`` is None if no fragment was available."""

    lease: Lease | None
    revision: int

    @property
    def is_provisional(self) -> bool:
        """True if no fragment was available."""
        return self.lease is None

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, which includes the sequences of the lease."""
        return RESULT_BYTES + (0 if self.lease is None else _SEQUENCE_BYTES * len(self.lease.sequences))


class FragmentsSettled(Result, frozen=True, array_like=True, tag=True):
    """The result of AcknowledgeFragments and ReleaseFragments: the number of removed or released fragments."""

    count: int
    revision: int


class LeaseFragments(Command[FragmentsLeased], frozen=True):
    """Lease at most ``count_max`` flushed fragments that are in no lease, for ``lease_ns`` from now."""

    new_token: str
    count_max: int
    lease_ns: int

    def decide(self, transition: Transition) -> FragmentsLeased:
        """Lease the oldest available fragments, including those of expired leases."""
        editor = transition.open(FRAGMENTS)
        # Expired leases hold their fragments until a sweep ends them: end them here, so that these can be leased again.
        if editor.buffer.has_available(transition.now):
            editor.end_expired_leases()
        sequences: list[int] = []
        size_bytes = 0
        for fragment in editor.buffer.available():
            if len(sequences) >= self.count_max or size_bytes >= PAGE_BYTES_MAX:
                break
            sequences.append(fragment.sequence)
            size_bytes += response_bytes(fragment)
        if not sequences:
            return FragmentsLeased(None, transition.state.revision)
        lease = Lease(self.new_token, transition.now + self.lease_ns, tuple(sequences))
        editor.give_lease(lease)
        return FragmentsLeased(lease, transition.revision)


class RenewLease(Command[FragmentsLeased], frozen=True):
    """Renew a lease, so that it expires ``lease_ns`` from now."""

    token: str
    lease_ns: int

    def decide(self, transition: Transition) -> FragmentsLeased:
        """Renew a lease. Raises LeaseLost."""
        renewed = transition.open(FRAGMENTS).renew_lease(_held(self.token, transition), transition.now + self.lease_ns)
        return FragmentsLeased(renewed, transition.revision)


class AcknowledgeFragments(Command[FragmentsSettled], frozen=True):
    """Remove consolidated fragments of a lease; all of its fragments if ``fragment_ids`` is empty."""

    token: str
    fragment_ids: frozenset[str] = frozenset()

    def decide(self, transition: Transition) -> FragmentsSettled:
        """Remove the fragments. Raises LeaseLost."""
        fragments = _taken(self, transition)
        transition.open(FRAGMENTS).remove(fragments, EventCause.ACKNOWLEDGED)
        return FragmentsSettled(len(fragments), transition.result_revision)


class ReleaseFragments(Command[FragmentsSettled], frozen=True):
    """Release fragments of a lease, so that others can lease them; all of them if ``fragment_ids`` is empty."""

    token: str
    fragment_ids: frozenset[str] = frozenset()

    def decide(self, transition: Transition) -> FragmentsSettled:
        """Release the fragments. Raises LeaseLost."""
        return FragmentsSettled(len(_taken(self, transition)), transition.result_revision)


class ConsolidateFragments(Command[MemoriesCreated], frozen=True):
    """Create memories from fragments of a lease, and remove these fragments, as one change."""

    token: str
    fragment_ids: frozenset[str]
    creates: CreateMemories

    def decide(self, transition: Transition) -> MemoriesCreated:
        """Create memories and remove the fragments. Raises LeaseLost, and what creating memories raises.

        If one of the fragments no longer exists, LeaseLost is raised, since no memory may be created from a text that
        was deleted meanwhile.
        """
        fragments = _taken(self, transition)
        if len(fragments) < len(self.fragment_ids):
            raise LeaseLost
        transition.open(FRAGMENTS).remove(fragments, EventCause.CONSOLIDATION)
        return create_memories(self.creates, transition, EventCause.CONSOLIDATION)


def _taken(
    command: AcknowledgeFragments | ReleaseFragments | ConsolidateFragments, transition: Transition
) -> list[Fragment]:
    """Take the command's fragments out of their lease, and return them."""
    editor = transition.open(FRAGMENTS)
    lease = _held(command.token, transition)
    chosen = [
        fragment
        for fragment in editor.buffer.held(lease)
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
