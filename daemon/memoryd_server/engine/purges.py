"""Purges: what is purged from the records is stripped from the journal, too, before it is answered."""

import logging

import msgspec

from memoryd_server.domain.command import FinishPurges
from memoryd_server.domain.event import Event
from memoryd_server.domain.fragment import Fragment
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
            # A memory has the id of the fragment that it was made of, unless that is of another one by now.
            fragments = writer.state.fragments.sequences
            fragment_ids = frozenset(each for each in memory_ids if each not in fragments)
            rows = await erase_from_journal(
                self._store, agent_id, lambda data: stripped(data, frozenset(memory_ids), fragment_ids)
            )
            await self._agents.submit(agent_id, FinishPurges(memory_ids))
            log.info("memories purged", extra={"agent_id": agent_id, "count": len(memory_ids), "rows": rows})


def stripped(
    data: JournalData, memory_ids: frozenset[str], fragment_ids: frozenset[str] = frozenset()
) -> JournalData | None:
    """What a row tells without the contents of these memories and fragments; None when it tells nothing of them.

    Of a memory only its id, type and times are left. Another daemon that reads the row late makes a memory without a
    content of it, until it reads that it was purged.
    """
    events = tuple(_stripped_event(event, memory_ids, fragment_ids) for event in data.events)
    changes = tuple(_stripped_change(change, memory_ids, fragment_ids) for change in data.changes)
    if events == data.events and changes == data.changes:
        return None
    return msgspec.structs.replace(data, events=events, changes=changes)


def _stripped_event(event: Event, memory_ids: frozenset[str], fragment_ids: frozenset[str]) -> Event:
    if event.memory is not None and event.memory_id in memory_ids:
        return msgspec.structs.replace(event, memory=_without_content(event.memory))
    if event.fragment is not None and event.fragment_id in fragment_ids:
        return msgspec.structs.replace(event, fragment=_without_text(event.fragment))
    return event


def _stripped_change(change: RecordChange, memory_ids: frozenset[str], fragment_ids: frozenset[str]) -> RecordChange:
    if not isinstance(change.value, bytes):
        return change
    record_id = change.key.partition("/")[0]
    if change.kind in ("embedding", "version") and record_id in memory_ids:
        return RecordChange(change.kind, change.key, None)
    if change.kind == "memory" and record_id in memory_ids:
        memory = decode_record(change.kind, change.value)
        assert isinstance(memory, Memory)
        return RecordChange(change.kind, change.key, encode(_without_content(memory)))
    if change.kind == "fragment" and record_id in fragment_ids:
        fragment = decode_record(change.kind, change.value)
        assert isinstance(fragment, Fragment)
        return RecordChange(change.kind, change.key, encode(_without_text(fragment)))
    return change


def _without_content(memory: Memory) -> Memory:
    return msgspec.structs.replace(
        memory, content="", user_id="", project_id="", provenance=Provenance(), tags=(), metadata_json="", size_bytes=0
    )


def _without_text(fragment: Fragment) -> Fragment:
    return msgspec.structs.replace(
        fragment, content="", properties_json="", participants=(), causal_chain=(), sources_json="", size_bytes=0
    )
