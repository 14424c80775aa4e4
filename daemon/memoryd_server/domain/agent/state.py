"""An agent's state: an immutable value that readers keep as long as they like."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import immutables
import msgspec

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.kind import Kind
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import ScopeDisposed, ScopeNotFound
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.values.deadline import Deadlines

R = TypeVar("R", bound=Collected)

EMPTY_ENTRIES: immutables.Map[str, Entry] = immutables.Map()


class AgentState(msgspec.Struct, frozen=True):
    """Everything that an agent remembers at one revision.

    ``entries`` maps a scope's id to its entries by key, those of the root under ``ROOT``. ``deadlines`` has the
    entries that expire, ``reservation_deadlines`` the ends of the reservations. ``next_deadline`` is not later than the
    first of those, of the fragments' and of the memories'. ``collections`` has the records of the other kinds by the
    kind's name. ``create_time`` is 0 when the agent does not exist; it may
    still have a revision then.
    """

    agent_id: str
    revision: int = 0
    create_time: int = 0
    update_time: int = 0
    entries: immutables.Map[str, immutables.Map[str, Entry]] = immutables.Map()
    scopes: immutables.Map[str, Scope] = immutables.Map()
    disposed_scopes: immutables.Map[str, Scope] = immutables.Map()
    reservations: immutables.Map[tuple[str, str], Reservation] = immutables.Map()
    deadlines: Deadlines[tuple[str, str]] = Deadlines()
    reservation_deadlines: Deadlines[tuple[str, str]] = Deadlines()
    fragments: FragmentBuffer = FragmentBuffer()
    memories: LongTermMemory = LongTermMemory()
    collections: immutables.Map[str, Collection[Any]] = immutables.Map()
    next_deadline: int | None = None
    entry_count: int = 0
    size_bytes: int = 0

    @property
    def exists(self) -> bool:
        """Whether the agent has begun and not ended."""
        return self.create_time != 0

    @property
    def record_count(self) -> int:
        """How many records the store holds of the agent."""
        scope_count = len(self.scopes) + len(self.disposed_scopes)
        working_count = self.entry_count + scope_count + len(self.reservations)
        collected_count = sum(map(len, self.collections.values()))
        return working_count + self.fragments.record_count + self.memories.record_count + collected_count

    def collection(self, kind: Kind[R]) -> Collection[R]:
        """The records of a kind."""
        return self.collections.get(kind.name, _EMPTY_COLLECTION)

    def scope(self, scope_id: str) -> Scope:
        """The active scope. Raises ScopeDisposed, ScopeNotFound."""
        scope = self.scopes.get(scope_id)
        if scope is None:
            disposed = self.disposed_scopes.get(scope_id)
            if disposed is not None:
                raise ScopeDisposed(scope_id, disposed.name)
            raise ScopeNotFound(self.agent_id, scope_id)
        return scope

    def local_entries(self, scope_id: str) -> immutables.Map[str, Entry]:
        """The entries of the root or of an active scope, those past their deadline included.

        Raises ScopeDisposed, ScopeNotFound.
        """
        if scope_id != ROOT:
            self.scope(scope_id)
        return self.entries.get(scope_id, EMPTY_ENTRIES)

    def live_entries(self, scope_id: str, now: int) -> Iterator[Entry]:
        """The entries of the root or of an active scope that may be served at this time."""
        for entry in self.local_entries(scope_id).values():
            if entry.is_live(now):
                yield entry

    def live_count(self, scope_id: str, now: int) -> int:
        """How many entries of the root or of an active scope may be served at this time."""
        if self.next_deadline is None or now < self.next_deadline:
            return len(self.local_entries(scope_id))
        return sum(1 for _ in self.live_entries(scope_id, now))

    def lookup_path(self, scope_id: str) -> tuple[str, ...]:
        """Where a lookup in a scope goes: the scope, its ancestors, the root. Raises ScopeDisposed, ScopeNotFound."""
        if scope_id == ROOT:
            return (ROOT,)
        return (scope_id, *self.scope(scope_id).ancestors, ROOT)

    def find(self, scope_id: str, key: str, now: int, *, local_only: bool = False) -> Entry | None:
        """The entry that a lookup finds at this time. Raises ScopeDisposed, ScopeNotFound."""
        if scope_id == ROOT:
            path: tuple[str, ...] = (ROOT,)
        else:
            path = self.lookup_path(scope_id)
        for each in path[:1] if local_only else path:
            entry = self.entries.get(each, EMPTY_ENTRIES).get(key)
            if entry is not None and (entry.expire_time is None or now < entry.expire_time):
                return entry
        return None

    def visible_entries(self, scope_id: str, now: int) -> Iterator[Entry]:
        """The entry of each key that a lookup in the scope can find at this time."""
        seen: set[str] = set()
        for each in self.lookup_path(scope_id):
            for key, entry in self.entries.get(each, EMPTY_ENTRIES).items():
                if key not in seen and entry.is_live(now):
                    seen.add(key)
                    yield entry

    def descendants(self, scope_id: str) -> list[Scope]:
        """The active scopes below a scope, the deepest first, and the older first among equals."""
        return _deepest_first(scope for scope in self.scopes.values() if scope_id in scope.ancestors)

    def scopes_deepest_first(self) -> list[Scope]:
        """All active scopes, the deepest first, and the older first among equals."""
        return _deepest_first(self.scopes.values())

    def scopes_in_order(self) -> list[Scope]:
        """The active scopes in the order of their creation."""
        return sorted(self.scopes.values(), key=lambda scope: (scope.revision, scope.create_time, scope.scope_id))


_EMPTY_COLLECTION: Collection[Any] = Collection()


def _deepest_first(scopes: Iterable[Scope]) -> list[Scope]:
    return sorted(scopes, key=lambda scope: (-len(scope.ancestors), scope.revision, scope.create_time, scope.scope_id))
