"""Due ingestions: the conversations whose new messages a daemon ingests by itself. Clients never see them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import immutables
import msgspec

from memoryd_server.domain.agent.part import Access, Changes, Counts, Growth, InitialEvent, PartStatistics, Records
from memoryd_server.domain.agent.user_removal import UserRemoval
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.limit import DUE_INGESTIONS_PER_SWEEP_MAX
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.deadline import Deadlines

if TYPE_CHECKING:
    from memoryd_server.domain.agent.transition import Transition

NAME = "due_ingestion"

_INGESTION_BYTES = 512
"""Memory that a due ingestion takes."""


class DueIngestion(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A conversation with messages that are to be ingested at ``due_time``. Fields are stored in this order.

    The time is in nanoseconds since the Unix epoch. ``attempts`` is the number of times that a daemon began it.
    """

    kept_when_erased: ClassVar = ("conversation_id",)

    conversation_id: str
    due_time: int
    attempts: int = 0

    @property
    def size_bytes(self) -> int:
        """Always 0: what the daemon is to do does not count against the storage limit."""
        return 0


class DueIngestions(msgspec.Struct, frozen=True):
    """The due ingestions of an agent: an immutable value."""

    by_id: immutables.Map[str, DueIngestion] = immutables.Map()
    deadlines: Deadlines[str] = Deadlines()

    @property
    def next_deadline(self) -> int | None:
        """The time at which the first conversation is to be ingested, None if none is."""
        return self.deadlines.first

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of them."""
        return len(self.by_id)

    def __len__(self) -> int:
        return len(self.by_id)

    def put(self, due: DueIngestion) -> "DueIngestions":
        """Return the value with this one, which replaces that of the same conversation."""
        kept = self.remove(due.conversation_id).deadlines
        deadlines = kept.add(due.conversation_id, due.due_time)
        return DueIngestions(self.by_id.set(due.conversation_id, due), deadlines)

    def remove(self, conversation_id: str) -> "DueIngestions":
        """Return the value without that of a conversation, if there is one."""
        before = self.by_id.get(conversation_id)
        if before is None:
            return self
        deadlines = self.deadlines.remove(conversation_id, before.due_time)
        return DueIngestions(self.by_id.delete(conversation_id), deadlines)


_EMPTY = DueIngestions()


class DueIngestionEditor:
    """The editor of due ingestions; see ``domain.agent.part.Editor``. ``due`` is the value so far."""

    __slots__ = ("_transition", "before", "due", "part")

    def __init__(self, part: "DueIngestionPart", before: DueIngestions, transition: "Transition") -> None:
        self.part = part
        self.before = before
        self.due = before
        self._transition = transition

    @property
    def next_deadline(self) -> int | None:
        """The time at which the first conversation is to be ingested, None if none is."""
        return self.due.next_deadline

    def finish(self) -> DueIngestions:
        """Return the value after the transition."""
        return self.due

    def growth(self) -> Growth:
        """Return the growth of the part within the transition."""
        added = len(self.due) - len(self.before)
        return added, added * _INGESTION_BYTES

    def put(self, due: DueIngestion) -> None:
        """Put a due ingestion, which may replace that of the same conversation."""
        self.due = self.due.put(due)
        self._transition.put(NAME, due.conversation_id, due)
        self._transition.note_deadline(due.due_time)

    def drop(self, conversation_id: str) -> None:
        """Remove that of a conversation, if there is one."""
        if conversation_id in self.due.by_id:
            self.due = self.due.remove(conversation_id)
            self._transition.put(NAME, conversation_id, None)

    def clear(self, cause: EventCause) -> Counts:
        """Remove all, with the conversations."""
        for conversation_id in self.due.by_id:
            self.drop(conversation_id)
        return {}

    def forget_user(self, removal: UserRemoval) -> Counts:
        """Do nothing: the one of a conversation is removed with it."""
        return {}

    def restore(self, image: Records) -> None:
        """Replace all by those of a snapshot: their time may have come long ago."""
        wanted = {each.conversation_id: each for each in image[NAME]}
        for conversation_id in self.due.by_id:
            if conversation_id not in wanted:
                self.drop(conversation_id)
        for each in wanted.values():
            if self.due.by_id.get(each.conversation_id) != each:
                self.put(each)

    def replay(self, changes: Changes) -> None:
        """Put and delete those among these changes."""
        for change, due in changes.items():
            if change.kind == NAME:
                if due is None:
                    self.drop(change.key)
                else:
                    self.put(due)

    def sweep(self, rules: Any) -> dict[str, int]:
        """Return how many are due, for the engine to ingest.

        Without ``rules``, the daemon ingests none by itself: remove them, or their agent would always be due.
        """
        due = self.due.deadlines.due(self._transition.now, DUE_INGESTIONS_PER_SWEEP_MAX)
        if rules is None:
            for conversation_id in due:
                self.drop(conversation_id)
        return {"due_ingestions": len(due)}

    def record_accesses(self, accesses: Sequence[Access]) -> None:
        """Do nothing: due ingestions are not read."""


class DueIngestionPart:
    """Due ingestions, as a part; see ``domain.agent.part.Part``. They are cleared with the conversations."""

    name = NAME
    kind = RecordKind.CONVERSATION
    is_cleared_together = True
    records: Mapping[str, type[Any]] = {NAME: DueIngestion}

    def empty(self, agent_id: str) -> DueIngestions:
        """Return a value without any."""
        return _EMPTY

    def check(self, agent_id: str, records: Records) -> None:
        """Accept all: they do not depend on each other, and may be of conversations that are gone."""

    def check_image(self, agent_id: str, records: Records) -> None:
        """Accept all, as ``check`` does."""

    def load(self, agent_id: str, records: Records) -> DueIngestions:
        """Return the agent's due ingestions."""
        found = {each.conversation_id: each for each in records[NAME]}
        return DueIngestions(immutables.Map(found), Deadlines.of((key, each.due_time) for key, each in found.items()))

    def edit(self, value: DueIngestions, transition: "Transition") -> DueIngestionEditor:
        """Return an editor of the value within a transition."""
        return DueIngestionEditor(self, value, transition)

    def initial_events(self, value: DueIngestions, now: int) -> Iterator[InitialEvent]:
        """Yield nothing."""
        return iter(())

    def live_counts(self, value: DueIngestions, now: int) -> Counts:
        """Return nothing: clients do not see them."""
        return {}

    def statistics(self, value: DueIngestions, now: int) -> PartStatistics:
        """Return nothing: clients do not see them."""
        return PartStatistics()

    def blocks_ending(self, value: DueIngestions) -> bool:
        """Return False: an agent that ends has nothing to ingest."""
        return False

    def memory_bytes(self, value: DueIngestions) -> int:
        """Return an estimate of the memory that they take."""
        return len(value) * _INGESTION_BYTES


DUE_INGESTIONS = DueIngestionPart()


def note_due(conversation_id: str, ingest_ns: int, transition: "Transition") -> None:
    """Let a conversation be due after this time, but not before the lease of an attempt ends."""
    editor = transition.open(DUE_INGESTIONS)
    before, due_time = editor.due.by_id.get(conversation_id), transition.now + ingest_ns
    if before is None:
        editor.put(DueIngestion(conversation_id, due_time))
    elif before.due_time < due_time:
        editor.put(DueIngestion(conversation_id, due_time, before.attempts))
