"""The watch of a near cache, and the marks by which its currency is known."""

from collections.abc import Sequence
from typing import NamedTuple

from memoryd.errors import (
    CallFailed,
    FailedPrecondition,
    InvalidArgument,
    InvalidResumeToken,
    PermissionDenied,
    Unauthenticated,
    Unimplemented,
)
from memoryd.model.event import EventFilter
from memoryd.model.record import RecordKind
from memoryd.protocol import method
from memoryd.protocol.call import Call, call
from memoryd.protocol.event import watch_request
from memoryd.protocol.mirror import ROOT, Mirror
from memoryd.protocol.near_option import NearCacheSettings
from memoryd.v1 import event_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2

SEEN_S_MAX = 1.0
"""The maximum time for which a write waits until the caches of its agent have it. Then they ask the daemon."""

_WORKING = (RecordKind.ENTRY, RecordKind.SCOPE, RecordKind.AGENT)
_PERMANENT = (InvalidArgument, PermissionDenied, Unauthenticated, Unimplemented)


def near_cache_request(agent_id: str, scope_ids: Sequence[str], settings: NearCacheSettings) -> pb.WatchEventsRequest:
    """Return the request of the watch of a near cache: of the whole agent, or of a scope, which is the first.

    The others are its ancestors, up to the root.
    """
    own = EventFilter((agent_id,), kinds=_WORKING, key_prefix=settings.key_prefix)
    filters = [own]
    if scope_ids:
        scope_id, *ancestors = scope_ids
        filters = [
            EventFilter((agent_id,), (scope_id,), True, settings.key_prefix, kinds=_WORKING),
            EventFilter((agent_id,), ancestors, False, settings.key_prefix, kinds=_WORKING),
        ]
    if settings.notes:
        filters.append(EventFilter((agent_id,), kinds=(RecordKind.NOTE, RecordKind.AGENT)))
    return watch_request(filters, {"initial_state": True, "progress_on_commit": True})


def agent_revision(agent_id: str) -> Call[int]:
    """Read the agent's revision; 0 if it does not exist."""
    request = working_memory_service_pb2.ContainsEntryRequest(agent_id=agent_id, scope_id=ROOT, key="-")
    return call(method.CONTAINS_ENTRY, request, lambda answer: answer.revision)


def begins_again(error: CallFailed) -> bool:
    """Return True if a watch that ended with this error may begin again with the initial state."""
    if isinstance(error, InvalidResumeToken | FailedPrecondition):
        return True
    return not isinstance(error, _PERMANENT)


class Mark(NamedTuple):
    """A state that a mirror is to reach: a revision, of the life of the agent that ``lives`` counts."""

    revision: int
    lives: int

    def is_reached(self, mirror: Mirror) -> bool:
        """Return True if the mirror has all changes up to this one."""
        if mirror.lives < self.lives:
            return False
        return not mirror.exists if not self.revision and mirror.revision else mirror.revision >= self.revision


BEGINNING = Mark(0, 0)
"""The mark of a mirror that has nothing yet."""
UNKNOWN = Mark(2**63 - 1, 0)
"""The mark of a change whose revision is not known: only a proof, or a new mirror, shows that it is there."""


def latest(first: Mark, second: Mark) -> Mark:
    """Return the later one of two marks."""
    return max(first, second, key=lambda mark: (mark.lives, mark.revision))


def mark_at(mirror: Mirror) -> Mark:
    """Return the mark that a mirror has reached."""
    return Mark(0 if mirror.has_ended else mirror.revision, mirror.lives)


def mark_of(revision: int, before: Mark) -> Mark:
    """Return the mark of a revision that the daemon has just returned. ``before`` was the mirror's before the call.

    A revision that is lower is of a later life: the agent has ended meanwhile, or the store is another one.
    """
    return Mark(revision, before.lives + (0 < revision < before.revision))
