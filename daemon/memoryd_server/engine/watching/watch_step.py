"""The request of a watch, and the messages that it consists of."""

import enum

import msgspec

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.engine.agents.token import ResumePoint
from memoryd_server.engine.watching.event_cursor import EventSlice


class WatchPhase(enum.IntEnum):
    """The phase of a watch. The numbers are those of the wire contract."""

    OPENED = 1
    INITIAL_STATE = 2
    INITIAL_STATE_COMPLETE = 3
    LIVE = 4
    PROGRESS = 5


class WatchRequest(msgspec.Struct, frozen=True):
    """The selection and the start of a watch. At most one of the last three fields is set.

    ``progress_on_commit`` is for watches of one agent.
    """

    selection: EventSelection
    progress_interval_ns: int
    progress_on_commit: bool = False
    resume_token: str = ""
    after_revision: int | None = None
    include_initial_state: bool = False


class WatchStep(msgspec.Struct, frozen=True):
    """The next message to a watcher. ``point`` is where to resume after it; None if a watch cannot resume there.

    ``revision`` is 0 unless exactly one agent is watched.
    """

    phase: WatchPhase
    slices: tuple[EventSlice, ...]
    revision: int
    point: ResumePoint | None
    revision_continues: bool = False
