"""``replay``: from a state and what a commit of somebody else changed to the state after it."""

import msgspec

from memoryd_server.domain.agent import collection_transition
from memoryd_server.domain.agent.agent_change import ended
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Changes, Transition
from memoryd_server.domain.fragments.fragment_transition import replay_fragments
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.memory_transition import replay_memories


class Replayed(msgspec.Struct, frozen=True):
    """What a commit did to an agent. ``drops_records`` is whether all earlier records went before the changes.

    ``next_deadline`` is that of the state after it, which the changes do not tell.
    """

    revision: int
    commit_time: int
    changes: Changes
    drops_records: bool
    ends: bool
    next_deadline: int | None


def replay(state: AgentState, commit: Replayed) -> AgentState:
    """The state after a commit that was decided elsewhere: nothing is checked, and no event is told."""
    if commit.ends:
        return ended(state, commit.revision)
    base = AgentState(state.agent_id, state.revision) if commit.drops_records else state
    transition = Transition(base, commit.commit_time, Limits(), "")
    transition.revision = commit.revision
    # Before the puts, since a scope that is put as disposed has no place for entries any more.
    for change, value in commit.changes.items():
        if value is None:
            transition.delete_record(change)
    for value in commit.changes.values():
        if value is not None:
            transition.put_record(value)
    replay_fragments(transition, commit.changes)
    replay_memories(transition, commit.changes)
    collection_transition.replay(transition, commit.changes)
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
