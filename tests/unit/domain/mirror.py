"""What a watcher knows of an agent: built from nothing but its events."""

import msgspec

from memoryd_server.domain.entry import ROOT, Entry
from memoryd_server.domain.event import Event, EventType
from memoryd_server.domain.fragment import Fragment
from memoryd_server.domain.state import AgentState


class Mirror:
    """Scopes as (name, ancestors) by id, entries by scope and key, and fragments by id, without their counts."""

    def __init__(self) -> None:
        self.scopes: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.entries: dict[tuple[str, str], Entry] = {}
        self.fragments: dict[str, Fragment] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mirror) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Mirror({vars(self)})"

    @classmethod
    def of(cls, state: AgentState) -> "Mirror":
        """What somebody knows who has seen all of the state's events."""
        mirror = cls()
        mirror.scopes = {scope.scope_id: (scope.name, scope.ancestors) for scope in state.scopes.values()}
        every = [entry for local in state.entries.values() for entry in local.values()]
        mirror.entries = {(entry.scope_id, entry.key): uncounted(entry) for entry in every}
        mirror.fragments = {each.fragment_id: undelivered(each) for each in state.fragments.fragments.values()}
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
                self.scopes, self.entries, self.fragments = {}, {}, {}
            case _:
                self._apply_to_fragments(event)

    def _apply_to_fragments(self, event: Event) -> None:
        match event.type:
            case EventType.FRAGMENT_STORED:
                assert event.fragment is not None
                assert event.fragment_id == event.fragment.fragment_id
                assert event.fragment_id not in self.fragments
                self.fragments[event.fragment_id] = undelivered(event.fragment)
            case EventType.FRAGMENT_DELETED:
                del self.fragments[event.fragment_id]
            case EventType.FRAGMENTS_FLUSHED:
                flushed = {name: msgspec.structs.replace(each, flushed=True) for name, each in self.fragments.items()}
                self.fragments = flushed
            case EventType.FRAGMENTS_CLEARED:
                self.fragments = {}

    def _drop_entries(self, scope_id: str) -> None:
        self.entries = {place: entry for place, entry in self.entries.items() if place[0] != scope_id}


def uncounted(entry: Entry) -> Entry:
    """The entry as events tell it: reads are not told."""
    return msgspec.structs.replace(entry, access_count=0, last_access_time=None)


def undelivered(fragment: Fragment) -> Fragment:
    """The fragment as events tell it: deliveries are not told."""
    return msgspec.structs.replace(fragment, delivery_count=0)
