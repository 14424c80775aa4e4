"""What may be done with windows of entities, and how it is decided."""

import msgspec

from memoryd_server.domain.agent.collection_transition import check_revision, clear, collection, put, remove
from memoryd_server.domain.agent.command import CollectionCommand, Precondition
from memoryd_server.domain.agent.event import EventCause
from memoryd_server.domain.agent.kind import ENTITY_WINDOW, MemoryKind
from memoryd_server.domain.agent.result import EntitiesCleared, RecordPut
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entities.entity import WINDOW_KEY, EntityDraft, EntityWindow, latest
from memoryd_server.domain.entries.entry_change import check_agent
from memoryd_server.domain.validation import size_bytes


class AddEntities(CollectionCommand, frozen=True):
    """Add entities to a session's window, one after the other.

    ``window_size`` is the most it keeps from now on; 0 leaves that as it is. ``replaces`` empties it first.
    """

    session_id: str
    entities: tuple[EntityDraft, ...]
    window_size: int = 0
    replaces: bool = False
    precondition: Precondition | None = None


class ClearEntities(CollectionCommand, frozen=True):
    """Remove the window of a session; those of all sessions when none is named."""

    session_id: str | None = None
    precondition: Precondition | None = None


def add_entities(command: AddEntities, transition: Transition) -> RecordPut:
    """Add entities to a session's window. Raises RevisionMismatch, LimitExceeded."""
    before = _window(transition, command.session_id)
    check_revision(command.precondition, before.revision)
    window_size = command.window_size or before.window_size
    added = [each.at(transition.now) for each in command.entities]
    entities = latest(() if command.replaces else before.entities, added, window_size)
    if (entities, window_size) == (before.entities, before.window_size):
        return RecordPut(before, changed=False, revision=transition.result_revision)
    if not before.revision:
        _make_room(transition)
    after = msgspec.structs.replace(
        before,
        entities=entities,
        window_size=window_size,
        create_time=before.create_time or transition.now,
        update_time=transition.now,
        revision=transition.revision,
        size_bytes=size_bytes(before.session_id) + sum(each.size_bytes for each in entities),
    )
    put(transition, ENTITY_WINDOW, after)
    return RecordPut(after, changed=True, revision=transition.revision)


def clear_entities(command: ClearEntities, transition: Transition) -> EntitiesCleared:
    """Remove windows. Raises RevisionMismatch."""
    if command.session_id is None:
        check_agent(command.precondition, transition)
        entities = sum(len(each.entities) for each in collection(transition, ENTITY_WINDOW))
        sessions = clear(transition, MemoryKind.ENTITY, EventCause.REQUEST)
        return EntitiesCleared(entities, sessions, transition.result_revision)
    window = _window(transition, command.session_id)
    check_revision(command.precondition, window.revision)
    if not window.revision:
        return EntitiesCleared(0, 0, transition.result_revision)
    remove(transition, ENTITY_WINDOW, window)
    return EntitiesCleared(len(window.entities), 1, transition.revision)


def _window(transition: Transition, session_id: str) -> EntityWindow:
    """The session's window; an empty one at revision 0 when nothing was added yet."""
    return collection(transition, ENTITY_WINDOW).find(session_id, WINDOW_KEY) or EntityWindow(session_id)


def _make_room(transition: Transition) -> None:
    """Let the sessions that were changed longest ago go, until there is room for another one."""
    windows = collection(transition, ENTITY_WINDOW)
    excess = len(windows) + 1 - transition.limits.sessions_per_agent
    if excess > 0:
        by_use = sorted(windows, key=lambda each: (each.update_time, each.revision, each.session_id))
        for window in by_use[:excess]:
            remove(transition, ENTITY_WINDOW, window, EventCause.EVICTION)
