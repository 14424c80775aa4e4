"""Commands: requested changes of one agent. Identifiers and tokens that they may need come with them."""

import msgspec

from memoryd_server.domain.agent.event import CollectedRecord, EventCause
from memoryd_server.domain.agent.kind import CLEARED_BY_DEFAULT, MemoryKind
from memoryd_server.domain.entries.entry import Entry, EntryDraft
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.fragments.fragment import Fragment, FragmentDraft
from memoryd_server.domain.memories.embedding import Embedding, EmbeddingIdentity
from memoryd_server.domain.memories.memory import (
    LongTermMemoryType,
    Memory,
    MemoryDraft,
    MemoryStatus,
    MemoryVersion,
    Provenance,
    Purge,
)
from memoryd_server.domain.memories.memory_link import DraftLink, LinkType, MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy


class Precondition(msgspec.Struct, frozen=True):
    """What must hold for a change: exactly one of both is set."""

    must_not_exist: bool = False
    expected_revision: int | None = None


class SetEntry(msgspec.Struct, frozen=True):
    """Store a value in a scope. ``reservation_token`` is empty, or must be held."""

    scope_id: str
    draft: EntryDraft
    new_id: str
    reservation_token: str = ""
    precondition: Precondition | None = None


class GetOrSetEntry(msgspec.Struct, frozen=True):
    """Find an entry, or store the draft."""

    scope_id: str
    draft: EntryDraft
    new_id: str
    local_only: bool = False


class ReserveEntry(msgspec.Struct, frozen=True):
    """Find an entry, or take the right to make it. ``lease_ns`` is how long that right holds."""

    scope_id: str
    key: str
    new_token: str
    lease_ns: int
    local_only: bool = False


class RenewReservation(msgspec.Struct, frozen=True):
    """Hold a reservation for another ``lease_ns`` from now."""

    scope_id: str
    key: str
    token: str
    lease_ns: int


class ReleaseReservation(msgspec.Struct, frozen=True):
    """Give a reservation up."""

    scope_id: str
    key: str
    token: str


class RemoveEntry(msgspec.Struct, frozen=True):
    """Remove a key from a scope."""

    scope_id: str
    key: str
    precondition: Precondition | None = None


class ClearEntries(msgspec.Struct, frozen=True):
    """Remove all entries of a scope or of the root."""

    scope_id: str
    precondition: Precondition | None = None


class SetOperation(msgspec.Struct, frozen=True):
    """A step of WriteEntries: store a value."""

    draft: EntryDraft
    precondition: Precondition | None = None


class RemoveOperation(msgspec.Struct, frozen=True):
    """A step of WriteEntries: remove a key."""

    key: str
    precondition: Precondition | None = None


class WriteEntries(msgspec.Struct, frozen=True):
    """Carry out all operations as one change. Each key is named at most once."""

    scope_id: str
    operations: tuple[SetOperation | RemoveOperation, ...]
    new_id: str


class CreateScope(msgspec.Struct, frozen=True):
    """Create a scope under the root or under an active scope."""

    name: str
    parent_scope_id: str
    new_id: str
    precondition: Precondition | None = None


class MergeScope(msgspec.Struct, frozen=True):
    """Copy a scope's own entries to its parent, and dispose it if asked."""

    scope_id: str
    overwrite: bool
    dispose: bool
    new_id: str
    precondition: Precondition | None = None


class DisposeScope(msgspec.Struct, frozen=True):
    """End a scope and its descendants."""

    scope_id: str
    precondition: Precondition | None = None


class StoreFragment(msgspec.Struct, frozen=True):
    """Store a fragment. ``new_number`` makes its id; the next ones do while their fragments are there.

    All are flushed once ``flush_threshold`` of them are not; 0 for never. ``consolidates`` is whether the daemon itself
    has to do with what is flushed.
    """

    draft: FragmentDraft
    new_number: int
    flush_threshold: int = 0
    consolidates: bool = False


class DeleteFragment(msgspec.Struct, frozen=True):
    """Remove a fragment."""

    fragment_id: str


class ClearFragments(msgspec.Struct, frozen=True):
    """Remove all fragments, and end all leases."""

    precondition: Precondition | None = None


class FlushFragments(msgspec.Struct, frozen=True):
    """Make all fragments ready for consolidation. ``consolidates`` as in StoreFragment."""

    consolidates: bool = False


class LeaseFragments(msgspec.Struct, frozen=True):
    """Hand out at most ``count_max`` flushed fragments that nobody holds, for ``lease_ns`` from now."""

    new_token: str
    count_max: int
    lease_ns: int


class RenewLease(msgspec.Struct, frozen=True):
    """Hold a lease for another ``lease_ns`` from now."""

    token: str
    lease_ns: int


class AcknowledgeFragments(msgspec.Struct, frozen=True):
    """Remove fragments of a lease, since they are consolidated; all of them when none is named."""

    token: str
    fragment_ids: frozenset[str] = frozenset()


class ReleaseFragments(msgspec.Struct, frozen=True):
    """Give fragments of a lease back; all of them when none is named."""

    token: str
    fragment_ids: frozenset[str] = frozenset()


class CreateMemories(msgspec.Struct, frozen=True):
    """Create memories, or reinforce what tells the same. ``new_id`` begins the ids of those that bring none."""

    drafts: tuple[MemoryDraft, ...]
    new_id: str
    policy: MemoryPolicy
    precondition: Precondition | None = None


class MemoryPatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to change of a memory; what is unset stays. Times are ns since the Unix epoch."""

    content: str | msgspec.UnsetType = msgspec.UNSET
    type: LongTermMemoryType | msgspec.UnsetType = msgspec.UNSET
    status: MemoryStatus | msgspec.UnsetType = msgspec.UNSET
    provenance: Provenance | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET
    importance: float | msgspec.UnsetType = msgspec.UNSET
    occur_time: int | msgspec.UnsetType = msgspec.UNSET
    expire_time: int | msgspec.UnsetType | None = msgspec.UNSET


class UpdateMemory(msgspec.Struct, frozen=True):
    """Change a memory. ``vector`` is that of the new content, or of the same one; empty when none is given."""

    memory_id: str
    patch: MemoryPatch
    policy: MemoryPolicy
    identity: EmbeddingIdentity | None = None
    vector: bytes = b""
    is_vector_given: bool = False
    precondition: Precondition | None = None

    def with_vector(self, identity: EmbeddingIdentity, vector: bytes, *, is_given: bool) -> "UpdateMemory":
        """The command with the vector of the content."""
        return msgspec.structs.replace(self, identity=identity, vector=vector, is_vector_given=is_given)


class ReinforceMemory(msgspec.Struct, frozen=True):
    """Make a memory surer: as sure as ``confidence`` says, or by a fifth of what is missing."""

    memory_id: str
    policy: MemoryPolicy
    confidence: float | None = None
    precondition: Precondition | None = None


class ForgetMemory(msgspec.Struct, frozen=True):
    """Forget a memory so that it can be restored, or restore it."""

    memory_id: str
    policy: MemoryPolicy
    restores: bool = False
    precondition: Precondition | None = None


class PurgeMemory(msgspec.Struct, frozen=True):
    """Remove a memory for good. ``keeps_out`` is whether its content must not come back."""

    memory_id: str
    keeps_out: bool = False
    precondition: Precondition | None = None


class FinishPurges(msgspec.Struct, frozen=True):
    """Note that the journal tells no more of what these memories were that had been purged by a revision."""

    memory_ids: tuple[str, ...]
    revision: int


class LinkMemories(msgspec.Struct, frozen=True):
    """Link two memories, or give their link another strength."""

    from_id: str
    link: DraftLink
    policy: MemoryPolicy
    precondition: Precondition | None = None


class UnlinkMemories(msgspec.Struct, frozen=True):
    """Remove the links from one memory to another: of one type, or all."""

    from_id: str
    to_id: str
    policy: MemoryPolicy
    type: LinkType | None = None
    precondition: Precondition | None = None


class ConsolidateFragments(msgspec.Struct, frozen=True):
    """Make memories of fragments of a lease, and remove these fragments, in one step."""

    token: str
    fragment_ids: frozenset[str]
    creates: CreateMemories


class EmbeddedContent(msgspec.Struct, frozen=True):
    """The vector of what a memory's content was when it was asked for."""

    content: str
    embedding: Embedding


class KeepEmbeddings(msgspec.Struct, frozen=True):
    """Keep vectors that were made after their memories were committed. They tell nothing new: the revision stays.

    ``replaces_given`` is whether they take the place of vectors that writers brought, too.
    """

    embedded: tuple[EmbeddedContent, ...]
    replaces_given: bool = False


class CollectionCommand(msgspec.Struct, frozen=True):
    """A command about records that are kept in a collection; what may be asked is beside what decides it."""


class ClearAgent(msgspec.Struct, frozen=True):
    """Remove what the agent holds of these kinds; working memory is all entries and scopes."""

    precondition: Precondition | None = None
    kinds: frozenset[MemoryKind] = CLEARED_BY_DEFAULT


class EndAgent(msgspec.Struct, frozen=True):
    """Remove the agent with all that it holds."""

    precondition: Precondition | None = None
    cause: EventCause = EventCause.REQUEST


class AgentImage(msgspec.Struct, frozen=True):
    """What a snapshot holds of an agent."""

    entries: tuple[Entry, ...] = ()
    scopes: tuple[Scope, ...] = ()
    fragments: tuple[Fragment, ...] = ()
    memories: tuple[Memory, ...] = ()
    embeddings: tuple[Embedding, ...] = ()
    links: tuple[MemoryLink, ...] = ()
    versions: tuple[MemoryVersion, ...] = ()
    purges: tuple[Purge, ...] = ()
    collected: tuple[CollectedRecord, ...] = ()


class RestoreAgent(msgspec.Struct, frozen=True):
    """Replace all that the agent holds by an image."""

    image: AgentImage
    snapshot_id: str


class ExpireRecords(msgspec.Struct, frozen=True):
    """Remove what is over, and archive what has faded.

    ``consolidates`` is whether fragments that are ready make the agent due.
    """

    policy: MemoryPolicy = MemoryPolicy()
    consolidates: bool = False


class Access(msgspec.Struct, frozen=True):
    """How often an entry was read since that was last recorded, and when last."""

    scope_id: str
    key: str
    entry_id: str
    count: int
    last_time: int


class MemoryAccess(msgspec.Struct, frozen=True):
    """How often a memory was recalled since that was last recorded, and when last."""

    memory_id: str
    count: int
    last_time: int


class RecordAccesses(msgspec.Struct, frozen=True):
    """Keep what was counted beside the state. It tells nothing new, so the revision stays."""

    accesses: tuple[Access, ...]
    memory_accesses: tuple[MemoryAccess, ...] = ()


Command = (
    SetEntry
    | GetOrSetEntry
    | ReserveEntry
    | RenewReservation
    | ReleaseReservation
    | RemoveEntry
    | ClearEntries
    | WriteEntries
    | CreateScope
    | MergeScope
    | DisposeScope
    | StoreFragment
    | DeleteFragment
    | ClearFragments
    | FlushFragments
    | LeaseFragments
    | RenewLease
    | AcknowledgeFragments
    | ReleaseFragments
    | CreateMemories
    | UpdateMemory
    | ReinforceMemory
    | ForgetMemory
    | PurgeMemory
    | FinishPurges
    | LinkMemories
    | UnlinkMemories
    | KeepEmbeddings
    | ConsolidateFragments
    | CollectionCommand
    | ClearAgent
    | EndAgent
    | RestoreAgent
    | ExpireRecords
    | RecordAccesses
)
