"""The interface of observers of loaded agents."""

from typing import Protocol

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState


class AgentObserver(Protocol):
    """An observer of state changes of loaded agents, such as an index or a gauge.

    It is notified synchronously, in the same step of the event loop in which the state is replaced. A read that starts
    later therefore never finds a state that is newer than what the observer derived from it.
    """

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Handle a new state of an agent. ``before`` is None when the agent was just loaded.

        ``changes`` has the changed records; None means that any record may have changed. ``is_own`` is true if this
        daemon committed the change.
        """

    def note_gone(self, state: AgentState) -> None:
        """Handle the removal of an agent from memory. ``state`` is its last state."""
