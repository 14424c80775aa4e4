"""An agent's working memory: an immutable value of entries in nested scopes."""

from collections.abc import Iterable, Iterator

import immutables
import msgspec

from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import RecordNotFound, ScopeDisposed
from memoryd_server.domain.values.deadline import Deadlines, earliest

ENTRY_OVERHEAD_BYTES = 1_536
"""Memory that an entry takes besides its texts; see docs/performance.md."""

EMPTY_ENTRIES: immutables.Map[str, Entry] = immutables.Map()


class WorkingMemory(msgspec.Struct, frozen=True):
    """Entries, scopes and reservations.

    ``entries`` maps each scope's id to its entries by key; the root's id is ``ROOT``. ``deadlines`` has the times at
    which entries expire, ``reservation_deadlines`` those of the reservations, both by scope id and key;
    ``scope_deadlines`` those of the scopes that end when they are unused, by scope id.
    """

    agent_id: str
    entries: immutables.Map[str, immutables.Map[str, Entry]] = immutables.Map()
    scopes: immutables.Map[str, Scope] = immutables.Map()
    disposed_scopes: immutables.Map[str, Scope] = immutables.Map()
    reservations: immutables.Map[tuple[str, str], Reservation] = immutables.Map()
    deadlines: Deadlines[tuple[str, str]] = Deadlines()
    reservation_deadlines: Deadlines[tuple[str, str]] = Deadlines()
    entry_count: int = 0
    scope_deadlines: Deadlines[str] = Deadlines()

    @property
    def next_deadline(self) -> int | None:
        """The time at which the next entry, reservation or scope expires, in nanoseconds since the Unix epoch."""
        return earliest(self.deadlines.first, self.reservation_deadlines.first, self.scope_deadlines.first)

    @property
    def record_count(self) -> int:
        """The number of records that the store holds of working memory."""
        return self.entry_count + len(self.scopes) + len(self.disposed_scopes) + len(self.reservations)

    def scope(self, scope_id: str) -> Scope:
        """Return the active scope with this id. Raises ScopeDisposed, RecordNotFound."""
        scope = self.scopes.get(scope_id)
        if scope is None:
            disposed = self.disposed_scopes.get(scope_id)
            if disposed is not None:
                raise ScopeDisposed(scope_id, disposed.name)
            raise RecordNotFound(self.agent_id, "scope", scope_id)
        return scope

    def unrenewed(self, scope_id: str, now: int) -> Iterator[Scope]:
        """Yield the active scopes of a look-up whose deadlines a use at ``now`` puts off, with the later deadlines."""
        if scope_id == ROOT or not self.scope_deadlines.ends:
            return
        for each in (scope_id, *self.scope(scope_id).ancestors):
            scope = self.scopes[each]
            used = scope.used(now)
            if used is not scope:
                yield used

    def local_entries(self, scope_id: str) -> immutables.Map[str, Entry]:
        """Return the entries of the root or of an active scope, including expired ones that are still stored.

        Raises ScopeDisposed, RecordNotFound.
        """
        if scope_id != ROOT:
            self.scope(scope_id)
        return self.entries.get(scope_id, EMPTY_ENTRIES)

    def live_entries(self, scope_id: str, now: int) -> Iterator[Entry]:
        """Yield the entries of the root or of an active scope that have not expired at ``now``."""
        for entry in self.local_entries(scope_id).values():
            if entry.is_live(now):
                yield entry

    def live_count(self, scope_id: str, now: int) -> int:
        """Return the number of entries of the root or of an active scope that have not expired at ``now``."""
        if self.deadlines.has_none_due(now):
            return len(self.local_entries(scope_id))
        return sum(1 for _ in self.live_entries(scope_id, now))

    def lookup_path(self, scope_id: str) -> tuple[str, ...]:
        """Return the scopes that a look-up visits: the scope, its ancestors, the root. Raises as ``scope``."""
        if scope_id == ROOT:
            return (ROOT,)
        return (scope_id, *self.scope(scope_id).ancestors, ROOT)

    def find(self, scope_id: str, key: str, now: int, *, local_only: bool = False) -> Entry | None:
        """Return the entry that a look-up finds at ``now``. Raises ScopeDisposed, RecordNotFound."""
        if scope_id == ROOT:
            path: tuple[str, ...] = (ROOT,)
        else:
            path = self.lookup_path(scope_id)
        for each in path[:1] if local_only else path:
            entry = self.entries.get(each, EMPTY_ENTRIES).get(key)
            if entry is not None and (entry.expire_time is None or now < entry.expire_time):
                return entry
        return None

    def find_each(
        self, scope_id: str, keys: Iterable[str], now: int, *, local_only: bool = False
    ) -> list[Entry | None]:
        """Return what ``find`` returns for each key, in one pass. Raises ScopeDisposed, RecordNotFound."""
        path = self.lookup_path(scope_id)
        local, *inherited = [self.entries.get(each, EMPTY_ENTRIES) for each in (path[:1] if local_only else path)]
        found = []
        for key in keys:
            entry = local.get(key)
            if entry is None or (entry.expire_time is not None and now >= entry.expire_time):
                entry = None
                for entries in inherited:
                    behind = entries.get(key)
                    if behind is not None and behind.is_live(now):
                        entry = behind
                        break
            found.append(entry)
        return found

    def visible_entries(self, scope_id: str, now: int) -> Iterator[Entry]:
        """Yield the entry of each key that a look-up in the scope finds at ``now``."""
        seen: set[str] = set()
        for each in self.lookup_path(scope_id):
            for key, entry in self.entries.get(each, EMPTY_ENTRIES).items():
                if key not in seen and entry.is_live(now):
                    seen.add(key)
                    yield entry

    def descendants(self, scope_id: str) -> list[Scope]:
        """Return the active scopes below a scope, the deepest first, older ones first among equals."""
        return _deepest_first(scope for scope in self.scopes.values() if scope_id in scope.ancestors)

    def scopes_deepest_first(self) -> list[Scope]:
        """Return all active scopes, the deepest first, older ones first among equals."""
        return _deepest_first(self.scopes.values())

    def scopes_in_order(self) -> list[Scope]:
        """Return the active scopes in the order of their creation."""
        return sorted(self.scopes.values(), key=lambda scope: (scope.revision, scope.create_time, scope.scope_id))


def _deepest_first(scopes: Iterable[Scope]) -> list[Scope]:
    return sorted(scopes, key=lambda scope: (-len(scope.ancestors), scope.revision, scope.create_time, scope.scope_id))
