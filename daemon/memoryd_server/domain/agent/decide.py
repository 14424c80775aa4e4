"""The decision of a command: from a state to the next state, changes, events and a result."""

import msgspec

from memoryd_server.domain.agent.author import NOBODY, Author
from memoryd_server.domain.agent.command import Command, R
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.precondition import Precondition, check_agent
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.limit import Limits


class Decision(msgspec.Struct, frozen=True):
    """The outcome of a command. ``state`` is the old state itself if nothing changed.

    If ``ends`` is true, the agent ended: all of its records are deleted, and ``changes`` is empty.
    """

    state: AgentState
    changes: Changes
    events: list[Event]
    result: Result
    ends: bool = False


def decide(
    state: AgentState,
    command: Command[R],
    now: int,
    limits: Limits,
    author: Author = NOBODY,
    precondition: Precondition | None = None,
) -> Decision:
    """Decide a command. ``now`` is in nanoseconds since the Unix epoch; ``precondition`` must hold for the agent.

    Raises a ``domain.error.Refusal`` if the command is refused. The given state is immutable and stays valid.
    """
    if precondition is not None:
        check_agent(precondition, state)
    transition = Transition(state, now, limits, author)
    result = command.decide(transition)
    if transition.ends:
        return Decision(AgentState(state.agent_id, transition.revision), {}, transition.events, result, ends=True)
    return Decision(transition.finish(), transition.changes, transition.events, result)
