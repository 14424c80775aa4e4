"""Random commands about memories that often collide: few ids, few contents, times of seconds."""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import strategies as st
from tests.unit.domain.sample import IDENTITY, memory_access, memory_draft, reads

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.lifecycle.agent_change import CLEARABLE, ClearAgent, ExpireRecords
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.changes.embedding_change import EmbeddedContent, KeepEmbeddings
from memoryd_server.domain.memories.changes.link_change import LinkMemories, UnlinkMemories
from memoryd_server.domain.memories.changes.memory_change import (
    MemoryPatch,
    ReinforceMemory,
    RestoreMemory,
    UpdateMemory,
)
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories
from memoryd_server.domain.memories.changes.memory_removal import (
    FinishPurges,
    ForgetMemories,
    ForgetMemory,
    PurgeMemory,
)
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryStatus, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkDraft
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import SaliencePolicy

POLICY = MemoryPolicy(
    SaliencePolicy(half_life_ns=SECOND_NS, archive_below=0.2),
    forgotten_ns=2 * SECOND_NS,
    history_ns=3 * SECOND_NS,
    versions_max=2,
)
MEMORY_IDS = st.sampled_from(["m1", "m2", "m3", "m4"])
MEMORY_CONTENTS = st.sampled_from(["red fox", "red hen", "fox"])
USER_IDS = st.sampled_from(["ann", "bob"])
STRENGTHS = st.sampled_from([0.25, 0.5, 1.0])
CONFIDENCES = st.sampled_from([None, 0.0, 1.0])
LINKS = st.builds(MemoryLinkDraft, MEMORY_IDS, st.sampled_from(LinkType), STRENGTHS)
KIN = st.lists(st.tuples(MEMORY_IDS, STRENGTHS), max_size=2, unique_by=lambda kin: kin[0]).map(tuple)
DRAFTS = st.builds(
    memory_draft,
    MEMORY_CONTENTS,
    USER_IDS,
    memory_id=st.one_of(MEMORY_IDS, st.just("")),
    links=st.lists(LINKS, max_size=1).map(tuple),
    allow_duplicates=st.booleans(),
    skip_contradictions=st.booleans(),
    status=st.sampled_from(MemoryStatus),
    duplicate_of=st.sampled_from(["", "", "m1"]),
    contradicts=KIN,
    relates_to=KIN,
)
VECTORS: "st.SearchStrategy[dict[str, object]]" = st.sampled_from([{}, {"identity": IDENTITY, "vector": b"8 bytes."}])
ENDS = st.sampled_from([None, None, SECOND_NS])
PATCHES = st.fixed_dictionaries(
    {},
    optional={
        "content": MEMORY_CONTENTS,
        "type": st.sampled_from(MemoryType),
        "status": st.sampled_from(MemoryStatus),
        "importance": st.sampled_from([0.0, 0.5, 1.0]),
        "expire_time": ENDS,
    },
)
EMBEDDED = st.builds(
    EmbeddedContent,
    MEMORY_CONTENTS,
    st.builds(Embedding, MEMORY_IDS, st.just(IDENTITY), st.just(b"8 bytes!")),
)
LINK_TYPES = st.one_of(st.none(), st.sampled_from(LinkType))

Draw = Callable[["st.SearchStrategy[Any]"], Any]


def random_draft(draw: Draw, now: int) -> MemoryDraft:
    """Return a random draft that expires never or soon, with or without a vector."""
    end = draw(ENDS)
    fields = {**draw(VECTORS), "expire_time": None if end is None else now + end}
    return msgspec.structs.replace(draw(DRAFTS), **fields)  # type: ignore[no-any-return]


def random_creation(draw: Draw, now: int, new_id: str) -> CreateMemories:
    """Return a command that creates one or two random memories."""
    drafts = tuple(random_draft(draw, now) for _ in range(draw(st.integers(1, 2))))
    return CreateMemories(drafts, new_id, POLICY)


def random_update(draw: Draw, now: int) -> UpdateMemory:
    """Return a random update of some fields, with or without a vector."""
    fields = draw(PATCHES)
    if fields.get("expire_time") is not None:
        fields["expire_time"] += now
    return UpdateMemory(draw(MEMORY_IDS), MemoryPatch(**fields), POLICY, **draw(VECTORS))


def random_memory_command(draw: Draw, now: int, new_id: str) -> Command:
    """Return a random command about memories."""
    makers: list[Callable[[], Command]] = [
        lambda: random_creation(draw, now, new_id),
        lambda: random_creation(draw, now, new_id),
        lambda: random_update(draw, now),
        lambda: ReinforceMemory(draw(MEMORY_IDS), POLICY, draw(CONFIDENCES)),
        lambda: ForgetMemory(draw(MEMORY_IDS), POLICY),
        lambda: ForgetMemories((draw(MEMORY_IDS), "unknown"), POLICY),
        lambda: RestoreMemory(draw(MEMORY_IDS), POLICY),
        lambda: PurgeMemory(draw(MEMORY_IDS), draw(st.booleans())),
        lambda: FinishPurges((draw(MEMORY_IDS), draw(MEMORY_IDS)), draw(st.integers(0, 50))),
        lambda: KeepEmbeddings((draw(EMBEDDED), draw(EMBEDDED))),
        lambda: LinkMemories(draw(MEMORY_IDS), draw(LINKS), POLICY),
        lambda: UnlinkMemories(draw(MEMORY_IDS), draw(MEMORY_IDS), POLICY, draw(LINK_TYPES)),
        lambda: reads(memory_access(draw(MEMORY_IDS), 2, now - draw(st.integers(0, 1)))),
        lambda: ExpireRecords({MEMORIES.name: POLICY}),
        lambda: ClearAgent(kinds=draw(st.frozensets(st.sampled_from(sorted(CLEARABLE))))),
    ]
    return draw(st.sampled_from(makers))()
