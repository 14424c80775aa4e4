"""What a watcher knows of an agent: built from nothing but its events."""

import msgspec

from memoryd_server.domain.entry import ROOT, Entry
from memoryd_server.domain.event import Event, EventType
from memoryd_server.domain.state import AgentState


class Mirror:
    """Scopes as (name, ancestors) by id, and entries by scope and key, without their access counts."""

    def __init__(self) -> None:
        self.scopes: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.entries: dict[tuple[str, str], Entry] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mirror) and (self.scopes, self.entries) == (other.scopes, other.entries)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Mirror({self.scopes}, {self.entries})"

    @classmethod
    def of(cls, state: AgentState) -> "Mirror":
        """What somebody knows who has seen all of the state's events."""
        mirror = cls()
        mirror.scopes = {scope.scope_id: (scope.name, scope.ancestors) for scope in state.scopes.values()}
        every = [entry for local in state.entries.values() for entry in local.values()]
        mirror.entries = {(entry.scope_id, entry.key): uncounted(entry) for entry in every}
        return mirror

    def apply(self, event: Event) -> None:
        """Take in one event, which must fit to what is known."""
        place = (event.scope_id, event.key)
        match event.type:
            case EventType.ENTRY_SET:
                assert event.entry is not None
                assert event.is_update == (place in self.entries)
                assert event.scope_id == ROOT or event.scope_id in self.scopes
                self.entries[place] = uncounted(event.entry)
            case EventType.ENTRY_REMOVED:
                del self.entries[place]
            case EventType.SCOPE_CREATED:
                assert event.scope_id not in self.scopes
                assert all(ancestor in self.scopes for ancestor in event.ancestors)
                self.scopes[event.scope_id] = (event.scope_name, event.ancestors)
            case EventType.SCOPE_DISPOSED:
                assert self.scopes.pop(event.scope_id) == (event.scope_name, event.ancestors)
                assert not any(event.scope_id in ancestors for _, ancestors in self.scopes.values())
                self._drop_entries(event.scope_id)
            case EventType.MEMORY_CLEARED:
                self._drop_entries(event.scope_id)
            case EventType.AGENT_ENDED:
                self.scopes, self.entries = {}, {}

    def _drop_entries(self, scope_id: str) -> None:
        self.entries = {place: entry for place, entry in self.entries.items() if place[0] != scope_id}


def uncounted(entry: Entry) -> Entry:
    """The entry as events tell it: reads are not told."""
    return msgspec.structs.replace(entry, access_count=0, last_access_time=None)
