"""Editing of an agent's fragments within a transition: the buffer, the records, the size and the events."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.part import Access, Changes, Counts, Growth, Records
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_subject import FlushedSubject, FragmentSubject
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.limit import EXPIRED_FRAGMENTS_PER_SWEEP_MAX
from memoryd_server.domain.record_kind import RecordKind

if TYPE_CHECKING:
    from memoryd_server.domain.fragments.fragment_part import FragmentPart


class FragmentSweep(msgspec.Struct, frozen=True):
    """The rules of a sweep of fragments.

    If ``consolidates`` is true, the agent stays due while a consumer could lease a fragment, so that a daemon that
    restarts finds the agents to consolidate without loading all of them.
    """

    consolidates: bool = False


class FragmentEditor:
    """The editor of the fragment buffer; see ``domain.agent.part.Editor``. ``buffer`` is the buffer so far.

    ``expired_count`` is the number of expired fragments that were removed.
    """

    __slots__ = ("_is_due", "_transition", "before", "buffer", "expired_count", "part")

    def __init__(self, part: "FragmentPart", before: FragmentBuffer, transition: Transition) -> None:
        self.part = part
        self.before = before
        self.buffer = before
        self._transition = transition
        self._is_due = False
        self.expired_count = 0

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next fragment or lease expires; now if fragments must be consolidated."""
        return self._transition.now if self._is_due else self.buffer.next_deadline

    def finish(self) -> FragmentBuffer:
        """Return the buffer after the transition."""
        return self.buffer

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        part, before, after = self.part, self.before, self.buffer
        memory_bytes = part.memory_bytes(after) - part.memory_bytes(before)
        return after.record_count - before.record_count, memory_bytes

    def put(self, fragment: Fragment, cause: EventCause) -> None:
        """Put a new fragment, and emit its event."""
        transition = self._transition
        self.buffer = self.buffer.put(fragment)
        transition.put("fragment", fragment.fragment_id, fragment)
        transition.size_bytes += fragment.size_bytes
        if not fragment.flushed:
            transition.note_deadline(fragment.expire_time)
        transition.emit(EventType.FRAGMENT_CREATED, cause, FragmentSubject(fragment.fragment_id, fragment))

    def remove(self, gone: Sequence[Fragment], cause: EventCause) -> None:
        """Remove existing fragments, also from their leases, and emit an event for each."""
        holders = self.buffer.holders
        if holders:
            sequences = {fragment.sequence for fragment in gone}
            for token in {holders[sequence] for sequence in sequences if sequence in holders}:
                self.take_out_of_lease(self.buffer.leases[token], sequences)
        self.buffer = self.buffer.remove(gone)
        for fragment in gone:
            self._transition.put("fragment", fragment.fragment_id, None)
            self._transition.size_bytes -= fragment.size_bytes
            self._transition.emit(EventType.FRAGMENT_DELETED, cause, FragmentSubject(fragment.fragment_id), fragment)

    def flush(self, cause: EventCause, *, is_due: bool = False) -> int:
        """Flush all fragments, and return the number of those that were not flushed before.

        Expired ones are removed before, since a flushed fragment never expires. There is one event, and none if the
        number is 0. If ``is_due`` is true, the agent is due for a sweep at once.
        """
        self.expire(len(self.buffer))
        flushed = len(self.buffer.waiting)
        if not flushed:
            return 0
        before = self.buffer
        for sequence in before.waiting:
            self._rewrite(msgspec.structs.replace(before.fragments[sequence], flushed=True))
        if is_due:
            self._transition.note_deadline(self._transition.now)
        self._transition.emit(EventType.FRAGMENTS_FLUSHED, cause, FlushedSubject(flushed))
        return flushed

    def evict(self, fragments_max: int, newest: Fragment) -> int:
        """Remove the oldest fragments past a maximum, expired ones first; return the number of evicted live ones.

        Neither flushed fragments, which were promised to consumers, nor the newest one are evicted. Raises
        QuotaExceeded if the others are too few.
        """
        self.expire(max(len(self.buffer) - fragments_max, 0))
        overflow = max(len(self.buffer) - fragments_max, 0)
        waiting = itertools.takewhile(lambda sequence: sequence != newest.sequence, self.buffer.waiting)
        oldest = [self.buffer.fragments[sequence] for sequence in itertools.islice(waiting, overflow)]
        if len(oldest) < overflow:
            hint = "flushed fragments are not evicted: acknowledge or delete some, or raise the limit"
            raise QuotaExceeded("fragments_per_agent", fragments_max, hint)
        if oldest:
            self.remove(oldest, EventCause.EVICTION)
        return overflow

    def expire(self, fragments_max: int) -> None:
        """Remove at most ``fragments_max`` expired fragments."""
        stored = self.buffer.fragments
        expired = [stored[sequence] for sequence in self.buffer.deadlines.due(self._transition.now, fragments_max)]
        if expired:
            self.remove(expired, EventCause.EXPIRY)
            self.expired_count += len(expired)

    def end_expired_leases(self) -> None:
        """End the leases that have expired, so that their fragments are available again."""
        for token in self.buffer.lease_deadlines.due(self._transition.now):
            self.drop_lease(self.buffer.leases[token])

    def give_lease(self, lease: Lease) -> None:
        """Put a new lease, and count the delivery of its fragments."""
        for sequence in lease.sequences:
            fragment = self.buffer.fragments[sequence]
            self._rewrite(msgspec.structs.replace(fragment, delivery_count=fragment.delivery_count + 1))
        self._put_lease(lease)

    def renew_lease(self, lease: Lease, expire_time: int) -> Lease:
        """Renew an existing lease until ``expire_time``, and return it."""
        renewed = Lease(lease.token, expire_time, lease.sequences)
        self.buffer = self.buffer.drop_lease(lease)
        self._put_lease(renewed)
        return renewed

    def take_out_of_lease(self, lease: Lease, sequences: set[int]) -> None:
        """Make fragments of a lease available again. The lease ends with its last fragment."""
        left = tuple(sequence for sequence in lease.sequences if sequence not in sequences)
        self.drop_lease(lease)
        if left:
            self._put_lease(Lease(lease.token, lease.expire_time, left))

    def drop_lease(self, lease: Lease) -> None:
        """End a lease, so that its fragments are available again."""
        self.buffer = self.buffer.drop_lease(lease)
        self._transition.put("lease", lease.token, None)

    def clear(self, cause: EventCause) -> Counts:
        """Remove all fragments and leases, and emit one event unless the buffer was empty."""
        buffer = self.buffer
        if not buffer:
            return {}
        cleared = buffer.live_count(self._transition.now)
        for token in buffer.leases:
            self._transition.put("lease", token, None)
        for fragment in buffer.fragments.values():
            self._transition.put("fragment", fragment.fragment_id, None)
            self._transition.size_bytes -= fragment.size_bytes
        self.buffer = FragmentBuffer(next_sequence=buffer.next_sequence)
        counts = {RecordKind.FRAGMENT: cleared}
        self._transition.emit(EventType.FRAGMENTS_CLEARED, cause, ClearedSubject(counts))
        return counts

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Remove fragments of a user, flushed or leased or not; see ``Editor``."""
        of_user = [each for each in self.buffer.fragments.values() if removal.is_of(each.user_id)]
        gone = list(itertools.takewhile(lambda _: removal.takes(), of_user))
        self.remove(gone, EventCause.USER_FORGOTTEN)
        return {RecordKind.FRAGMENT: sum(each.is_live(self._transition.now) for each in gone)}

    def restore(self, image: Records) -> None:
        """Replace the fragments by those of a snapshot, and emit an event for each difference. Leases end."""
        for lease in self.before.leases.values():
            self.drop_lease(lease)
        stored, now = self.before.fragments, self._transition.now
        wanted = {fragment.sequence: fragment for fragment in image["fragment"] if fragment.is_live(now)}
        kept = {
            sequence for sequence in wanted if sequence in stored and stored[sequence].is_stored_as(wanted[sequence])
        }
        self.remove([stored[sequence] for sequence in self.before.order if sequence not in kept], EventCause.RESTORE)
        for sequence in sorted(wanted.keys() - kept):
            restored = msgspec.structs.replace(wanted[sequence], revision=self._transition.revision)
            self.put(restored, EventCause.RESTORE)

    def replay(self, changes: Changes) -> None:
        """Put and delete the fragments and leases among these changes, without checks and events."""
        leases = {change: value for change, value in changes.items() if change.kind == "lease"}
        fragments = {change: value for change, value in changes.items() if change.kind == "fragment"}
        # End the changed leases before fragments change: the buffer removes and rewrites only fragments in no lease.
        for change in leases:
            held = self.buffer.leases.get(change.key)
            if held is not None:
                self.buffer = self.buffer.drop_lease(held)
        # Apply deletions first: a fragment that is put may have the sequence of a deleted one.
        self._remove_replaced({change.key: value for change, value in fragments.items()})
        for fragment in fragments.values():
            if fragment is not None:
                self.buffer = self.buffer.put(fragment)
        for lease in leases.values():
            if lease is not None:
                self.buffer = self.buffer.put_lease(lease)
        self._transition.changes.update(leases | fragments)

    def sweep(self, rules: FragmentSweep | None) -> dict[str, int]:
        """End expired leases, remove a bounded number of expired fragments, and return their number."""
        self.end_expired_leases()
        self.expire(EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
        self._is_due = rules is not None and rules.consolidates and self.buffer.has_available(self._transition.now)
        return {"fragments": self.expired_count}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Do nothing: reads of fragments are not counted."""

    def _remove_replaced(self, changes: dict[str, Fragment | None]) -> None:
        gone = []
        for fragment_id, fragment in changes.items():
            self._transition.size_bytes += 0 if fragment is None else fragment.size_bytes
            if fragment_id in self.buffer.sequences:
                stored = self.buffer.fragments[self.buffer.sequences[fragment_id]]
                self._transition.size_bytes -= stored.size_bytes
                if fragment is None or not stored.may_become(fragment):
                    gone.append(stored)
        if gone:
            self.buffer = self.buffer.remove(gone)

    def _rewrite(self, fragment: Fragment) -> None:
        self.buffer = self.buffer.put(fragment)
        self._transition.put("fragment", fragment.fragment_id, fragment)

    def _put_lease(self, lease: Lease) -> None:
        self.buffer = self.buffer.put_lease(lease)
        self._transition.put("lease", lease.token, lease)
        self._transition.note_deadline(lease.expire_time)
