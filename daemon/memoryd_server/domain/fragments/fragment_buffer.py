"""An agent's fragments: an immutable value in which storing, finding and handing out cost the same at any size."""

from collections.abc import Iterable, Iterator, Sequence

import immutables
import msgspec

from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.values.deadline import Deadlines, earliest
from memoryd_server.domain.values.number_set import NumberSet
from memoryd_server.domain.values.word_index import WordIndex


class FragmentBuffer(msgspec.Struct, frozen=True):
    """Fragments by their sequences, what finds them, and who holds them.

    ``order`` has the sequences of all fragments, ``waiting`` of those that are not flushed, ``ready`` of those that are
    flushed and in no lease, those past their deadline included. ``holders`` has the lease of each leased fragment.
    ``next_sequence`` is greater than all that were given.
    """

    fragments: immutables.Map[int, Fragment] = immutables.Map()
    sequences: immutables.Map[str, int] = immutables.Map()
    order: NumberSet = NumberSet()
    waiting: NumberSet = NumberSet()
    ready: NumberSet = NumberSet()
    leases: immutables.Map[str, Lease] = immutables.Map()
    holders: immutables.Map[int, str] = immutables.Map()
    words: WordIndex = WordIndex()
    deadlines: Deadlines[int] = Deadlines()
    lease_deadlines: Deadlines[str] = Deadlines()
    next_sequence: int = 0

    @classmethod
    def of(cls, fragments: Iterable[Fragment], leases: Iterable[Lease]) -> "FragmentBuffer":
        """The buffer that these records describe. Every lease is of fragments that are there and flushed."""
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
            Deadlines.of((sequence, fragment.expire_time) for sequence, fragment in stored.items()),
            Deadlines.of((lease.token, lease.expire_time) for lease in held.values()),
            max(stored, default=-1) + 1,
        )

    def __len__(self) -> int:
        return len(self.fragments)

    @property
    def record_count(self) -> int:
        """How many records the store holds of the buffer."""
        return len(self.fragments) + len(self.leases)

    @property
    def next_deadline(self) -> int | None:
        """When the next fragment or lease ends, None when none does."""
        return earliest(self.deadlines.first, self.lease_deadlines.first)

    def find(self, fragment_id: str, now: int) -> Fragment | None:
        """The fragment that may be served at this time."""
        sequence = self.sequences.get(fragment_id)
        if sequence is None:
            return None
        fragment = self.fragments[sequence]
        return fragment if fragment.is_live(now) else None

    def oldest_first(self, now: int) -> Iterator[Fragment]:
        """The fragments that may be served at this time."""
        return self._live(self.order, now)

    def newest_first(self, now: int) -> Iterator[Fragment]:
        """The fragments that may be served at this time."""
        return self._live(reversed(self.order), now)

    def search(self, query: str, min_confidence: float | None, now: int) -> Iterator[Fragment]:
        """The live fragments that have any word of the query and the confidence, newest first."""
        for fragment in self._live(sorted(self.words.find(query), reverse=True), now):
            if min_confidence is None or (fragment.confidence is not None and fragment.confidence >= min_confidence):
                yield fragment

    def live_count(self, now: int) -> int:
        """How many fragments may be served at this time."""
        return len(self.order) - self.deadlines.count_due(now)

    def waiting_count(self, now: int) -> int:
        """How many live fragments are not flushed."""
        return len(self.waiting) - sum(sequence in self.waiting for sequence in self.deadlines.due(now))

    def leased_count(self, now: int) -> int:
        """How many live fragments somebody holds at this time."""
        return sum(1 for lease in self.leases.values() if lease.is_live(now) for _ in self._live(lease.sequences, now))

    def available(self, now: int) -> Iterator[Fragment]:
        """The live fragments that are flushed and in no lease, oldest first."""
        return self._live(self.ready, now)

    def has_available(self, now: int) -> bool:
        """Whether a consumer would get a fragment, be it from a lease that has run out."""
        over = (self.leases[token] for token in self.lease_deadlines.due(now))
        returned = (sequence for lease in over for sequence in lease.sequences)
        return any(True for _ in self.available(now)) or any(True for _ in self._live(returned, now))

    def held(self, lease: Lease, now: int) -> list[Fragment]:
        """The live fragments of a lease, oldest first."""
        return list(self._live(lease.sequences, now))

    def put(self, fragment: Fragment) -> "FragmentBuffer":
        """The buffer with a fragment in no lease: a new one, or one that was flushed or is about to be leased."""
        sequence = fragment.sequence
        ready, waiting = self.ready, self.waiting
        if not fragment.flushed:
            waiting = waiting.add(sequence)
        else:
            waiting, ready = waiting.remove(sequence), ready.add(sequence)
        fragments = self.fragments.set(sequence, fragment)
        if sequence in self.fragments:
            return msgspec.structs.replace(self, fragments=fragments, waiting=waiting, ready=ready)
        return FragmentBuffer(
            fragments,
            self.sequences.set(fragment.fragment_id, sequence),
            self.order.add(sequence),
            waiting,
            ready,
            self.leases,
            self.holders,
            self.words.add(sequence, fragment.content),
            self.deadlines.add(sequence, fragment.expire_time),
            self.lease_deadlines,
            max(self.next_sequence, sequence + 1),
        )

    def remove(self, gone: Sequence[Fragment]) -> "FragmentBuffer":
        """The buffer without fragments that it has and that are in no lease."""
        fragments, sequences = self.fragments.mutate(), self.sequences.mutate()
        order, waiting, ready, deadlines = self.order, self.waiting, self.ready, self.deadlines
        for fragment in gone:
            sequence = fragment.sequence
            del fragments[sequence]
            del sequences[fragment.fragment_id]
            order = order.remove(sequence)
            waiting, ready = waiting.remove(sequence), ready.remove(sequence)
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
        )

    def put_lease(self, lease: Lease) -> "FragmentBuffer":
        """The buffer with a lease of fragments that are available."""
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
        """The buffer without a lease that it has; its fragments are available again."""
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
