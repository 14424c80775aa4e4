"""Commands: requested changes of one agent. Identifiers and tokens that they may need come with them."""

import msgspec

from memoryd_server.domain.entry import Entry, EntryDraft
from memoryd_server.domain.event import EventCause
from memoryd_server.domain.fragment import Fragment, FragmentDraft
from memoryd_server.domain.scope import Scope


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

    All are flushed once ``flush_threshold`` of them are not; 0 for never.
    """

    draft: FragmentDraft
    new_number: int
    flush_threshold: int = 0


class DeleteFragment(msgspec.Struct, frozen=True):
    """Remove a fragment."""

    fragment_id: str


class ClearFragments(msgspec.Struct, frozen=True):
    """Remove all fragments, and end all leases."""

    precondition: Precondition | None = None


class FlushFragments(msgspec.Struct, frozen=True):
    """Make all fragments ready for consolidation."""


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


class ClearAgent(msgspec.Struct, frozen=True):
    """Remove all entries and dispose all scopes, and remove all fragments; or one of both."""

    precondition: Precondition | None = None
    clears_working_memory: bool = True
    clears_fragments: bool = True


class EndAgent(msgspec.Struct, frozen=True):
    """Remove the agent with all that it holds."""

    precondition: Precondition | None = None
    cause: EventCause = EventCause.REQUEST


class AgentImage(msgspec.Struct, frozen=True):
    """What a snapshot holds of an agent."""

    entries: tuple[Entry, ...] = ()
    scopes: tuple[Scope, ...] = ()
    fragments: tuple[Fragment, ...] = ()


class RestoreAgent(msgspec.Struct, frozen=True):
    """Replace all that the agent holds by an image."""

    image: AgentImage
    snapshot_id: str


class ExpireRecords(msgspec.Struct, frozen=True):
    """Remove entries, reservations, fragments and leases whose time is over."""


class Access(msgspec.Struct, frozen=True):
    """How often an entry was read since that was last recorded, and when last."""

    scope_id: str
    key: str
    entry_id: str
    count: int
    last_time: int


class RecordAccesses(msgspec.Struct, frozen=True):
    """Keep what was counted beside the state. It tells nothing new, so the revision stays."""

    accesses: tuple[Access, ...]


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
    | ClearAgent
    | EndAgent
    | RestoreAgent
    | ExpireRecords
    | RecordAccesses
)
