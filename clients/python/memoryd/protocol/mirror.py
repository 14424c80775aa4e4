"""An agent's entries, scopes and notes, built from nothing but a watch with its initial state."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from memoryd.errors import CacheFull
from memoryd.model.entry import Entry
from memoryd.model.event import Event, EventType, WatchMessage, WatchPhase
from memoryd.model.event_subject import ClearedEvent, EntryEvent, NoteEvent, ScopeEvent
from memoryd.model.note import Note
from memoryd.model.value import decode

ROOT: Final = ""
_RECORD_BYTES = 1_000
"""The memory that a record takes beside its texts."""


class MirroredEntry:
    """An entry. ``expire_at`` is the time at which it expires, in seconds since the epoch; infinity if never."""

    __slots__ = ("_plain", "entry", "expire_at")

    def __init__(self, entry: Entry) -> None:
        self.entry: Entry = entry
        self.expire_at: float = float("inf") if entry.expire_time is None else entry.expire_time.timestamp()
        # Lists and objects are decoded by each read, since its caller may change them.
        self._plain = None if entry.value_json.startswith(("{", "[")) else (entry.value,)

    @property
    def value(self) -> Any:
        """The decoded value, which belongs to the caller."""
        return decode(self.entry.value_json) if self._plain is None else self._plain[0]


Entries = dict[str, MirroredEntry]


class Mirror:
    """A copy of an agent's state at ``revision``: commits are applied whole, in order.

    ``lives`` counts the ends of the agent, and ``has_ended`` is True if the last commit was one. ``bytes_max``
    bounds the memory of all records: raises CacheFull beyond it.
    ``clock`` returns the seconds since the epoch.
    """

    def __init__(self, bytes_max: int, clock: Callable[[], float] = time.time) -> None:
        self.revision: int = 0
        self.lives: int = 0
        # True if a record says so: where none is selected, the agent may exist nonetheless.
        self.exists: bool = False
        self.has_ended: bool = False
        self.is_complete: bool = False
        self.size_bytes: int = 0
        self.notes: dict[str, Note] = {}
        # Where a look-up in a scope reads: its own entries, those of its ancestors, and the root's at last.
        self.paths: dict[str, tuple[Entries, ...]] = {ROOT: ({},)}
        self._bytes_max = bytes_max
        self._clock = clock
        self._unfinished: list[Event] = []

    def apply(self, message: WatchMessage) -> None:
        """Apply a message. Events of a commit that the next message continues wait for it, also across connections."""
        if message.phase is WatchPhase.OPENED:
            return
        if message.revision_continues:
            self._unfinished += message.events
            return
        if message.revision != self.revision:
            self.has_ended = False
        for event in (*self._unfinished, *message.events):
            self._change(event)
        self._unfinished.clear()
        self.revision = message.revision
        self.is_complete = self.is_complete or message.phase is WatchPhase.INITIAL_STATE_COMPLETE
        if self.size_bytes > self._bytes_max:
            raise CacheFull(f"the near cache is full: its records take more than {self._bytes_max} bytes")

    def find(self, scope_id: str, key: str, *, local_only: bool) -> MirroredEntry | None:
        """Return what a look-up in a scope finds. Raises KeyError for a scope that there is not."""
        path = self.paths[scope_id]
        for entries in path[:1] if local_only else path:
            found = entries.get(key)
            if found is not None and self._clock() < found.expire_at:
                return found
        return None

    def entries(self, scope_id: str, key_prefix: str, *, inherited: bool) -> Iterator[Entry]:
        """Yield the entries of a scope, with those that it inherits if wanted. Raises KeyError as ``find`` does."""
        path = self.paths[scope_id]
        seen = set()
        for entries in path if inherited else path[:1]:
            for key, found in entries.items():
                if key.startswith(key_prefix) and key not in seen and self._clock() < found.expire_at:
                    seen.add(key)
                    yield found.entry

    def _change(self, event: Event) -> None:
        self.has_ended = event.type is EventType.AGENT_ENDED
        self.exists = not self.has_ended
        match event.subject:
            case EntryEvent(scope_id=scope_id, key=key, entry=entry):
                self._set_entry(scope_id, key, entry)
            case ScopeEvent(scope_id=scope_id, parent_scope_id=parent_id):
                if event.type is EventType.SCOPE_DISPOSED:
                    self._clear_entries(scope_id)
                    self.paths.pop(scope_id, None)
                elif scope_id not in self.paths:
                    self.paths[scope_id] = ({}, *self.paths[parent_id])
            case NoteEvent(note_id=note_id, note=note):
                self._set_note(note_id, note)
            case ClearedEvent(scope_id=scope_id) if event.type is EventType.ENTRIES_CLEARED:
                self._clear_entries(scope_id)
            case ClearedEvent() if event.type is EventType.NOTES_CLEARED:
                for note_id in list(self.notes):
                    self._set_note(note_id, None)
            case _ if not self.exists:
                self.paths, self.notes, self.size_bytes = {ROOT: ({},)}, {}, 0
                self.lives += 1
            case _:
                pass

    def _set_entry(self, scope_id: str, key: str, entry: Entry | None) -> None:
        if scope_id not in self.paths:
            return
        entries = self.paths[scope_id][0]
        before = entries.pop(key, None)
        if before is not None:
            self.size_bytes -= _entry_bytes(before.entry)
        if entry is not None:
            entries[key] = MirroredEntry(entry)
            self.size_bytes += _entry_bytes(entry)

    def _set_note(self, note_id: str, note: Note | None) -> None:
        before = self.notes.get(note_id)
        if before is not None:
            self.size_bytes -= _note_bytes(before)
        if note is None:
            self.notes.pop(note_id, None)
        else:
            self.notes[note_id] = note
            self.size_bytes += _note_bytes(note)

    def _clear_entries(self, scope_id: str) -> None:
        if scope_id in self.paths:
            entries = self.paths[scope_id][0]
            self.size_bytes -= sum(_entry_bytes(each.entry) for each in entries.values())
            entries.clear()


def _entry_bytes(entry: Entry) -> int:
    return _RECORD_BYTES + len(entry.key) + len(entry.value_json)


def _note_bytes(note: Note) -> int:
    return _RECORD_BYTES + len(note.title) + len(note.content)
