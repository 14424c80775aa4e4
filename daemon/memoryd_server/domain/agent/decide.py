"""``decide``: from a state and a command to what becomes of them."""

from collections.abc import Callable
from typing import Any

import msgspec

from memoryd_server.domain.agent import agent_change, command
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import Changes, Transition
from memoryd_server.domain.conversations import compaction_change, conversation_change
from memoryd_server.domain.documents import document_change
from memoryd_server.domain.entities import entity_change
from memoryd_server.domain.entries import entry_change, reservation_change, scope_change
from memoryd_server.domain.fragments import fragment_change, lease_change
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories import link_change, memory_change
from memoryd_server.domain.notes import note_change
from memoryd_server.domain.plans import plan_change

_DECISIONS: dict[type[Any], Callable[[Any, Transition], Result]] = {
    command.SetEntry: entry_change.set_entry,
    command.GetOrSetEntry: entry_change.get_or_set_entry,
    command.RemoveEntry: entry_change.remove_entry,
    command.ClearEntries: entry_change.clear_entries,
    command.WriteEntries: entry_change.write_entries,
    command.ReserveEntry: reservation_change.reserve_entry,
    command.RenewReservation: reservation_change.renew_reservation,
    command.ReleaseReservation: reservation_change.release_reservation,
    command.CreateScope: scope_change.create_scope,
    command.MergeScope: scope_change.merge_scope,
    command.DisposeScope: scope_change.dispose_scope,
    command.StoreFragment: fragment_change.store_fragment,
    command.DeleteFragment: fragment_change.delete_fragment,
    command.ClearFragments: fragment_change.clear_all_fragments,
    command.FlushFragments: fragment_change.flush_all_fragments,
    command.LeaseFragments: lease_change.lease_fragments,
    command.RenewLease: lease_change.renew,
    command.AcknowledgeFragments: lease_change.acknowledge_fragments,
    command.ReleaseFragments: lease_change.release_fragments,
    command.ConsolidateFragments: lease_change.consolidate_fragments,
    command.CreateMemories: memory_change.create_memories,
    command.UpdateMemory: memory_change.update_memory,
    command.ReinforceMemory: memory_change.reinforce_memory,
    command.ForgetMemory: memory_change.forget_memory,
    command.PurgeMemory: memory_change.purge_memory,
    command.FinishPurges: memory_change.finish_purges,
    command.KeepEmbeddings: memory_change.keep_embeddings,
    command.LinkMemories: link_change.link_memories,
    command.UnlinkMemories: link_change.unlink_memories,
    note_change.CreateNote: note_change.create_note,
    note_change.UpdateNote: note_change.update_note,
    note_change.DeleteNote: note_change.delete_note,
    plan_change.CreatePlan: plan_change.create_plan,
    plan_change.UpdateStep: plan_change.update_step,
    plan_change.AddStep: plan_change.add_step,
    plan_change.AddContextNote: plan_change.add_context_note,
    plan_change.CompletePlan: plan_change.complete_plan,
    plan_change.DeletePlan: plan_change.delete_plan,
    conversation_change.AppendMessages: conversation_change.append_messages,
    conversation_change.DeleteConversation: conversation_change.delete_conversation,
    compaction_change.CompactMessages: compaction_change.compact_messages,
    document_change.AddDocument: document_change.add_document,
    document_change.DeleteDocument: document_change.delete_document,
    entity_change.AddEntities: entity_change.add_entities,
    entity_change.ClearEntities: entity_change.clear_entities,
    command.ClearAgent: agent_change.clear_agent,
    command.EndAgent: agent_change.end_agent,
    command.RestoreAgent: agent_change.restore_agent,
    command.ExpireRecords: agent_change.expire_records,
    command.RecordAccesses: agent_change.record_accesses,
}


class Decision(msgspec.Struct, frozen=True):
    """What becomes of a command. ``state`` is the old one when nothing changes.

    ``ends`` is whether the agent ended: then all of its records go, and ``changes`` is empty.
    """

    state: AgentState
    changes: Changes
    events: list[Event]
    result: Result
    ends: bool = False


def decide(state: AgentState, requested: Command, now: int, limits: Limits, origin: str = "") -> Decision:
    """Decide a command. ``now`` is in nanoseconds since the Unix epoch; ``origin`` is put into the events.

    Raises a ``domain.error.Refusal`` when the command is refused; nothing has changed then.
    """
    transition = Transition(state, now, limits, origin)
    result = _DECISIONS[type(requested)](requested, transition)
    if isinstance(requested, command.EndAgent) and transition.changed:
        return Decision(agent_change.ended(state, transition.revision), {}, transition.events, result, ends=True)
    return Decision(transition.finish(), transition.changes, transition.events, result)
