"""Commands that store, delete, clear and flush fragments."""

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.fragments.fragment import FragmentDraft, fragment_id_of, fragment_of
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX


class FragmentStored(Result, frozen=True, array_like=True, tag=True):
    """The result of StoreFragment.

    ``evicted`` is the number of fragments removed for the limit, ``flushed`` the number that became ready for
    consolidation.
    """

    fragment_id: str
    expire_time: int
    evicted: int
    flushed: int
    revision: int


class FragmentDeleted(Result, frozen=True, array_like=True, tag=True):
    """The result of DeleteFragment."""

    deleted: bool
    revision: int


class FragmentsCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearFragments."""

    fragments_cleared: int
    revision: int


class FragmentsFlushed(Result, frozen=True, array_like=True, tag=True):
    """The result of FlushFragments."""

    fragments_flushed: int
    revision: int


class StoreFragment(Command[FragmentStored], frozen=True):
    """Store a fragment. Its id is made of ``new_number``, or of the next number that is free.

    All fragments are flushed once ``flush_threshold`` of them are not; 0 disables that. If ``consolidates`` is true,
    the daemon itself consolidates what is flushed.
    """

    draft: FragmentDraft
    new_number: int
    flush_threshold: int = 0
    consolidates: bool = False

    def decide(self, transition: Transition) -> FragmentStored:
        """Store a fragment after removing expired ones; evict the oldest past the limit; flush at the threshold.

        Raises LimitExceeded when the agent's storage is full.
        """
        editor = transition.open(FRAGMENTS)
        editor.expire(EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
        buffer = editor.buffer
        fragment_id = _free_id(self.new_number, transition)
        fragment = fragment_of(self.draft, fragment_id, buffer.next_sequence, transition.revision, transition.now)
        editor.put(fragment, EventCause.REQUEST)
        evicted = editor.evict(transition.limits.fragments_per_agent)
        transition.check_size()
        flushed = 0
        if self.flush_threshold and editor.buffer.waiting_count(transition.now) >= self.flush_threshold:
            flushed = editor.flush(EventCause.THRESHOLD, is_due=self.consolidates)
        return FragmentStored(fragment_id, fragment.expire_time, evicted, flushed, transition.revision)


class DeleteFragment(Command[FragmentDeleted], frozen=True):
    """Delete a fragment, if it exists."""

    fragment_id: str

    def decide(self, transition: Transition) -> FragmentDeleted:
        """Delete a fragment, if it exists."""
        editor = transition.open(FRAGMENTS)
        fragment = editor.buffer.find(self.fragment_id, transition.now)
        if fragment is not None:
            editor.remove([fragment], EventCause.REQUEST)
        return FragmentDeleted(fragment is not None, transition.result_revision)


class ClearFragments(Command[FragmentsCleared], frozen=True):
    """Remove all fragments, and end all leases."""

    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> FragmentsCleared:
        """Remove all fragments. Raises RevisionMismatch."""
        check_agent(self.precondition, transition)
        cleared = transition.open(FRAGMENTS).clear(EventCause.REQUEST)["fragments"]
        return FragmentsCleared(cleared, transition.result_revision)


class FlushFragments(Command[FragmentsFlushed], frozen=True):
    """Make all fragments ready for consolidation. ``consolidates`` is as in StoreFragment."""

    consolidates: bool = False

    def decide(self, transition: Transition) -> FragmentsFlushed:
        """Make all fragments ready for consolidation."""
        flushed = transition.open(FRAGMENTS).flush(EventCause.REQUEST, is_due=self.consolidates)
        return FragmentsFlushed(flushed, transition.result_revision)


def _free_id(number: int, transition: Transition) -> str:
    while (fragment_id := fragment_id_of(number)) in transition.open(FRAGMENTS).buffer.sequences:
        number += 1
    return fragment_id
