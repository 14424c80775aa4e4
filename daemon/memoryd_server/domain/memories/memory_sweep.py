"""The sweep of memories: removes expired memories, archives faded ones, and drops old versions."""

from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import DUE_MEMORY_BYTES_PER_SWEEP_MAX, DUE_MEMORY_CHANGES_PER_SWEEP_MAX
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_policy import MemoryPolicy
from memoryd_server.domain.memories.salience import archive_time_of
from memoryd_server.domain.memories.superseding import remove_memory

if TYPE_CHECKING:
    from memoryd_server.domain.memories.memory_editor import MemoryEditor


def sweep_memories(editor: "MemoryEditor", policy: MemoryPolicy, count_max: int) -> tuple[int, int]:
    """Remove expired memories and archive faded ones; return the number of each.

    At most ``count_max`` memories are visited, and fewer if they are large or have many links. A memory that was
    recalled or linked since its archive time was computed gets a later one.
    """
    now = editor.transition.now
    ended = archived = written_bytes = 0
    memories, changes = editor.memories, editor.transition.changes
    changes_max = len(changes) + DUE_MEMORY_CHANGES_PER_SWEEP_MAX
    for memory_id in memories.deadlines.due(now, count_max):
        if written_bytes >= DUE_MEMORY_BYTES_PER_SWEEP_MAX or len(changes) >= changes_max:
            break
        memory = editor.memories.memories[memory_id]
        if not memory.is_live(now):
            written_bytes += remove_memory(memory, EventCause.EXPIRY, editor, policy)
            ended += 1
            continue
        written_bytes += memory.size_bytes
        if _has_faded(memory, editor, policy):
            faded = msgspec.structs.replace(memory, status=MemoryStatus.ARCHIVED)
            editor.revise(memory, faded, policy, EventType.MEMORY_ARCHIVED, EventCause.EXPIRY)
            archived += 1
        else:
            editor.put(memory, policy)
    for memory_id in memories.version_deadlines.due(now, count_max):
        editor.drop_versions(memory_id, editor.transition.now)
    return ended, archived


def _has_faded(memory: Memory, editor: "MemoryEditor", policy: MemoryPolicy) -> bool:
    """Return True if an active memory is due to be archived, with the recalls and links since it was last put.

    The archive time is compared, and not the salience: by rounding, the salience at that time may still equal the
    threshold, and the memory would stay due forever.
    """
    strength = editor.memories.link_strength(memory.memory_id)
    archive_time = archive_time_of(memory, strength, policy.salience)
    return archive_time is not None and archive_time <= editor.transition.now
