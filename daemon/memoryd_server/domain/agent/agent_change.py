"""How commands about a whole agent are decided: clear, end, restore, expire."""

import msgspec

from memoryd_server.domain.agent import collection_transition
from memoryd_server.domain.agent.command import (
    AgentImage,
    ClearAgent,
    EndAgent,
    ExpireRecords,
    RecordAccesses,
    RestoreAgent,
)
from memoryd_server.domain.agent.event import EventCause, EventType
from memoryd_server.domain.agent.kind import MemoryKind
from memoryd_server.domain.agent.result import AccessesRecorded, AgentCleared, AgentRestored, RecordsExpired
from memoryd_server.domain.agent.state import EMPTY_ENTRIES, AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import AgentNotFound
from memoryd_server.domain.fragments.fragment_change import restore_fragments
from memoryd_server.domain.fragments.fragment_transition import clear_fragments, expire_fragments
from memoryd_server.domain.limit import (
    DUE_MEMORIES_PER_SWEEP_MAX,
    EXPIRED_ENTRIES_PER_SWEEP_MAX,
    EXPIRED_FRAGMENTS_PER_SWEEP_MAX,
)
from memoryd_server.domain.memories.memory_change import record_memory_accesses, sweep_memories
from memoryd_server.domain.memories.memory_restore import restore_memories
from memoryd_server.domain.memories.memory_transition import clear_memories


def clear_agent(command: ClearAgent, transition: Transition) -> AgentCleared:
    """Remove what the agent holds of some kinds. Raises AgentNotFound, RevisionMismatch."""
    state = transition.state
    if not state.exists:
        raise AgentNotFound(state.agent_id)
    check_agent(command.precondition, transition)
    entries_cleared = scopes_disposed = fragments_cleared = memories_cleared = records_cleared = 0
    for kind in sorted(command.kinds):
        if kind is MemoryKind.WORKING:
            entries_cleared, scopes_disposed = _clear_working_memory(transition)
        elif kind is MemoryKind.FRAGMENT:
            fragments_cleared = clear_fragments(transition, EventCause.CLEAR)
        elif kind is MemoryKind.LONG_TERM:
            memories_cleared = clear_memories(transition, EventCause.CLEAR)
        else:
            records_cleared += collection_transition.clear(transition, kind, EventCause.CLEAR)
    revision = transition.result_revision
    cleared = (entries_cleared, scopes_disposed, revision, fragments_cleared, memories_cleared)
    return AgentCleared(*cleared, records_cleared=records_cleared)


def end_agent(command: EndAgent, transition: Transition) -> AgentCleared:
    """Remove the agent, unless it has purges to complete first. Raises AgentNotFound, RevisionMismatch."""
    state = transition.state
    if not state.exists:
        raise AgentNotFound(state.agent_id)
    check_agent(command.precondition, transition)
    if state.memories.unerased:
        # With the records would go what tells of what the journal is to be stripped.
        return AgentCleared(0, 0, state.revision, awaits_purges=True)
    entries_cleared = sum(state.live_count(scope_id, transition.now) for scope_id in (ROOT, *state.scopes))
    fragments_cleared = state.fragments.live_count(transition.now)
    memories_cleared = sum(1 for _ in state.memories.live(transition.now))
    records_cleared = sum(map(len, state.collections.values()))
    transition.tell(
        EventType.AGENT_ENDED,
        command.cause,
        entries_cleared=entries_cleared,
        fragment_count=fragments_cleared,
        memory_count=memories_cleared,
        record_count=records_cleared,
    )
    cleared = (entries_cleared, len(state.scopes), transition.revision, fragments_cleared, memories_cleared)
    return AgentCleared(*cleared, records_cleared=records_cleared)


def ended(state: AgentState, revision: int) -> AgentState:
    """The state of an agent that has ended: nothing, at its last revision."""
    return AgentState(state.agent_id, revision)


def expire_records(command: ExpireRecords, transition: Transition) -> RecordsExpired:
    """Remove what is over and archive what has faded, a bounded number of each kind at a time."""
    entries_expired = transition.expire(EXPIRED_ENTRIES_PER_SWEEP_MAX)
    fragments_expired = expire_fragments(transition, EXPIRED_FRAGMENTS_PER_SWEEP_MAX)
    ended, archived = sweep_memories(transition, command.policy, DUE_MEMORIES_PER_SWEEP_MAX)
    transition.learn_next_deadline()
    if command.consolidates and transition.fragments.has_available(transition.now):
        # Whoever restarts the daemon must find the agent without loading all of them.
        transition.note_deadline(transition.now)
    return RecordsExpired(entries_expired, transition.result_revision, fragments_expired, ended, archived)


def record_accesses(command: RecordAccesses, transition: Transition) -> AccessesRecorded:
    """Add counted reads to the entries and memories that are still there."""
    transition.keep_revision()
    for access in command.accesses:
        entry = transition.state.entries.get(access.scope_id, EMPTY_ENTRIES).get(access.key)
        if entry is not None and entry.entry_id == access.entry_id:
            count = entry.access_count + access.count
            counted = msgspec.structs.replace(entry, access_count=count, last_access_time=access.last_time)
            transition.put_entry(counted, entry)
    record_memory_accesses(command.memory_accesses, transition)
    return AccessesRecorded(transition.revision)


def restore_agent(command: RestoreAgent, transition: Transition) -> AgentRestored:
    """Replace what the agent holds by an image, telling each difference. What is past its deadline stays out."""
    state, image = transition.state, command.image
    for place in state.reservations:
        transition.drop_reservation(*place)
    _dispose_scopes_not_in(image, transition)
    for scope in sorted(image.scopes, key=lambda each: (len(each.ancestors), each.revision)):
        if scope.scope_id not in state.scopes:
            transition.create_scope(_renewed(scope, transition), EventCause.RESTORE)
    wanted = {(entry.scope_id, entry.key): entry for entry in image.entries if entry.is_live(transition.now)}
    for scope_id in (ROOT, *(scope.scope_id for scope in image.scopes)):
        for entry in state.entries.get(scope_id, EMPTY_ENTRIES).values():
            if (scope_id, entry.key) not in wanted:
                transition.remove_entry(entry, EventCause.RESTORE)
    for entry in wanted.values():
        _restore_entry(entry, transition)
    restore_fragments(image.fragments, transition)
    restore_memories(image, transition)
    collection_transition.restore(transition, image.collected)
    transition.tell(EventType.AGENT_RESTORED, EventCause.RESTORE, snapshot_id=command.snapshot_id)
    return AgentRestored(transition.revision)


def _clear_working_memory(transition: Transition) -> tuple[int, int]:
    """Answers how many live entries and how many scopes ended."""
    scopes = transition.state.scopes_deepest_first()
    in_scopes = sum([transition.dispose_scope(scope, EventCause.CLEAR) for scope in scopes])
    in_root = transition.clear_entries(ROOT)
    if transition.changed:
        transition.tell(EventType.MEMORY_CLEARED, EventCause.REQUEST, entries_cleared=in_root)
    return in_scopes + in_root, len(scopes)


def _dispose_scopes_not_in(image: AgentImage, transition: Transition) -> None:
    kept = {scope.scope_id for scope in image.scopes}
    for scope in transition.state.scopes_deepest_first():
        if scope.scope_id not in kept:
            transition.dispose_scope(scope, EventCause.RESTORE)


def _renewed(scope: Scope, transition: Transition) -> Scope:
    return msgspec.structs.replace(scope, revision=transition.revision)


def _restore_entry(entry: Entry, transition: Transition) -> None:
    previous = transition.local_entry(entry.scope_id, entry.key)
    if previous is not None and previous.has_content_of(entry):
        return
    restored = msgspec.structs.replace(entry, revision=transition.revision)
    transition.put_entry(restored, previous)
    transition.tell(
        EventType.ENTRY_SET,
        EventCause.RESTORE,
        entry.scope_id,
        key=entry.key,
        entry=restored,
        is_update=previous is not None,
    )
