"""The fragment buffer as a part of an agent's state."""

from collections.abc import Iterator, Mapping
from typing import Any

from memoryd_server.domain.agent.part import Counts, InitialEvent, PartStatistics, Records, oldest_and_newest
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.fragment_editor import FragmentEditor
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.number_set import NUMBER_MAX

_FRAGMENT_OVERHEAD_BYTES = 768
_WORD_BYTES = 192
_WORD_OF_FRAGMENT_BYTES = 48
"""Memory that a fragment takes besides its texts, an indexed word, and a fragment in the list of a word."""

_EMPTY = FragmentBuffer()


class FragmentPart:
    """Fragments with their leases, as a part; see ``domain.agent.part.Part``."""

    name = "fragment"
    kind = RecordKind.FRAGMENT
    is_cleared_together = False
    records: Mapping[str, type[Any]] = {"fragment": Fragment, "lease": Lease}

    def empty(self, agent_id: str) -> FragmentBuffer:
        """Return an empty buffer."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if fragments share a sequence, or a lease has fragments that are missing or not flushed."""
        fragments = records["fragment"]
        sequences = {fragment.sequence for fragment in fragments}
        if len(sequences) < len(fragments) or any(not 0 <= sequence <= NUMBER_MAX for sequence in sequences):
            raise DataDamaged(f"agent {agent_id!r} has fragments that are not in an order")
        flushed = {fragment.sequence for fragment in fragments if fragment.flushed}
        if any(not flushed.issuperset(lease.sequences) for lease in records["lease"]):
            raise DataDamaged(f"agent {agent_id!r} has a lease of missing fragments")

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged unless the records can be restored."""
        self.check(agent_id, records)

    def load(self, agent_id: str, records: Records) -> FragmentBuffer:
        """Return the buffer made of the agent's records."""
        return FragmentBuffer.of(records["fragment"], records["lease"])

    def edit(self, value: FragmentBuffer, transition: Transition) -> FragmentEditor:
        """Return an editor of the buffer within a transition."""
        return FragmentEditor(self, value, transition)

    def initial_events(self, value: FragmentBuffer, now: int) -> Iterator[InitialEvent]:
        """Yield an event for each live fragment, oldest first."""
        for fragment in value.oldest_first(now):
            subject = FragmentSubject(fragment.fragment_id, fragment)
            yield InitialEvent(EventType.FRAGMENT_CREATED, fragment.revision, fragment.create_time, subject)

    def live_counts(self, value: FragmentBuffer, now: int) -> Counts:
        """Return the number of live fragments."""
        return {RecordKind.FRAGMENT: value.live_count(now)}

    def statistics(self, value: FragmentBuffer, now: int) -> PartStatistics:
        """Return the statistics of the live fragments."""
        live = list(value.oldest_first(now))
        times = oldest_and_newest(fragment.update_time for fragment in live)
        size_bytes = sum(fragment.size_bytes for fragment in live)
        return PartStatistics(size_bytes, {RecordKind.FRAGMENT: len(live)}, {}, *times)

    def blocks_ending(self, value: FragmentBuffer) -> bool:
        """Return False: an agent may end whatever its buffer holds."""
        return False

    def memory_bytes(self, value: FragmentBuffer) -> int:
        """Return an estimate of the memory that fragments and their word index take in addition to their texts."""
        words = value.words
        index_bytes = len(words.postings) * _WORD_BYTES + words.count * _WORD_OF_FRAGMENT_BYTES
        return len(value) * _FRAGMENT_OVERHEAD_BYTES + index_bytes


FRAGMENTS = FragmentPart()
