"""Finds duplicates, contradictions and relatives of a new memory: the index searches, the domain classifies."""

from collections.abc import Callable

import msgspec

from memoryd_server.domain.memories.changes.memory_change import UpdateMemory
from memoryd_server.domain.memories.kinship.kinship import Content, Kinship, content_of, contradict, kinship_of
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import MemoryCondition, MemoryDraft, MemoryStatus, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.engine.limit import CONTRADICTIONS_MAX, RELATIVES_CONSIDERED_MAX
from memoryd_server.ports.retrieval import MemoryIndex

_MAY_BE_KIN = frozenset({MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED})
HAVE_TRUTH = frozenset({MemoryType.SEMANTIC, MemoryType.PROCEDURAL})
"""The types that can contradict each other. Two episodes may differ and both be true."""


def with_kin(
    draft: MemoryDraft,
    index: MemoryIndex,
    memories: LongTermMemory,
    policy: MemoryPolicy,
    relatives_max: int = 0,
    read: Callable[[str], Content] = content_of,
) -> MemoryDraft:
    """Return the draft with its best duplicate; without one, with contradictions and up to ``relatives_max`` relatives.

    Only active and archived memories of the same user and project are considered, and none with the id of the draft.
    ``read`` is ``content_of``, perhaps with a cache.
    """
    if not draft.looks_for_kin:
        return draft
    content = read(draft.content)
    condition = MemoryCondition(statuses=_MAY_BE_KIN, project_ids=frozenset({draft.project_id}))
    of_owner = RecordFilter(user_ids=frozenset({draft.user_id}), condition=condition)
    contradicts, relates_to = [], []
    for similar in index.similar(
        draft.content, draft.vector or None, draft.identity, of_owner, RELATIVES_CONSIDERED_MAX
    ):
        memory = memories.memories.get(similar.memory_id)
        if memory is None or memory.memory_id == draft.memory_id:
            continue
        strength = max(similar.words, similar.cosine or 0.0)
        match kinship_of(content, read(memory.content), similar.words, similar.cosine, policy):
            case Kinship.DUPLICATE if not draft.allow_duplicates:
                return msgspec.structs.replace(draft, duplicate_of=memory.memory_id)
            case Kinship.CONTRADICTION if not draft.skip_contradictions and {draft.type, memory.type} <= HAVE_TRUTH:
                contradicts.append((memory.memory_id, strength))
            case Kinship.RELATED:
                relates_to.append((memory.memory_id, strength))
    return msgspec.structs.replace(
        draft, contradicts=tuple(contradicts[:CONTRADICTIONS_MAX]), relates_to=tuple(relates_to[:relatives_max])
    )


def with_contradictions(
    command: UpdateMemory, index: MemoryIndex, memories: LongTermMemory, policy: MemoryPolicy
) -> UpdateMemory:
    """Return a change of a memory's content with what the new content contradicts, and what only the old one did.

    A link that the rules would not have made for the old content stays: it is a request's.
    """
    memory, content = memories.memories.get(command.memory_id), command.patch.content
    if memory is None or not isinstance(content, str) or content == memory.content:
        return command
    kind = memory.type if command.patch.type is msgspec.UNSET else command.patch.type
    draft = MemoryDraft(
        content,
        memory.user_id,
        kind,
        memory.memory_id,
        memory.project_id,
        identity=command.identity,
        vector=command.vector,
        allow_duplicates=True,
    )
    before, after = content_of(memory.content), content_of(content)
    rival_ids = {
        link.other_end(memory.memory_id)
        for link in memories.links_of(memory.memory_id)
        if link.type is LinkType.CONTRADICTS
    }
    rivals = {each: content_of(memories.memories[each].content) for each in sorted(rival_ids)}
    agrees_with = tuple(
        each for each, rival in rivals.items() if contradict(before, rival) and not contradict(after, rival)
    )
    contradicts = with_kin(draft, index, memories, policy).contradicts
    added = tuple((each, strength) for each, strength in contradicts if each not in rivals)
    return msgspec.structs.replace(command, contradicts=added, agrees_with=agrees_with)
