"""Superseding: which memories are replaced by others, and what follows when those are gone.

A link of the type SUPERSEDES gives the memory at its end the status SUPERSEDED, as long as a memory at the start of
such a link is in force: not forgotten, and not removed. When the last one is gone, the memory is active again. If the
one that is gone was superseded itself, its successor takes over what it superseded: of three versions of a fact,
forgetting the second must not bring back the first beside the third.

What is forgotten itself stays as it is: when it is restored, what supersedes it then is found. So the work for each
memory that is gone is bounded by its own links, in a chain of any length.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.error import InvalidField, QuotaExceeded
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.limit import LINKS_PER_MEMORY_MAX, SUPERSEDING_LINKS_MAX
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryStatus
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLink
from memoryd_server.domain.memories.memory_policy import MemoryPolicy

if TYPE_CHECKING:
    from memoryd_server.domain.memories.memory_editor import MemoryEditor


def check_circle(from_id: str, to_id: str, memories: LongTermMemory) -> None:
    """Check that a new link, by which one memory supersedes another, closes no circle.

    Raises InvalidField if it does, and QuotaExceeded if too many memories supersede each other to know.
    """
    # Search from both ends in turn, until one has no more links: a new memory has none, however long the chain is.
    below, above = _reached(to_id, memories, goes_up=False), _reached(from_id, memories, goes_up=True)
    for lower in islice(below, SUPERSEDING_LINKS_MAX):
        upper = next(above, None)
        if lower == from_id or upper == to_id:
            raise InvalidField("to_memory_id", "must not be a memory that supersedes this one, directly or not")
        if upper is None:
            return
    if next(below, None) is not None:
        raise QuotaExceeded("superseding_links", SUPERSEDING_LINKS_MAX)


def supersede(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Give a memory the status SUPERSEDED, unless it is forgotten or has expired."""
    memory = editor.memories.find(memory_id, editor.transition.now)
    if memory is not None and not memory.is_forgotten and memory.status is not MemoryStatus.SUPERSEDED:
        _revise(memory, msgspec.structs.replace(memory, status=MemoryStatus.SUPERSEDED), editor, policy)


def _revive(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> int:
    """Make a memory active that nothing supersedes any more, and return its size in bytes.

    Returns 0 if it stays as it is.
    """
    memory = _released(memory_id, editor)
    if memory is None:
        return 0
    # Restart the decay: the memory could be faint enough to be archived at once.
    active = msgspec.structs.replace(memory, status=MemoryStatus.ACTIVE, last_access_time=editor.transition.now)
    _revise(memory, active, editor, policy)
    return memory.size_bytes


def release_unlinked(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Make a memory active that was just unlinked from one that superseded it, unless another one does."""
    _recover(memory_id, editor, policy)
    _revive(memory_id, editor, policy)


def restore_memory(memory: Memory, editor: "MemoryEditor", policy: MemoryPolicy) -> Memory:
    """Restore a forgotten memory, which supersedes again what it superseded, and return it.

    If it is superseded by one that is forgotten, but that one by one that is in force, the latter takes it over.
    """
    now, succession = editor.transition.now, editor.memories.succession_of(memory.memory_id)
    status, taken_by = memory.status, ""
    if succession.in_force and status is MemoryStatus.ACTIVE:
        status = MemoryStatus.SUPERSEDED
    elif not succession.in_force and succession.superseding and status is MemoryStatus.SUPERSEDED:
        taken_by = _above(memory.memory_id, editor)
        status = MemoryStatus.SUPERSEDED if taken_by else MemoryStatus.ACTIVE
    # Restart the decay: the memory would be archived at once.
    restored = msgspec.structs.replace(memory, forget_time=None, purge_time=None, last_access_time=now, status=status)
    restored = editor.revise(memory, restored, policy, EventType.MEMORY_RESTORED, EventCause.REQUEST)
    if taken_by:
        _take_over(_link(next(iter(succession.superseding)), memory.memory_id, editor), taken_by, editor)
    for superseded_id in sorted(succession.superseded):
        supersede(superseded_id, editor, policy)
    return restored


def remove_memory(memory: Memory, cause: EventCause, editor: "MemoryEditor", policy: MemoryPolicy) -> int:
    """Remove a memory with all that belongs to it, and release what it superseded.

    Returns the size of what was written for that in bytes.
    """
    succession = editor.memories.succession_of(memory.memory_id)
    links = [_link(memory.memory_id, each, editor) for each in sorted(succession.superseded)]
    successor_id = _successor_of(memory.memory_id, editor) if links else ""
    editor.remove(memory, cause)
    for link in links:
        _recover(link.to_id, editor, policy)
    # What a forgotten memory superseded was released when it was forgotten.
    return 0 if memory.is_forgotten else _release(links, successor_id, editor, policy)


def release_superseded(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Release what a memory superseded that was just forgotten."""
    superseded = editor.memories.succession_of(memory_id).superseded
    if superseded:
        links = [_link(memory_id, each, editor) for each in sorted(superseded)]
        _release(links, _successor_of(memory_id, editor), editor, policy)


def _release(links: list[MemoryLink], successor_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> int:
    """Let the successor take over what a memory superseded that is gone, or make it active.

    Returns the size of what became active in bytes.
    """
    written_bytes = 0
    for link in links:
        if _released(link.to_id, editor) is not None:
            if successor_id:
                _take_over(link, successor_id, editor)
            written_bytes += _revive(link.to_id, editor, policy)
    return written_bytes


def _released(memory_id: str, editor: "MemoryEditor") -> Memory | None:
    """Return a superseded memory if no memory that is in force supersedes it any more, else None."""
    memory = editor.memories.find(memory_id, editor.transition.now)
    if memory is None or memory.is_forgotten or memory.status is not MemoryStatus.SUPERSEDED:
        return None
    return None if editor.memories.succession_of(memory_id).in_force else memory


def _recover(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Make a forgotten memory active, for its restoration, if all that superseded it was removed."""
    memory = editor.memories.memories[memory_id]
    is_left = not editor.memories.succession_of(memory_id).superseding
    if is_left and memory.is_forgotten and memory.status is MemoryStatus.SUPERSEDED:
        # Events do not show forgotten memories: the event of the restoration has the status.
        editor.put(msgspec.structs.replace(memory, status=MemoryStatus.ACTIVE), policy)


def _take_over(link: MemoryLink, successor_id: str, editor: "MemoryEditor") -> None:
    """Link a successor of the memory at a link's start with the memory at its end, if both have room for it."""
    memories, transition = editor.memories, editor.transition
    is_there = memories.link(successor_id, link.to_id, LinkType.SUPERSEDES) is not None
    if not is_there and _has_room(successor_id, link.to_id, memories):
        now, revision = transition.now, transition.revision
        taken = MemoryLink(successor_id, link.to_id, LinkType.SUPERSEDES, link.strength, now, now, revision)
        editor.put_link(taken, EventCause.SUPERSEDED)


def _has_room(from_id: str, to_id: str, memories: LongTermMemory) -> bool:
    return all(memories.link_count_of(each) < LINKS_PER_MEMORY_MAX for each in (from_id, to_id))


def _revise(before: Memory, after: Memory, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    editor.revise(before, after, policy, EventType.MEMORY_UPDATED, EventCause.SUPERSEDED)


def _successor_of(memory_id: str, editor: "MemoryEditor") -> str:
    """Return the newest memory that supersedes this one, empty for none. One that is forgotten comes last."""
    memories, now = editor.memories, editor.transition.now
    superseding = (memories.find(each, now) for each in memories.succession_of(memory_id).superseding)
    live = [each for each in superseding if each is not None]
    newest = max(live, key=lambda each: (not each.is_forgotten, each.sequence), default=None)
    return "" if newest is None else newest.memory_id


def _above(memory_id: str, editor: "MemoryEditor") -> str:
    """Return a memory in force that supersedes this one through others, and has room for it; empty for none."""
    memories, now = editor.memories, editor.transition.now
    for each in islice(_reached(memory_id, memories, goes_up=True), SUPERSEDING_LINKS_MAX):
        memory = memories.find(each, now)
        if memory is not None and not memory.is_forgotten and _has_room(each, memory_id, memories):
            return each
    return ""


def _link(from_id: str, to_id: str, editor: "MemoryEditor") -> MemoryLink:
    link = editor.memories.link(from_id, to_id, LinkType.SUPERSEDES)
    assert link is not None, "a succession is of links that exist"
    return link


def _reached(start_id: str, memories: LongTermMemory, *, goes_up: bool) -> Iterator[str]:
    """Yield the other end of each link on the way: up to what supersedes a memory, or down to what it supersedes."""
    seen, waiting = {start_id}, [start_id]
    while waiting:
        succession = memories.succession_of(waiting.pop())
        for next_id in succession.superseding if goes_up else succession.superseded:
            if next_id not in seen:
                seen.add(next_id)
                waiting.append(next_id)
            yield next_id
