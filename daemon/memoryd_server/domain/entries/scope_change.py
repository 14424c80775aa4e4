"""How commands about scopes are decided."""

from memoryd_server.domain.agent.command import CreateScope, DisposeScope, MergeScope
from memoryd_server.domain.agent.event import EventCause
from memoryd_server.domain.agent.result import ScopeCreated, ScopeMerged, ScopesDisposed
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT, Entry, EntryDraft
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import LimitExceeded, ScopeExists


def create_scope(command: CreateScope, transition: Transition) -> ScopeCreated:
    """Create a scope. Raises ScopeDisposed, ScopeNotFound, ScopeExists, RevisionMismatch, LimitExceeded."""
    state, parent_scope_id = transition.state, command.parent_scope_id
    ancestors = () if parent_scope_id == ROOT else (parent_scope_id, *state.scope(parent_scope_id).ancestors)
    check_agent(command.precondition, transition)
    if command.precondition is not None and command.precondition.must_not_exist:
        _check_name_is_free(command, transition)
    if len(state.scopes) >= transition.limits.scopes_per_agent:
        raise LimitExceeded("scopes_per_agent", transition.limits.scopes_per_agent)
    scope = Scope(command.new_id, command.name, ancestors, transition.now, transition.revision)
    transition.create_scope(scope)
    return ScopeCreated(scope, transition.revision)


def merge_scope(command: MergeScope, transition: Transition) -> ScopeMerged:
    """Copy a scope's entries to its parent. Raises ScopeDisposed, ScopeNotFound, RevisionMismatch, LimitExceeded."""
    scope = transition.state.scope(command.scope_id)
    check_agent(command.precondition, transition)
    if command.dispose:
        for each in (scope, *transition.state.descendants(scope.scope_id)):
            transition.expect_disposal(each)
    merged = 0
    for index, entry in enumerate(transition.state.live_entries(command.scope_id, transition.now)):
        if not command.overwrite and transition.local_entry(scope.parent_scope_id, entry.key) is not None:
            continue
        new_id = f"{command.new_id}{index:03x}"
        transition.set_entry(scope.parent_scope_id, _draft_of(entry), new_id, EventCause.MERGE)
        merged += 1
    if command.dispose:
        dispose_with_descendants(scope, transition)
    return ScopeMerged(merged, transition.result_revision)


def dispose_scope(command: DisposeScope, transition: Transition) -> ScopesDisposed:
    """End a scope and its descendants; one that has ended is left as it is. Raises ScopeNotFound, RevisionMismatch."""
    state = transition.state
    if command.scope_id in state.disposed_scopes:
        return ScopesDisposed(0, (), True, state.revision)
    scope = state.scope(command.scope_id)
    check_agent(command.precondition, transition)
    cleared, scope_ids = dispose_with_descendants(scope, transition)
    return ScopesDisposed(cleared, scope_ids, False, transition.revision)


def dispose_with_descendants(scope: Scope, transition: Transition) -> tuple[int, tuple[str, ...]]:
    """End a scope after those below it, the deepest first; answers how many entries ended, and which scopes."""
    cleared = 0
    below = transition.state.descendants(scope.scope_id)
    for each in below:
        cleared += transition.dispose_scope(each, EventCause.PARENT_DISPOSED)
    cleared += transition.dispose_scope(scope, EventCause.REQUEST)
    return cleared, (*(each.scope_id for each in below), scope.scope_id)


def _check_name_is_free(command: CreateScope, transition: Transition) -> None:
    for scope in transition.state.scopes_in_order():
        if scope.name == command.name and scope.parent_scope_id == command.parent_scope_id:
            raise ScopeExists(command.name, scope.scope_id)


def _draft_of(entry: Entry) -> EntryDraft:
    return EntryDraft(
        entry.key,
        entry.value_json,
        entry.size_bytes,
        entry.type_name,
        entry.memory_type,
        entry.importance,
        entry.tags,
        entry.metadata_json,
        entry.expire_time,
    )
