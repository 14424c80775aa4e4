"""Results: what a command answers. They are remembered under request ids, so their fields are stored in this order."""

import enum

import msgspec

from memoryd_server.domain.agent.event import CollectedRecord
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.memories.memory import LongTermMemoryType


class EntrySet(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of SetEntry."""

    is_update: bool
    entry_id: str
    revision: int


class EntryFoundOrSet(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of GetOrSetEntry."""

    was_set: bool
    entry: Entry
    revision: int


class EntryReserved(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ReserveEntry and RenewReservation: an entry, or a reservation that the caller or another holds."""

    entry: Entry | None
    reservation: Reservation | None
    held_by_caller: bool
    revision: int

    @property
    def held_by_other(self) -> bool:
        """Whether the caller has to wait for another one."""
        return self.reservation is not None and not self.held_by_caller


class ReservationReleased(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ReleaseReservation."""

    revision: int


class EntryRemoved(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of RemoveEntry."""

    removed: bool
    revision: int


class EntriesCleared(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ClearEntries."""

    entries_cleared: int
    revision: int


class OperationResult(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What one operation of WriteEntries met and made."""

    key: str
    existed: bool
    entry_id: str = ""


class EntriesWritten(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of WriteEntries."""

    results: tuple[OperationResult, ...]
    revision: int


class ScopeCreated(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of CreateScope."""

    scope: Scope
    revision: int


class ScopeMerged(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of MergeScope."""

    entries_merged: int
    revision: int


class ScopesDisposed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of DisposeScope. ``already_disposed`` means that nothing was changed."""

    entries_cleared: int
    scope_ids: tuple[str, ...]
    already_disposed: bool
    revision: int


class FragmentStored(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of StoreFragment. ``evicted`` had to make room, ``flushed`` became ready for consolidation."""

    fragment_id: str
    expire_time: int
    evicted: int
    flushed: int
    revision: int


class FragmentDeleted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of DeleteFragment."""

    deleted: bool
    revision: int


class FragmentsCleared(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ClearFragments."""

    fragments_cleared: int
    revision: int


class FragmentsFlushed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of FlushFragments."""

    fragments_flushed: int
    revision: int


class FragmentsLeased(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of LeaseFragments and RenewLease: no lease when there was nothing to hand out."""

    lease: Lease | None
    revision: int


class FragmentsSettled(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of AcknowledgeFragments and ReleaseFragments: how many were removed, or given back."""

    count: int
    revision: int


class CreationOutcome(enum.IntEnum):
    """What became of a draft of a memory. The numbers are those of the contract and are stored: never renumber."""

    CREATED = 1
    REINFORCED = 2
    KEPT_OUT = 3


class MemoryCreated(msgspec.Struct, frozen=True, array_like=True):
    """What became of one draft: the memory that was made, or that tells the same; no id when it was kept out.

    ``contradicts`` and ``relates_to`` are the memories that it was linked with.
    """

    outcome: CreationOutcome
    memory_id: str
    type: LongTermMemoryType
    contradicts: tuple[str, ...] = ()
    relates_to: tuple[str, ...] = ()


class MemoriesCreated(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of CreateMemories and ConsolidateFragments, in the order of the drafts."""

    created: tuple[MemoryCreated, ...]
    revision: int


class MemoryChanged(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of UpdateMemory and ForgetMemory. ``changed`` is whether anything was.

    ``purge_time`` is when a forgotten memory goes for good, in ns since the Unix epoch.
    """

    changed: bool
    revision: int
    purge_time: int | None = None


class MemoryReinforced(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ReinforceMemory: how sure the memory is now."""

    confidence: float
    reinforce_count: int
    revision: int


class MemoryPurged(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of PurgeMemory."""

    revision: int


class PurgesFinished(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of FinishPurges."""

    revision: int


class MemoriesLinked(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of LinkMemories.

    ``is_update`` is whether the link was there, ``superseded`` whether its end was marked superseded by it.
    """

    is_update: bool
    superseded: bool
    revision: int


class MemoriesUnlinked(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of UnlinkMemories: how many links were there. ``restored`` is whether their end is active again."""

    count: int
    restored: bool
    revision: int


class EmbeddingsKept(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of KeepEmbeddings: how many vectors were still of use."""

    count: int
    revision: int


class RecordPut(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of what puts one record of a collection: the record as it is now, and whether that is new."""

    record: CollectedRecord
    changed: bool
    revision: int


class PlanCreated(RecordPut, frozen=True, array_like=True, tag=True):
    """The result of CreatePlan. ``replaced_plan_id`` is the plan that was current before; empty for none."""

    replaced_plan_id: str = ""


class RecordRemoved(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of what removes records of a collection."""

    count: int
    revision: int


class MessagesCompacted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of CompactMessages: the conversation as it is now, and what became of its messages.

    ``overtaken`` is whether nothing was done, since others have removed some of the messages: plan again.
    """

    conversation: Conversation
    messages_removed: int
    tokens_removed: int
    note_ids: tuple[str, ...]
    revision: int
    overtaken: bool = False


class EntitiesCleared(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ClearEntities: how many entities were removed, and how many sessions' windows."""

    entities_cleared: int
    sessions_cleared: int
    revision: int


class AgentCleared(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ClearAgent and EndAgent.

    ``awaits_purges`` is whether the agent did not end, since what was purged is to be stripped from the journal before.
    """

    entries_cleared: int
    scopes_disposed: int
    revision: int
    fragments_cleared: int = 0
    memories_cleared: int = 0
    awaits_purges: bool = False
    records_cleared: int = 0


class AgentRestored(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of RestoreAgent."""

    revision: int


class RecordsExpired(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of ExpireRecords. Reservations and leases are not counted."""

    entries_expired: int
    revision: int
    fragments_expired: int = 0
    memories_ended: int = 0
    memories_archived: int = 0


class AccessesRecorded(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The result of RecordAccesses."""

    revision: int


Result = (
    EntrySet
    | EntryFoundOrSet
    | EntryReserved
    | ReservationReleased
    | EntryRemoved
    | EntriesCleared
    | EntriesWritten
    | ScopeCreated
    | ScopeMerged
    | ScopesDisposed
    | FragmentStored
    | FragmentDeleted
    | FragmentsCleared
    | FragmentsFlushed
    | FragmentsLeased
    | FragmentsSettled
    | MemoriesCreated
    | MemoryChanged
    | MemoryReinforced
    | MemoryPurged
    | PurgesFinished
    | MemoriesLinked
    | MemoriesUnlinked
    | EmbeddingsKept
    | RecordPut
    | PlanCreated
    | RecordRemoved
    | MessagesCompacted
    | EntitiesCleared
    | AgentCleared
    | AgentRestored
    | RecordsExpired
    | AccessesRecorded
)
