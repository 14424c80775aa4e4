"""The subject of events about the end and the restore of an agent."""

import msgspec

from memoryd_server.domain.agent.event import Event, EventFilter, Subject
from memoryd_server.domain.agents.agent import Agent
from memoryd_server.domain.record_kind import RecordKind


class AgentSubject(Subject, frozen=True, array_like=True, tag=True):
    """An agent that ended, was restored, or forgot a user, as a whole.

    ``counts`` has the number of live records that ended with it. ``snapshot_id`` is the snapshot that it was restored
    from. ``create_time`` is the agent's, and ``description`` the record that UpdateAgent writes, None for none.
    ``erasure_id`` and ``user_digest`` are those of the erasure of a user. Filters treat the subject as one of the root
    scope, and of every owner.
    """

    counts: dict[RecordKind, int] = msgspec.field(default_factory=dict)
    snapshot_id: str = ""
    create_time: int = 0
    description: Agent | None = None
    erasure_id: str = ""
    user_digest: bytes = b""

    def is_within(self, chosen: EventFilter) -> bool:
        """Return True if the filter includes the root scope, or has no scopes."""
        return not chosen.scope_ids or "" in chosen.scope_ids

    def may_concern(self, chosen: EventFilter, event: Event) -> bool:
        """Return True: what happens to an agent concerns all of its records."""
        return True
