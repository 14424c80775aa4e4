"""Purges: what is purged from the records is stripped from the journal, too, before it is answered."""

import logging

import msgspec

from memoryd_server.domain.command import FinishPurges
from memoryd_server.domain.event import Event
from memoryd_server.domain.memory import Memory, Provenance
from memoryd_server.domain.record import decode_record, encode
from memoryd_server.engine.agent_cache import AgentCache
from memoryd_server.engine.erasure import erase_from_journal
from memoryd_server.engine.journal import JournalData, RecordChange
from memoryd_server.ports.store import Store

log = logging.getLogger("memoryd.long_term_memory")


class Purges:
    """Completes purges. One that was not completed is found by its record, and completed later."""

    def __init__(self, store: Store, agents: AgentCache) -> None:
        self._store = store
        self._agents = agents

    async def finish(self, agent_id: str) -> None:
        """Complete the purges of an agent. Raises what the store raises; then it may be tried again."""
        writer = await self._agents.writer(agent_id)
        memory_ids = tuple(sorted(writer.state.memories.unerased))
        if memory_ids:
            rows = await erase_from_journal(self._store, agent_id, lambda data: stripped(data, frozenset(memory_ids)))
            await self._agents.submit(agent_id, FinishPurges(memory_ids))
            log.info("memories purged", extra={"agent_id": agent_id, "count": len(memory_ids), "rows": rows})


def stripped(data: JournalData, memory_ids: frozenset[str]) -> JournalData | None:
    """What a row tells without the contents of these memories; None when it tells nothing of them.

    Of a memory only its id, type and times are left. Another daemon that reads the row late makes a memory without a
    content of it, until it reads that it was purged.
    """
    events = tuple(_stripped_event(event, memory_ids) for event in data.events)
    changes = tuple(_stripped_change(change, memory_ids) for change in data.changes)
    if events == data.events and changes == data.changes:
        return None
    return msgspec.structs.replace(data, events=events, changes=changes)


def _stripped_event(event: Event, memory_ids: frozenset[str]) -> Event:
    if event.memory is None or event.memory_id not in memory_ids:
        return event
    return msgspec.structs.replace(event, memory=_without_content(event.memory))


def _stripped_change(change: RecordChange, memory_ids: frozenset[str]) -> RecordChange:
    memory_id = change.key.partition("/")[0]
    if memory_id not in memory_ids or not isinstance(change.value, bytes):
        return change
    if change.kind in ("embedding", "version"):
        return RecordChange(change.kind, change.key, None)
    if change.kind == "memory":
        memory = decode_record(change.kind, change.value)
        assert isinstance(memory, Memory)
        return RecordChange(change.kind, change.key, encode(_without_content(memory)))
    return change


def _without_content(memory: Memory) -> Memory:
    return msgspec.structs.replace(
        memory, content="", user_id="", project_id="", provenance=Provenance(), tags=(), metadata_json="", size_bytes=0
    )
