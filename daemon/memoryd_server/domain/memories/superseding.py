"""Superseding: which memories are replaced by others, and what follows when those are gone.

A link of the type SUPERSEDES gives the memory at its end the status SUPERSEDED, as long as a memory at the start of
such a link is in force: neither forgotten nor expired. When the last one is gone, the memory is active again. If the
one that is gone was superseded itself, its successor takes over what it superseded: of three versions of a fact,
forgetting the second must not bring back the first beside the third.
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


def revive(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> Memory | None:
    """Make a superseded memory active, and return it, unless a memory that is in force supersedes it."""
    now = editor.transition.now
    memory = editor.memories.find(memory_id, now)
    if memory is None or memory.status is not MemoryStatus.SUPERSEDED or _is_superseded(memory_id, editor):
        return None
    # Restart the decay: the memory could be faint enough to be archived at once.
    active = msgspec.structs.replace(memory, status=MemoryStatus.ACTIVE, last_access_time=now)
    return _revised(memory, active, editor, policy)


def supersede(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Give a memory the status SUPERSEDED, unless it has expired."""
    memory = editor.memories.find(memory_id, editor.transition.now)
    if memory is not None and memory.status is not MemoryStatus.SUPERSEDED:
        _revised(memory, msgspec.structs.replace(memory, status=MemoryStatus.SUPERSEDED), editor, policy)


def supersede_again(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Give what a restored memory supersedes the status SUPERSEDED again."""
    for link in _superseded(memory_id, editor.memories):
        supersede(link.to_id, editor, policy)


def remove_memory(memory: Memory, cause: EventCause, editor: "MemoryEditor", policy: MemoryPolicy) -> int:
    """Remove a memory with all that belongs to it, and release what it superseded.

    Returns the size of what was written for that in bytes.
    """
    superseded = _superseded(memory.memory_id, editor.memories)
    successor = _successor(memory.memory_id, editor) if superseded else None
    editor.remove(memory, cause)
    return _release(superseded, successor, editor, policy)


def release_superseded(memory_id: str, editor: "MemoryEditor", policy: MemoryPolicy) -> None:
    """Release what a memory superseded that was just forgotten."""
    superseded = _superseded(memory_id, editor.memories)
    if superseded:
        _release(superseded, _successor(memory_id, editor), editor, policy)


def _release(superseded: list[MemoryLink], successor: str | None, editor: "MemoryEditor", policy: MemoryPolicy) -> int:
    written_bytes = 0
    for link in superseded:
        has_status = editor.memories.memories[link.to_id].status is MemoryStatus.SUPERSEDED
        if successor is not None and has_status and not _is_superseded(link.to_id, editor):
            _take_over(link, successor, editor)
        revived = revive(link.to_id, editor, policy)
        written_bytes += 0 if revived is None else revived.size_bytes
    return written_bytes


def _take_over(link: MemoryLink, successor: str, editor: "MemoryEditor") -> None:
    """Link the successor of the memory at a link's start with the memory at its end, if both have room for it."""
    memories, transition = editor.memories, editor.transition
    if memories.link(successor, link.to_id, LinkType.SUPERSEDES) is not None:
        return
    if all(memories.link_count_of(each) < LINKS_PER_MEMORY_MAX for each in (successor, link.to_id)):
        now, revision = transition.now, transition.revision
        taken = MemoryLink(successor, link.to_id, LinkType.SUPERSEDES, link.strength, now, now, revision)
        editor.put_link(taken, EventCause.SUPERSEDED)


def _revised(before: Memory, after: Memory, editor: "MemoryEditor", policy: MemoryPolicy) -> Memory:
    # Events do not show forgotten memories: the event of the restoration has the status.
    event_type = None if before.is_forgotten else EventType.MEMORY_UPDATED
    return editor.revise(before, after, policy, event_type, EventCause.SUPERSEDED)


def _successor(memory_id: str, editor: "MemoryEditor") -> str | None:
    """Return the newest memory that supersedes this one, None for none. One that is forgotten comes last."""
    superseding = _superseding(memory_id, editor)
    newest = max(superseding, key=lambda each: (not each.is_forgotten, each.sequence), default=None)
    return None if newest is None else newest.memory_id


def _is_superseded(memory_id: str, editor: "MemoryEditor") -> bool:
    """Return True if a memory that is in force supersedes this one."""
    return any(not each.is_forgotten for each in _superseding(memory_id, editor))


def _superseding(memory_id: str, editor: "MemoryEditor") -> Iterator[Memory]:
    """Yield the live memories that supersede this one, forgotten or not."""
    memories, now = editor.memories, editor.transition.now
    for link in memories.links_of(memory_id):
        if link.type is LinkType.SUPERSEDES and link.to_id == memory_id:
            memory = memories.find(link.from_id, now)
            if memory is not None:
                yield memory


def _superseded(memory_id: str, memories: LongTermMemory) -> list[MemoryLink]:
    """Return the links by which a memory supersedes others, in the order of those."""
    links = memories.links_of(memory_id)
    found = [link for link in links if link.type is LinkType.SUPERSEDES and link.from_id == memory_id]
    return sorted(found, key=lambda each: each.to_id)


def _reached(start_id: str, memories: LongTermMemory, *, goes_up: bool) -> Iterator[str]:
    """Yield the other end of each link on the way: up to what supersedes a memory, or down to what it supersedes.

    For a link that does not lead on, yields an empty id, so that its cost counts.
    """
    seen, waiting = {start_id}, [start_id]
    while waiting:
        current = waiting.pop()
        for link in memories.links_of(current):
            leads_on = link.type is LinkType.SUPERSEDES and current == (link.to_id if goes_up else link.from_id)
            next_id = link.other_end(current) if leads_on else ""
            if next_id and next_id not in seen:
                seen.add(next_id)
                waiting.append(next_id)
            yield next_id
