"""Commands that put proposals of memories into the review queue, accept them, and reject them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import RESULT_BYTES, RecordRemoved, Result
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.memories.changes.memory_creation import (
    CreateMemories,
    MemoriesCreated,
    create_memories,
    new_memory_id,
)
from memoryd_server.domain.memories.memory import MemoryDraft, purge_digest_of
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.memory_proposal import MEMORY_PROPOSAL, proposal_alias, proposal_of


class ProposedMemory(msgspec.Struct, frozen=True, array_like=True):
    """The outcome of one draft: the proposal that was created, or was pending already.

    The id is empty if the content is blocked. The proposal has no content, since results are kept.
    """

    memory_proposal_id: str
    created: bool


class MemoriesProposed(Result, frozen=True, array_like=True, tag=True):
    """The result of ProposeMemories. ``proposed`` is in the order of the drafts."""

    proposed: tuple[ProposedMemory, ...]
    revision: int

    @property
    def memory_bytes(self) -> int:
        """An estimate of the result's memory, where each draft counts as a result."""
        return RESULT_BYTES * (1 + len(self.proposed))


class ProposeMemories(Command[MemoriesProposed], frozen=True):
    """Put proposals of memories into the review queue. A draft's ``memory_id`` is the id of its proposal.

    Proposals whose drafts have no id get one that begins with ``new_id``.
    """

    drafts: tuple[MemoryDraft, ...]
    new_id: str

    def decide(self, transition: Transition) -> MemoriesProposed:
        """Create the proposals. Raises RecordExists, QuotaExceeded."""
        return propose_memories(self, transition)


class AcceptProposals(Command[MemoriesCreated], frozen=True):
    """Make memories of proposals, and take them out of the review queue.

    ``prepared`` has the memories by the ids of their proposals, with what the engine found for them: duplicates,
    contradictions and vectors. New memories get ids that begin with ``new_id``.
    """

    memory_proposal_ids: tuple[str, ...]
    prepared: Mapping[str, MemoryDraft]
    new_id: str
    policy: MemoryPolicy

    def decide(self, transition: Transition) -> MemoriesCreated:
        """Create or reinforce the memories. Raises RecordNotFound, and what creating memories raises."""
        editor = transition.open(MEMORY_PROPOSAL)
        accepted = [editor.existing("", each) for each in self.memory_proposal_ids]
        # A restore may have brought back a proposal that was not there when the memories were prepared.
        working_expire_time = transition.now + self.policy.working_ns
        drafts = tuple(
            self.prepared.get(each.memory_proposal_id) or each.draft(working_expire_time) for each in accepted
        )
        # Before the memories are created: together the two may not fit into the storage.
        for each in accepted:
            editor.remove(each, EventCause.ACCEPTED)
        done = create_memories(CreateMemories(drafts, self.new_id, self.policy), transition)
        return MemoriesCreated(done.created, transition.result_revision)


class RejectProposals(Command[RecordRemoved], frozen=True):
    """Delete those of the proposals that exist from the review queue."""

    memory_proposal_ids: tuple[str, ...]

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the proposals."""
        return tuple((MEMORY_PROPOSAL.name, "", each) for each in self.memory_proposal_ids)

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete the proposals."""
        editor = transition.open(MEMORY_PROPOSAL)
        found = [editor.records.find("", each) for each in self.memory_proposal_ids]
        rejected = [each for each in found if each is not None]
        for each in rejected:
            editor.remove(each)
        return RecordRemoved(len(rejected), transition.result_revision)


def propose_memories(command: ProposeMemories, transition: Transition) -> MemoriesProposed:
    """Create the proposals. Raises RecordExists, QuotaExceeded."""
    proposed = tuple(
        _propose(draft, new_memory_id(command.new_id, index), transition) for index, draft in enumerate(command.drafts)
    )
    return MemoriesProposed(proposed, transition.result_revision)


def _propose(draft: MemoryDraft, new_id: str, transition: Transition) -> ProposedMemory:
    editor = transition.open(MEMORY_PROPOSAL)
    there = editor.records.find("", draft.memory_id) if draft.memory_id else None
    if there is not None:
        raise RecordExists(MEMORY_PROPOSAL.name, draft.memory_id, there.revision)
    # Accepting it would create nothing.
    if purge_digest_of(draft) in transition.open(MEMORIES).memories.blocked:
        return ProposedMemory("", created=False)
    pending = editor.records.aliased(proposal_alias(draft))
    if pending is not None:
        return ProposedMemory(pending.memory_proposal_id, created=False)
    most = transition.limits.memory_proposals_per_agent
    if len(editor.records) >= most:
        raise QuotaExceeded("memory_proposals_per_agent", most)
    proposal = proposal_of(draft, draft.memory_id or new_id, transition.revision, transition.now)
    editor.put(proposal)
    return ProposedMemory(proposal.memory_proposal_id, created=True)
