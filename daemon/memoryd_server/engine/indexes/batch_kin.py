"""Contradictions among the drafts of one batch, which no index has yet: of facts that are imported or consolidated."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence

import msgspec

from memoryd_server.domain.memories.kinship.claim import Claim
from memoryd_server.domain.memories.kinship.kinship import Content
from memoryd_server.domain.memories.kinship.value import exclude_each_other
from memoryd_server.domain.memories.memory import MemoryDraft
from memoryd_server.domain.memories.memory_link import STRENGTH_DEFAULT
from memoryd_server.engine.indexes.relatives import HAVE_TRUTH
from memoryd_server.engine.limit import CONTRADICTIONS_MAX, RIVAL_CLAIMS_MAX


def with_earlier_drafts(
    drafts: Sequence[MemoryDraft], memory_ids: Sequence[str], read: Callable[[str], Content]
) -> list[MemoryDraft]:
    """Return the drafts with those before them that they contradict by their claims, the nearest first.

    ``memory_ids`` are those that the drafts will have. A draft contradicts at most CONTRADICTIONS_MAX memories, with
    those that it already has.
    """
    rivals: dict[object, deque[tuple[Claim, str]]] = defaultdict(lambda: deque(maxlen=RIVAL_CLAIMS_MAX))
    complete = []
    for draft, memory_id in zip(drafts, memory_ids, strict=True):
        found = dict(draft.contradicts)
        if draft.type in HAVE_TRUTH and not draft.duplicate_of and not draft.skip_contradictions:
            for claim in read(draft.content).claims:
                earlier = rivals[draft.owner, claim.subject, claim.attribute]
                for rival, rival_id in reversed(earlier):
                    if exclude_each_other(claim, rival):
                        found.setdefault(rival_id, STRENGTH_DEFAULT)
                earlier.append((claim, memory_id))
        contradicts = tuple(found.items())[:CONTRADICTIONS_MAX]
        complete.append(msgspec.structs.replace(draft, contradicts=contradicts))
    return complete
