"""Commands that add to and clear windows of entities."""

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import ClearedSubject
from memoryd_server.domain.agent.precondition import Precondition, check_agent, check_revision
from memoryd_server.domain.agent.result import RecordPut, Result
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY, EntityDraft, EntityWindow, latest
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes


class EntitiesCleared(Result, frozen=True, array_like=True, tag=True):
    """The result of ClearEntities: the number of entities and of sessions that were removed."""

    entities_cleared: int
    sessions_cleared: int
    revision: int


class AddEntities(Command[RecordPut[EntityWindow]], frozen=True):
    """Add entities to a session's window, one after the other.

    ``window_size`` is the new maximum of the window; 0 leaves it unchanged. If ``replaces`` is true, the window is
    emptied first.
    """

    session_id: str
    entities: tuple[EntityDraft, ...]
    window_size: int = 0
    replaces: bool = False
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[EntityWindow]:
        """Add entities to a session's window. Raises RevisionMismatch, LimitExceeded."""
        before = _window(transition, self.session_id)
        check_revision(self.precondition, before.revision)
        window_size = self.window_size or before.window_size
        added = [each.at(transition.now) for each in self.entities]
        entities = latest(() if self.replaces else before.entities, added, window_size)
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
        transition.open(ENTITY_WINDOW).put(after)
        return RecordPut(after, changed=True, revision=transition.revision)


class ClearEntities(Command[EntitiesCleared], frozen=True):
    """Remove the window of a session, or those of all sessions if ``session_id`` is None."""

    session_id: str | None = None
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> EntitiesCleared:
        """Remove the windows. Raises RevisionMismatch."""
        if self.session_id is None:
            check_agent(self.precondition, transition)
            entities = sum(len(each.entities) for each in transition.open(ENTITY_WINDOW).records)
            sessions = transition.open(ENTITY_WINDOW).clear(EventCause.REQUEST)["records"]
            if sessions:
                subject = ClearedSubject(int(RecordKind.ENTITY), sessions)
                transition.emit(EventType.RECORDS_CLEARED, EventCause.REQUEST, subject)
            return EntitiesCleared(entities, sessions, transition.result_revision)
        window = _window(transition, self.session_id)
        check_revision(self.precondition, window.revision)
        if not window.revision:
            return EntitiesCleared(0, 0, transition.result_revision)
        transition.open(ENTITY_WINDOW).remove(window)
        return EntitiesCleared(len(window.entities), 1, transition.revision)


def _window(transition: Transition, session_id: str) -> EntityWindow:
    """Return the session's window, or an empty one at revision 0 if the session has none."""
    return transition.open(ENTITY_WINDOW).records.find(session_id, WINDOW_KEY) or EntityWindow(session_id)


def _make_room(transition: Transition) -> None:
    """Evict the windows that were not changed for the longest time, until one more fits within the limit."""
    windows = transition.open(ENTITY_WINDOW).records
    excess = len(windows) + 1 - transition.limits.sessions_per_agent
    if excess > 0:
        by_use = sorted(windows, key=lambda each: (each.update_time, each.revision, each.session_id))
        for window in by_use[:excess]:
            transition.open(ENTITY_WINDOW).remove(window, EventCause.EVICTION)
