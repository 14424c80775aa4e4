"""Commands that create, renew, merge and dispose scopes."""

from collections.abc import Sequence
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RESULT_BYTES, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.error import QuotaExceeded
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.limit import NAMED_CHARS_MAX, NAMED_SCOPES_MAX
from memoryd_server.domain.utc_text import utc_text


class ScopeCreated(Result, frozen=True, array_like=True, tag=True):
    """The result of CreateScope."""

    scope: Scope
    revision: int


class ScopeMerged(Result, frozen=True, array_like=True, tag=True):
    """The result of MergeScope."""

    merged_entry_count: int
    revision: int


class ScopesDisposed(Result, frozen=True, array_like=True, tag=True):
    """The result of DisposeScope. ``deleted`` is false if the scope was disposed before, and nothing was changed.

    ``scope_name`` is for the log, and is not stored: no erasure would find it.
    """

    deleted: bool
    cleared_entry_count: int
    scope_ids: tuple[str, ...]
    revision: int
    scope_name: str = ""

    @property
    def remembered(self) -> "ScopesDisposed":
        """The result as it is stored under its request id."""
        return msgspec.structs.replace(self, scope_name="")

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each scope counts as a result."""
        return RESULT_BYTES * (1 + len(self.scope_ids))


class ScopeRenewed(Result, frozen=True, array_like=True, tag=True):
    """The result of RenewScope."""

    revision: int


class CreateScope(Command[ScopeCreated], frozen=True):
    """Create a scope below the root or below an active scope."""

    name: str
    parent_scope_id: str
    new_id: str
    precondition: Precondition | None = None
    user_id: str = ""
    idle_ttl_ns: int | None = None

    def decide(self, transition: Transition) -> ScopeCreated:
        """Create a scope.

        Raises ScopeDisposed, RecordNotFound, RecordExists, RevisionMismatch, QuotaExceeded.
        """
        working = transition.open(WORKING_MEMORY)
        parent_scope_id = self.parent_scope_id
        ancestors = (
            () if parent_scope_id == ROOT else (parent_scope_id, *working.before.scope(parent_scope_id).ancestors)
        )
        if self.precondition is not None:
            _check_named(self.precondition, transition, self.name, parent_scope_id)
        scopes_max = transition.limits.scopes_per_agent
        working.renew_scope(parent_scope_id)
        if len(working.scopes) >= scopes_max:
            # Expired scopes may not be disposed yet: dispose them before a new one is refused.
            working.expire_scopes()
        if len(working.scopes) >= scopes_max:
            raise _too_many_scopes(working.before.scopes_in_order(), scopes_max)
        scope = Scope(
            self.new_id,
            self.name,
            ancestors,
            transition.now,
            transition.revision,
            user_id=self.user_id,
            idle_ttl_ns=self.idle_ttl_ns,
        ).used(transition.now)
        working.create_scope(scope)
        return ScopeCreated(scope, transition.revision)


class MergeScope(Command[ScopeMerged], frozen=True):
    """Copy a scope's own entries to its parent, and dispose the scope if ``dispose`` is true."""

    scope_id: str
    overwrite: bool
    dispose: bool
    new_id: str

    def decide(self, transition: Transition) -> ScopeMerged:
        """Copy the scope's own entries to its parent.

        Raises ScopeDisposed, RecordNotFound, RevisionMismatch, QuotaExceeded.
        """
        working = transition.open(WORKING_MEMORY)
        scope = working.before.scope(self.scope_id)
        # Free the space of the disposed scopes before entries are copied: the merge of a full agent would fail
        # otherwise.
        if self.dispose:
            for each in (scope, *working.before.descendants(scope.scope_id)):
                working.expect_disposal(each)
        merged = 0
        for index, entry in enumerate(working.before.live_entries(self.scope_id, transition.now)):
            if not self.overwrite and working.local_entry(scope.parent_scope_id, entry.key) is not None:
                continue
            new_id = f"{self.new_id}{index:03x}"
            working.set_entry(scope.parent_scope_id, entry.draft, new_id, EventCause.MERGE)
            merged += 1
        if self.dispose:
            working.dispose_with_descendants(scope, EventCause.REQUEST)
        working.note_use(scope.parent_scope_id if self.dispose else self.scope_id)
        return ScopeMerged(merged, transition.result_revision)


class DisposeScope(Command[ScopesDisposed], frozen=True):
    """Dispose a scope and its descendants."""

    scope_id: str

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the scope, and its own entries."""
        return (("scope", self.scope_id), ("entry", self.scope_id))

    def decide(self, transition: Transition) -> ScopesDisposed:
        """Dispose a scope and its descendants, unless it was disposed. Raises RecordNotFound, RevisionMismatch."""
        working = transition.open(WORKING_MEMORY)
        if self.scope_id in working.before.disposed_scopes:
            if transition.erases:
                disposed = working.before.disposed_scopes.values()
                working.erase_disposed([each.scope_id for each in disposed if self.scope_id in each.path])
                transition.keep_revision()
            return ScopesDisposed(False, 0, (), transition.state.revision)
        scope = working.before.scope(self.scope_id)
        cleared, scope_ids = working.dispose_with_descendants(scope, EventCause.REQUEST)
        return ScopesDisposed(True, cleared, scope_ids, transition.revision, scope.name)


class RenewScope(Command[ScopeRenewed], frozen=True):
    """Put off the end of a scope that was read, and of those above it, unless it was disposed meanwhile."""

    scope_id: str

    def decide(self, transition: Transition) -> ScopeRenewed:
        """Put off the end of the scopes. No event reports this."""
        working = transition.open(WORKING_MEMORY)
        if self.scope_id in working.before.scopes:
            working.note_use(self.scope_id)
        return ScopeRenewed(transition.state.revision)


def _too_many_scopes(oldest_first: Sequence[Scope], scopes_max: int) -> QuotaExceeded:
    """Return the error that names the oldest scopes, which are likely to be left over."""
    oldest = [
        {
            "scope_id": scope.scope_id,
            "name": scope.name[:NAMED_CHARS_MAX],
            "create_time": utc_text(scope.create_time),
        }
        for scope in oldest_first[:NAMED_SCOPES_MAX]
    ]
    named = ", ".join(f"{each['name']!r} ({each['scope_id']}) of {each['create_time']}" for each in oldest)
    hint = f"dispose scopes that are no longer used, create them with an idle_ttl, or raise the limit; oldest: {named}"
    return QuotaExceeded("scopes_per_agent", scopes_max, hint, oldest_scopes=msgspec.json.encode(oldest).decode())


def _check_named(precondition: Precondition, transition: Transition, name: str, parent_scope_id: str) -> None:
    """Raise RecordExists, RecordNotFound or RevisionMismatch unless the precondition holds for the scope of a name.

    Names need not be unique: of several scopes below the parent, the one that was created last counts.
    """
    scopes = transition.open(WORKING_MEMORY).before.scopes_in_order()
    same = [scope for scope in scopes if (scope.name, scope.parent_scope_id) == (name, parent_scope_id)]
    scope_id, revision = (same[-1].scope_id, same[-1].revision) if same else ("", 0)
    check_record(precondition, transition.state.agent_id, "scope", scope_id, revision, name=name)
