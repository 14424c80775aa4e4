"""Commands that add to, set and clear windows of entities."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.precondition import Precondition, check_record
from memoryd_server.domain.agent.result import RecordPut, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY, EntityDraft, EntityWindow, latest
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes


class EntitiesCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearEntities: the number of entities and of windows that were removed."""

    deleted_entity_count: int
    deleted_window_count: int
    revision: int


class AddEntities(Command[RecordPut[EntityWindow]], frozen=True):
    """Add entities to a conversation's window, one after the other.

    ``window_size`` is the new maximum of the window; 0 leaves it unchanged. ``user_id`` is the window's user; None
    leaves it unchanged. If ``dry_run`` is true, nothing changes, and the precondition does not matter.
    """

    conversation_id: str
    entities: tuple[EntityDraft, ...]
    window_size: int = 0
    user_id: str | None = None
    precondition: Precondition | None = None
    dry_run: bool = False

    def decide(self, transition: Transition) -> RecordPut[EntityWindow]:
        """Add entities to a conversation's window. Raises what ``check_record`` raises, and QuotaExceeded."""
        if self.dry_run:
            window = _window(transition, self.conversation_id)
            return RecordPut(window, changed=False, revision=transition.result_revision)
        return _change(self, transition, self.entities, replaces=False)


class SetEntities(Command[RecordPut[EntityWindow]], frozen=True):
    """Replace the entities of a conversation's window by others, newest first.

    ``window_size`` and ``user_id`` are those of AddEntities.
    """

    conversation_id: str
    entities: tuple[EntityDraft, ...]
    window_size: int = 0
    user_id: str | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[EntityWindow]:
        """Replace the entities of a window. Raises what ``check_record`` raises, and QuotaExceeded."""
        return _change(self, transition, tuple(reversed(self.entities)), replaces=True)


class ClearEntities(Command[EntitiesCleared], frozen=True):
    """Remove the window of a conversation, or all windows if ``conversation_id`` is None."""

    conversation_id: str | None = None
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the window, or all windows."""
        return (("entity_window",),) if self.conversation_id is None else (("entity_window", self.conversation_id),)

    def decide(self, transition: Transition) -> EntitiesCleared:
        """Remove the windows. Raises what ``check_record`` raises."""
        if self.conversation_id is None:
            entities = sum(len(each.entities) for each in transition.open(ENTITY_WINDOW).records)
            counts = transition.open(ENTITY_WINDOW).clear(EventCause.REQUEST)
            windows = counts[RecordKind.ENTITY_WINDOW]
            if windows:
                transition.emit(EventType.ENTITY_WINDOWS_CLEARED, EventCause.REQUEST, ClearedSubject(counts))
            return EntitiesCleared(entities, windows, transition.result_revision)
        window = _window(transition, self.conversation_id)
        _check(self.precondition, transition, window)
        if not window.revision:
            return EntitiesCleared(0, 0, transition.result_revision)
        transition.open(ENTITY_WINDOW).remove(window)
        return EntitiesCleared(len(window.entities), 1, transition.revision)


def _change(
    command: AddEntities | SetEntities, transition: Transition, added: tuple[EntityDraft, ...], *, replaces: bool
) -> RecordPut[EntityWindow]:
    """Add entities one after the other, to those of the window or, if ``replaces`` is true, in their place."""
    before = _window(transition, command.conversation_id)
    _check(command.precondition, transition, before)
    window_size = command.window_size or before.window_size
    user_id = before.user_id if command.user_id is None else command.user_id
    kept = () if replaces else before.entities
    entities = latest(kept, [each.at(transition.now) for each in added], window_size)
    after = msgspec.structs.replace(before, entities=entities, window_size=window_size, user_id=user_id)
    if after == before:
        return RecordPut(before, changed=False, revision=transition.result_revision)
    if not before.revision:
        _make_room(transition)
    after = msgspec.structs.replace(
        after,
        create_time=before.create_time or transition.now,
        update_time=transition.now,
        revision=transition.revision,
        size_bytes=size_bytes(before.conversation_id) + size_bytes(user_id) + sum(each.size_bytes for each in entities),
    )
    transition.open(ENTITY_WINDOW).put(after)
    return RecordPut(after, changed=True, revision=transition.revision)


def _window(transition: Transition, conversation_id: str) -> EntityWindow:
    """Return the conversation's window, or an empty one at revision 0 if it has none."""
    return transition.open(ENTITY_WINDOW).records.find(conversation_id, WINDOW_KEY) or EntityWindow(conversation_id)


def _make_room(transition: Transition) -> None:
    """Evict the windows that were not changed for the longest time, until one more fits within the limit."""
    windows = transition.open(ENTITY_WINDOW).records
    excess = len(windows) + 1 - transition.limits.entity_windows_per_agent
    if excess > 0:
        by_use = sorted(windows, key=lambda each: (each.update_time, each.revision, each.conversation_id))
        for window in by_use[:excess]:
            transition.open(ENTITY_WINDOW).remove(window, EventCause.EVICTION)


def _check(precondition: Precondition | None, transition: Transition, window: EntityWindow) -> None:
    """Raise what ``check_record`` raises; a window that nothing was added to has no revision."""
    check_record(precondition, transition.state.agent_id, ENTITY_WINDOW.name, window.conversation_id, window.revision)
