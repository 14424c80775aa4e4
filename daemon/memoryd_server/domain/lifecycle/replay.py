"""Replay: from a state and the changes that another daemon committed to the next state."""

import msgspec

from memoryd_server.domain.agent.author import NOBODY
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import Limits


class Replayed(msgspec.Struct, frozen=True):
    """The changes of another daemon's commit to an agent.

    If ``drops_records`` is true, all earlier records were deleted before the changes. ``next_deadline`` is the agent's
    after the commit; it cannot be derived from the changes.
    """

    revision: int
    commit_time: int
    changes: Changes
    drops_records: bool
    ends: bool
    next_deadline: int | None


def replay(state: AgentState, commit: Replayed) -> AgentState:
    """Return the state after another daemon's commit. Nothing is checked, and no event is emitted."""
    if commit.ends:
        return AgentState(state.agent_id, commit.revision)
    base = AgentState(state.agent_id, state.revision) if commit.drops_records else state
    # The default limits do not matter: a replay never checks them, since the committing daemon has.
    transition = Transition(base, commit.commit_time, Limits(), NOBODY)
    transition.revision = commit.revision
    record_names = {change.kind for change in commit.changes}
    for part in PARTS:
        if not record_names.isdisjoint(part.records):
            transition.open(part).replay(commit.changes)
    if transition.changed:
        return msgspec.structs.replace(transition.finish(), next_deadline=commit.next_deadline)
    update_time = base.update_time if commit.revision == base.revision else commit.commit_time
    create_time = base.create_time or commit.commit_time
    return msgspec.structs.replace(
        base,
        revision=commit.revision,
        create_time=create_time,
        update_time=update_time,
        next_deadline=commit.next_deadline,
    )
