"""Commands that create, delete, clear and flush fragments."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agents.agent import defaults_of
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.fragments.fragment import Fragment, FragmentDraft, fragment_id_of, fragment_of
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX, FRAGMENT_TTL_NS_DEFAULT
from memoryd_server.domain.record_kind import RecordKind


class FragmentCreated(Result, frozen=True, array_like=True, tag=True):
    """The result of CreateFragment.

    It has no content, which a purge of the memory that is made of the fragment would have to remove. ``evicted`` is the
    number of fragments removed for the limit, ``flushed`` the number that became ready for consolidation, ``expired``
    the number of expired fragments that were removed.
    """

    fragment_id: str
    create_time: int
    expire_time: int
    evicted: int
    flushed: int
    revision: int
    expired: int = 0

    def fragment(self, draft: FragmentDraft) -> Fragment:
        """Return the created fragment, from the draft that its request has. Its ``sequence`` is always 0."""
        created = fragment_of(draft, self.fragment_id, 0, self.revision, self.create_time, self.expire_time)
        return msgspec.structs.replace(created, flushed=self.flushed > 0)


class FragmentDeleted(Result, frozen=True, array_like=True, tag=True):
    """The result of DeleteFragment."""

    deleted: bool
    revision: int


class FragmentsCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearFragments."""

    fragments_cleared: int
    revision: int


class FragmentsFlushed(Result, frozen=True, array_like=True, tag=True):
    """The result of FlushFragments. ``expired`` is the number of expired fragments that were removed."""

    fragments_flushed: int
    revision: int
    expired: int = 0


class CreateFragment(Command[FragmentCreated], frozen=True):
    """Create a fragment. Its id is made of ``new_number``, or of the next number that is free.

    All fragments are flushed once ``flush_threshold`` of them are not, or as many as the agent may have if these are
    fewer; 0 disables that. If ``consolidates`` is true, the daemon itself consolidates what is flushed. ``ttl_ns`` is
    for drafts of agents that have neither a time of their own nor a default.
    """

    draft: FragmentDraft
    new_number: int
    flush_threshold: int = 0
    consolidates: bool = False
    ttl_ns: int = FRAGMENT_TTL_NS_DEFAULT

    def decide(self, transition: Transition) -> FragmentCreated:
        """Create a fragment after removing expired ones; evict the oldest past the limit; flush at the threshold.

        Raises QuotaExceeded when the agent's storage is full, or its buffer is full of flushed fragments.
        """
        editor = transition.open(FRAGMENTS)
        editor.expire(EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
        buffer = editor.buffer
        fragment_id = _free_id(self.new_number, transition)
        expire_time = self.draft.expire_time
        if expire_time is None:
            ttl_ns = defaults_of(transition.state).fragment_ttl_ns
            expire_time = transition.now + (self.ttl_ns if ttl_ns is None else ttl_ns)
        sequence, revision, now = buffer.next_sequence, transition.revision, transition.now
        fragment = fragment_of(self.draft, fragment_id, sequence, revision, now, expire_time)
        editor.put(fragment, EventCause.REQUEST)
        evicted = editor.evict(transition.limits.fragments_per_agent, fragment)
        transition.check_size()
        flushed = 0
        # A tier may have a lower limit than the threshold: its fragments would be evicted without ever being flushed.
        threshold = min(self.flush_threshold, transition.limits.fragments_per_agent)
        if threshold and editor.buffer.waiting_count(transition.now) >= threshold:
            flushed = editor.flush(EventCause.THRESHOLD, is_due=self.consolidates)
        return FragmentCreated(
            fragment_id,
            fragment.create_time,
            fragment.expire_time,
            evicted,
            flushed,
            transition.revision,
            editor.expired_count,
        )


class DeleteFragment(Command[FragmentDeleted], frozen=True):
    """Delete a fragment, if it exists."""

    fragment_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the fragment."""
        return (("fragment", self.fragment_id),)

    def decide(self, transition: Transition) -> FragmentDeleted:
        """Delete a fragment, if it exists. Raises RevisionMismatch, RecordNotFound, RecordExists."""
        editor = transition.open(FRAGMENTS)
        fragment = editor.buffer.find(self.fragment_id, transition.now)
        revision = 0 if fragment is None else fragment.revision
        check_record(self.precondition, transition.state.agent_id, FRAGMENTS.name, self.fragment_id, revision)
        if fragment is not None:
            editor.remove([fragment], EventCause.REQUEST)
        return FragmentDeleted(fragment is not None, transition.result_revision)


class ClearFragments(Command[FragmentsCleared], frozen=True):
    """Remove all fragments, and end all leases."""

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return all fragments."""
        return (("fragment",),)

    def decide(self, transition: Transition) -> FragmentsCleared:
        """Remove all fragments."""
        counts = transition.open(FRAGMENTS).clear(EventCause.REQUEST)
        return FragmentsCleared(counts.get(RecordKind.FRAGMENT, 0), transition.result_revision)


class FlushFragments(Command[FragmentsFlushed], frozen=True):
    """Make all fragments ready for consolidation. ``consolidates`` is as in CreateFragment."""

    consolidates: bool = False

    def decide(self, transition: Transition) -> FragmentsFlushed:
        """Make all fragments ready for consolidation."""
        editor = transition.open(FRAGMENTS)
        flushed = editor.flush(EventCause.REQUEST, is_due=self.consolidates)
        return FragmentsFlushed(flushed, transition.result_revision, editor.expired_count)


def _free_id(number: int, transition: Transition) -> str:
    while (fragment_id := fragment_id_of(number)) in transition.open(FRAGMENTS).buffer.sequences:
        number += 1
    return fragment_id
