"""Observers of changes of the agents that are in memory."""

from typing import Protocol

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState


class AgentObserver(Protocol):
    """Told in the very step in which a state is swapped, so that a read after it finds all that was noted."""

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """An agent is another than it was. ``before`` is None when it was loaded.

        ``changes`` has the records that changed, None when that is not known. ``is_own`` is whether this daemon
        committed the change.
        """

    def note_gone(self, state: AgentState) -> None:
        """An agent is no longer in memory. ``state`` is its last one."""
