"""Commands that create, merge and dispose scopes."""

from typing import Any

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


class ScopeCreated(Result, frozen=True, array_like=True, tag=True):
    """The result of CreateScope."""

    scope: Scope
    revision: int


class ScopeMerged(Result, frozen=True, array_like=True, tag=True):
    """The result of MergeScope."""

    merged_entry_count: int
    revision: int


class ScopesDisposed(Result, frozen=True, array_like=True, tag=True):
    """The result of DisposeScope. ``deleted`` is false if the scope was disposed before, and nothing was changed."""

    deleted: bool
    cleared_entry_count: int
    scope_ids: tuple[str, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each scope counts as a result."""
        return RESULT_BYTES * (1 + len(self.scope_ids))


class CreateScope(Command[ScopeCreated], frozen=True):
    """Create a scope below the root or below an active scope."""

    name: str
    parent_scope_id: str
    new_id: str
    precondition: Precondition | None = None
    user_id: str = ""

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
        if len(working.before.scopes) >= transition.limits.scopes_per_agent:
            raise QuotaExceeded("scopes_per_agent", transition.limits.scopes_per_agent)
        scope = Scope(self.new_id, self.name, ancestors, transition.now, transition.revision, user_id=self.user_id)
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
            dispose_with_descendants(scope, transition)
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
        cleared, scope_ids = dispose_with_descendants(scope, transition)
        return ScopesDisposed(True, cleared, scope_ids, transition.revision)


def dispose_with_descendants(scope: Scope, transition: Transition) -> tuple[int, tuple[str, ...]]:
    """Dispose a scope after its descendants, the deepest first; return the number of live entries and the scope ids."""
    working = transition.open(WORKING_MEMORY)
    cleared = 0
    below = working.before.descendants(scope.scope_id)
    for each in below:
        cleared += working.dispose_scope(each, EventCause.PARENT_DISPOSED)
    cleared += working.dispose_scope(scope, EventCause.REQUEST)
    return cleared, (*(each.scope_id for each in below), scope.scope_id)


def _check_named(precondition: Precondition, transition: Transition, name: str, parent_scope_id: str) -> None:
    """Raise RecordExists, RecordNotFound or RevisionMismatch unless the precondition holds for the scope of a name.

    Names need not be unique: of several scopes below the parent, the one that was created last counts.
    """
    scopes = transition.open(WORKING_MEMORY).before.scopes_in_order()
    same = [scope for scope in scopes if (scope.name, scope.parent_scope_id) == (name, parent_scope_id)]
    scope_id, revision = (same[-1].scope_id, same[-1].revision) if same else ("", 0)
    check_record(precondition, transition.state.agent_id, "scope", scope_id, revision, name=name)
