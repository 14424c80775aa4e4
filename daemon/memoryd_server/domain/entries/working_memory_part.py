"""Working memory as a part of an agent's state."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import immutables

from memoryd_server.domain.agent.part import Counts, InitialEvent, PartStatistics, Records, oldest_and_newest
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.entry_editor import EntryEditor
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.working_memory import ENTRY_OVERHEAD_BYTES, WorkingMemory
from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.deadline import Deadlines


class WorkingMemoryPart:
    """Entries with their scopes and reservations, as a part; see ``domain.agent.part.Part``."""

    name = "working"
    kind = RecordKind.ENTRY
    is_cleared_together = False
    records: Mapping[str, type[Any]] = {"entry": Entry, "scope": Scope, "reservation": Reservation}

    def empty(self, agent_id: str) -> WorkingMemory:
        """Return a working memory without entries."""
        return WorkingMemory(agent_id)

    def check(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if an entry belongs to a scope that does not exist."""
        scope_ids = {ROOT, *(scope.scope_id for scope in records["scope"] if not scope.disposed)}
        if any(entry.scope_id not in scope_ids for entry in records["entry"]):
            raise DataDamaged(f"agent {agent_id!r} has entries of a missing scope")

    def check_image(self, agent_id: str, records: Records) -> None:
        """Raise DataDamaged if an entry, or a scope below another one, belongs to a scope that does not exist."""
        scopes = {scope.scope_id: scope for scope in records["scope"] if not scope.disposed}
        if any(ancestor not in scopes for scope in scopes.values() for ancestor in scope.ancestors):
            raise DataDamaged(f"agent {agent_id!r} has a scope whose parent is missing")
        self.check(agent_id, records)

    def load(self, agent_id: str, records: Records) -> WorkingMemory:
        """Return the working memory made of the agent's records."""
        entries, scopes = records["entry"], records["scope"]
        active = {scope.scope_id: scope for scope in scopes if not scope.disposed}
        by_scope: dict[str, dict[str, Entry]] = {scope_id: {} for scope_id in (ROOT, *active)}
        for entry in entries:
            by_scope[entry.scope_id][entry.key] = entry
        reservations = {(each.scope_id, each.key): each for each in records["reservation"]}
        expiring = (entry for entry in entries if entry.expire_time is not None)
        return WorkingMemory(
            agent_id,
            immutables.Map({scope_id: immutables.Map(local) for scope_id, local in by_scope.items()}),
            immutables.Map(active),
            immutables.Map({scope.scope_id: scope for scope in scopes if scope.disposed}),
            immutables.Map(reservations),
            Deadlines.of(((entry.scope_id, entry.key), entry.expire_time) for entry in expiring),
            Deadlines.of((place, each.expire_time) for place, each in reservations.items()),
            len(entries),
            Deadlines.of((each.scope_id, each.expire_time) for each in active.values() if each.expire_time is not None),
        )

    def edit(self, value: WorkingMemory, transition: Transition) -> EntryEditor:
        """Return an editor of working memory within a transition."""
        return EntryEditor(self, value, transition)

    def initial_events(self, value: WorkingMemory, now: int) -> Iterator[InitialEvent]:
        """Yield events for the root's entries, then for each scope and its entries, parents before children."""
        yield from _entry_events(value.live_entries(ROOT, now), ScopeSubject())
        for scope in sorted(value.scopes.values(), key=lambda each: (len(each.ancestors), each.revision)):
            subject = ScopeSubject(scope.scope_id, scope.name, scope.ancestors, scope=scope)
            yield InitialEvent(EventType.SCOPE_CREATED, scope.revision, scope.create_time, subject)
            yield from _entry_events(value.live_entries(scope.scope_id, now), subject)

    def live_counts(self, value: WorkingMemory, now: int) -> Counts:
        """Return the number of live entries and of active scopes."""
        entries = sum(value.live_count(scope_id, now) for scope_id in (ROOT, *value.scopes))
        return {RecordKind.ENTRY: entries, RecordKind.SCOPE: len(value.scopes)}

    def statistics(self, value: WorkingMemory, now: int) -> PartStatistics:
        """Return the statistics of the live entries."""
        live = [entry for scope_id in (ROOT, *value.scopes) for entry in value.live_entries(scope_id, now)]
        record_counts = {RecordKind.ENTRY: len(live), RecordKind.SCOPE: len(value.scopes)}
        counts = {"root_entries": value.live_count(ROOT, now)}
        size_bytes = sum(entry.size_bytes for entry in live)
        times = oldest_and_newest(entry.update_time for entry in live)
        return PartStatistics(size_bytes, record_counts, counts, *times)

    def blocks_ending(self, value: WorkingMemory) -> bool:
        """Return False: an agent may end whatever its working memory holds."""
        return False

    def memory_bytes(self, value: WorkingMemory) -> int:
        """Return an estimate of the memory that entries take in addition to their texts."""
        return value.entry_count * ENTRY_OVERHEAD_BYTES


WORKING_MEMORY = WorkingMemoryPart()


def _entry_events(entries: Iterable[Entry], scope: ScopeSubject) -> Iterator[InitialEvent]:
    place = (scope.scope_id, scope.scope_name, scope.ancestors)
    for entry in entries:
        yield InitialEvent(
            EventType.ENTRY_SET, entry.revision, entry.update_time, EntrySubject(*place, entry.key, entry)
        )
