"""An agent's fragments: an immutable value whose operations on one fragment cost the same at any size."""

from collections.abc import Iterable, Iterator, Sequence

import immutables
import msgspec

from memoryd_server.domain.fragments.fragment import FRAGMENT_SHAPE, Fragment
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.values.deadline import Deadlines, earliest
from memoryd_server.domain.values.list_order import ListOrder, arranged
from memoryd_server.domain.values.number_set import NumberSet
from memoryd_server.domain.values.record_filter import EVERY_RECORD, NO_USER, Matcher, RecordFilter
from memoryd_server.domain.values.word_index import WordIndex


class FragmentBuffer(msgspec.Struct, frozen=True):
    """Fragments by their sequences, with the indexes that find them and the leases that hold them.

    ``order`` has the sequences of all fragments, ``waiting`` of those that are not flushed, and ``ready`` of those that
    are flushed and in no lease; ``order`` and ``waiting`` include expired fragments. ``holders`` maps the sequence of a
    leased fragment to the lease's token. ``deadlines`` are those of waiting fragments: a flushed one stays until it is
    acknowledged or removed. ``next_sequence`` is greater than all sequences used so far. ``owned_count`` is the number
    of fragments that have a user.
    """

    fragments: immutables.Map[int, Fragment] = immutables.Map()
    sequences: immutables.Map[str, int] = immutables.Map()
    order: NumberSet = NumberSet()
    waiting: NumberSet = NumberSet()
    ready: NumberSet = NumberSet()
    leases: immutables.Map[str, Lease] = immutables.Map()
    holders: immutables.Map[int, str] = immutables.Map()
    words: WordIndex[int] = WordIndex()
    deadlines: Deadlines[int] = Deadlines()
    lease_deadlines: Deadlines[str] = Deadlines()
    next_sequence: int = 0
    owned_count: int = 0

    @classmethod
    def of(cls, fragments: Iterable[Fragment], leases: Iterable[Lease]) -> "FragmentBuffer":
        """Return the buffer made of these records. The fragments of the leases must exist and be flushed."""
        stored = {fragment.sequence: fragment for fragment in fragments}
        held = {lease.token: lease for lease in leases}
        holders = {sequence: lease.token for lease in held.values() for sequence in lease.sequences}
        flushed = {sequence for sequence, fragment in stored.items() if fragment.flushed}
        return cls(
            immutables.Map(stored),
            immutables.Map({fragment.fragment_id: sequence for sequence, fragment in stored.items()}),
            NumberSet.of(stored),
            NumberSet.of(stored.keys() - flushed),
            NumberSet.of(flushed - holders.keys()),
            immutables.Map(held),
            immutables.Map(holders),
            WordIndex.of((sequence, fragment.content) for sequence, fragment in stored.items()),
            Deadlines.of((sequence, each.expire_time) for sequence, each in stored.items() if not each.flushed),
            Deadlines.of((lease.token, lease.expire_time) for lease in held.values()),
            max(stored, default=-1) + 1,
            sum(fragment.user_id != "" for fragment in stored.values()),
        )

    def __len__(self) -> int:
        return len(self.fragments)

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of the buffer."""
        return len(self.fragments) + len(self.leases)

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next fragment or lease expires, None when nothing does."""
        return earliest(self.deadlines.first, self.lease_deadlines.first)

    def find(self, fragment_id: str, now: int) -> Fragment | None:
        """Return the fragment with this id, unless it has expired at ``now``."""
        sequence = self.sequences.get(fragment_id)
        if sequence is None:
            return None
        fragment = self.fragments[sequence]
        return fragment if fragment.is_live(now) else None

    def is_every(self, chosen: RecordFilter) -> bool:
        """Return True if a filter is known to keep all fragments, without looking at each."""
        return chosen == EVERY_RECORD or (not self.owned_count and chosen == RecordFilter(user_ids=NO_USER))

    def selected(self, chosen: RecordFilter, order: ListOrder, now: int) -> Sequence[Fragment]:
        """Return the live fragments that pass a filter, in an order. That of their creation is of their sequences."""
        passing = filter(Matcher(chosen, FRAGMENT_SHAPE).keeps, self.oldest_first(now))
        if order in (ListOrder.ID, ListOrder.ID_DESCENDING):
            return arranged(passing, order, lambda each: each.fragment_id)
        oldest_first = list(passing)
        return oldest_first if order in (ListOrder.CREATE_TIME, ListOrder.UPDATE_TIME) else oldest_first[::-1]

    def oldest_first(self, now: int) -> Iterator[Fragment]:
        """Yield the fragments that have not expired at ``now``, the oldest first."""
        return self._live(self.order, now)

    def newest_first(self, now: int) -> Iterator[Fragment]:
        """Yield the fragments that have not expired at ``now``, the newest first."""
        return self._live(reversed(self.order), now)

    def search(self, query: str, chosen: RecordFilter, now: int) -> Iterator[Fragment]:
        """Yield the live fragments that have any word of the query and pass a filter, the newest first."""
        keeps = Matcher(chosen, FRAGMENT_SHAPE).keeps
        return filter(keeps, self._live(sorted(self.words.find(query), reverse=True), now))

    def live_count(self, now: int) -> int:
        """Return the number of fragments that have not expired at ``now``."""
        return len(self.order) - self.deadlines.count_due(now)

    def waiting_count(self, now: int) -> int:
        """Return the number of live fragments that are not flushed."""
        return len(self.waiting) - self.deadlines.count_due(now)

    def leased_count(self, now: int) -> int:
        """Return the number of fragments that are in a live lease at ``now``."""
        return sum(len(lease.sequences) for lease in self.leases.values() if lease.is_live(now))

    def available(self) -> Iterator[Fragment]:
        """Yield the fragments that are flushed and in no lease, the oldest first."""
        return (self.fragments[sequence] for sequence in self.ready)

    def has_available(self, now: int) -> bool:
        """Return True if a consumer could lease a fragment, which may be in a lease that has expired."""
        return bool(self.ready) or bool(self.lease_deadlines.due(now))

    def held(self, lease: Lease) -> list[Fragment]:
        """Return the fragments of a lease, the oldest first."""
        return [self.fragments[sequence] for sequence in lease.sequences]

    def put(self, fragment: Fragment) -> "FragmentBuffer":
        """Return the buffer with a fragment that is in no lease: a new one, or one that is flushed or being leased."""
        sequence = fragment.sequence
        ready, waiting = self.ready, self.waiting
        if not fragment.flushed:
            waiting = waiting.add(sequence)
        else:
            waiting, ready = waiting.remove(sequence), ready.add(sequence)
        fragments = self.fragments.set(sequence, fragment)
        # The content of a stored fragment never changes, so its words stay.
        before = self.fragments.get(sequence)
        if before is not None:
            deadlines = self.deadlines
            if fragment.flushed and not before.flushed:
                deadlines = deadlines.remove(sequence, before.expire_time)
            return msgspec.structs.replace(self, fragments=fragments, waiting=waiting, ready=ready, deadlines=deadlines)
        return FragmentBuffer(
            fragments,
            self.sequences.set(fragment.fragment_id, sequence),
            self.order.add(sequence),
            waiting,
            ready,
            self.leases,
            self.holders,
            self.words.add(sequence, fragment.content),
            self.deadlines if fragment.flushed else self.deadlines.add(sequence, fragment.expire_time),
            self.lease_deadlines,
            max(self.next_sequence, sequence + 1),
            self.owned_count + (fragment.user_id != ""),
        )

    def remove(self, gone: Sequence[Fragment]) -> "FragmentBuffer":
        """Return the buffer without these fragments, which must exist and be in no lease."""
        fragments, sequences = self.fragments.mutate(), self.sequences.mutate()
        order, waiting, ready, deadlines = self.order, self.waiting, self.ready, self.deadlines
        for fragment in gone:
            sequence = fragment.sequence
            del fragments[sequence]
            del sequences[fragment.fragment_id]
            order = order.remove(sequence)
            waiting, ready = waiting.remove(sequence), ready.remove(sequence)
            if not fragment.flushed:
                deadlines = deadlines.remove(sequence, fragment.expire_time)
        return FragmentBuffer(
            fragments.finish(),
            sequences.finish(),
            order,
            waiting,
            ready,
            self.leases,
            self.holders,
            self.words.remove((fragment.sequence, fragment.content) for fragment in gone),
            deadlines,
            self.lease_deadlines,
            self.next_sequence,
            self.owned_count - sum(fragment.user_id != "" for fragment in gone),
        )

    def put_lease(self, lease: Lease) -> "FragmentBuffer":
        """Return the buffer with a lease, whose fragments must be available."""
        ready, holders = self.ready, self.holders.mutate()
        for sequence in lease.sequences:
            holders[sequence] = lease.token
            ready = ready.remove(sequence)
        return msgspec.structs.replace(
            self,
            ready=ready,
            leases=self.leases.set(lease.token, lease),
            holders=holders.finish(),
            lease_deadlines=self.lease_deadlines.add(lease.token, lease.expire_time),
        )

    def drop_lease(self, lease: Lease) -> "FragmentBuffer":
        """Return the buffer without an existing lease, whose fragments become available again."""
        ready, holders = self.ready, self.holders.mutate()
        for sequence in lease.sequences:
            del holders[sequence]
            ready = ready.add(sequence)
        return msgspec.structs.replace(
            self,
            ready=ready,
            leases=self.leases.delete(lease.token),
            holders=holders.finish(),
            lease_deadlines=self.lease_deadlines.remove(lease.token, lease.expire_time),
        )

    def _live(self, sequences: Iterable[int], now: int) -> Iterator[Fragment]:
        for sequence in sequences:
            fragment = self.fragments[sequence]
            if fragment.is_live(now):
                yield fragment
