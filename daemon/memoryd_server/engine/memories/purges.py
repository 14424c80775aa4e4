"""Purges of memories: the content is removed from the records and from the journal before the call returns."""

import logging
from collections.abc import Collection, Iterator, Mapping

import msgspec

from memoryd_server.domain.agent.commit import WritesCommitted
from memoryd_server.domain.agent.event import Event
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.event_type import EventCause, EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.domain.lifecycle.record import decode_record, encode
from memoryd_server.domain.memories.memory import Memory, Provenance
from memoryd_server.domain.memories.memory_change import MemoryChanged
from memoryd_server.domain.memories.memory_creation import MemoriesCreated
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_removal import FinishPurges, MemoryForgotten
from memoryd_server.domain.memories.memory_subject import MemorySubject
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.journal import JournalData, RecordChange, RememberedRequest
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.limit import END_TRIES_MAX, PURGE_PASSES_MAX
from memoryd_server.engine.memories.erasure import erase_from_journal
from memoryd_server.ports.store import Store

log = logging.getLogger("memoryd.long_term_memory")


class Purges:
    """Completes purges. An interrupted one has a record, by which it is completed later, or before the agent ends."""

    def __init__(self, store: Store, agents: AgentCache) -> None:
        self._store = store
        self._agents = agents

    async def finish(self, agent_id: str) -> None:
        """Complete the purges of an agent. Raises what the store raises, and may then be called again."""
        state = (await self._agents.writer(agent_id)).state
        memories = state.part(MEMORIES)
        purged = {memory_id: memories.purges[memory_id].revision for memory_id in sorted(memories.unerased)}
        if purged:
            rows = await self._erase(state, purged)
            await self._agents.submit(agent_id, FinishPurges(tuple(purged), state.revision))
            log.info("memories purged", extra={"agent_id": agent_id, "count": len(purged), "rows": rows})

    async def _erase(self, state: AgentState, purged: Mapping[str, int]) -> int:
        """Strip an agent's rows until no purged content is left. Return the number of rewritten rows.

        Another daemon may strip a second memory from a row after this one read it and before this one writes it, which
        would bring that memory back. All purges found in the journal are therefore stripped, until a pass finds none.
        """
        found, rows = dict(purged), 0
        for _ in range(PURGE_PASSES_MAX):
            known = dict(found)
            # A memory has the id of the fragment that it was made of. A fragment that exists now is another one.
            fragment_ids = frozenset(each for each in known if each not in state.part(FRAGMENTS).sequences)

            def strip(data: JournalData, revision: int) -> JournalData | None:
                found.update(_purges_of(data))
                return stripped(data, revision, known, fragment_ids)  # noqa: B023 - not used after this pass

            rewritten = await erase_from_journal(self._store, state.agent_id, strip)
            rows += rewritten
            if not rewritten and found == known:
                return rows
        raise StoreUnavailable

    async def end(self, agent_id: str, command: EndAgent, write: Write = UNCONDITIONAL) -> AgentCleared:
        """Complete an agent's purges, then end it. Raises what ``finish`` raises, and the command's Refusal."""
        for _ in range(END_TRIES_MAX):
            await self.finish(agent_id)
            ended = await self._agents.submit(agent_id, command, write)
            if not ended.is_blocked:
                return ended
        raise StoreUnavailable


def stripped(
    data: JournalData, revision: int, purged: Mapping[str, int], fragment_ids: Collection[str] = ()
) -> JournalData | None:
    """Return a row's data without the content of purged memories and fragments; None if it has no such content.

    ``revision`` is the one that the row reached. ``purged`` has the revision of each purge: later data belongs to
    another memory with the same id, and stays. Of a purged memory only its id, type and times are left. A daemon that
    reads the row later has a memory without content, until it reads the row of the purge.
    """
    events = tuple(_stripped_event(event, purged, fragment_ids) for event in data.events)
    # Changes hold each record as of the end of the row.
    gone = {memory_id for memory_id, purge_revision in purged.items() if revision <= purge_revision}
    changes = tuple(_stripped_change(change, gone, fragment_ids) for change in data.changes)
    requests = tuple(_stripped_request(request, purged) for request in data.requests)
    if events == data.events and changes == data.changes and requests == data.requests:
        return None
    return msgspec.structs.replace(data, events=events, changes=changes, requests=requests)


def _purges_of(data: JournalData) -> Iterator[tuple[str, int]]:
    for event in data.events:
        if event.type is EventType.MEMORY_PURGED and event.cause is EventCause.REQUEST:
            yield event.subject.memory_id, event.revision


def _stripped_event(event: Event, purged: Mapping[str, int], fragment_ids: Collection[str]) -> Event:
    subject = event.subject
    if isinstance(subject, MemorySubject) and subject.memory is not None:
        if event.revision <= purged.get(subject.memory_id, 0):
            shown = MemorySubject(subject.memory_id, _without_content(subject.memory))
            return msgspec.structs.replace(event, subject=shown)
    elif isinstance(subject, FragmentSubject) and subject.fragment is not None and subject.fragment_id in fragment_ids:
        text_free = FragmentSubject(subject.fragment_id, _without_text(subject.fragment))
        return msgspec.structs.replace(event, subject=text_free)
    return event


def _stripped_request(request: RememberedRequest, purged: Mapping[str, int]) -> RememberedRequest:
    return msgspec.structs.replace(request, result=_stripped_result(request.result, purged))


def _stripped_result(result: Result, purged: Mapping[str, int]) -> Result:
    if isinstance(result, MemoryChanged | MemoryForgotten):
        return msgspec.structs.replace(result, memory=_stripped_memory(result.memory, purged))
    if isinstance(result, MemoriesCreated):
        created = (
            msgspec.structs.replace(each, memory=_stripped_memory(each.memory, purged)) for each in result.created
        )
        return msgspec.structs.replace(result, created=tuple(created))
    if isinstance(result, WritesCommitted):
        return msgspec.structs.replace(result, results=tuple(_stripped_result(each, purged) for each in result.results))
    return result


def _stripped_memory(memory: Memory | None, purged: Mapping[str, int]) -> Memory | None:
    if memory is None or memory.revision > purged.get(memory.memory_id, 0):
        return memory
    return _without_content(memory)


def _stripped_change(change: RecordChange, memory_ids: Collection[str], fragment_ids: Collection[str]) -> RecordChange:
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
    return msgspec.structs.replace(memory.without_content(), user_id="", project_id="", provenance=Provenance())


def _without_text(fragment: Fragment) -> Fragment:
    return msgspec.structs.replace(
        fragment,
        content="",
        user_id="",
        metadata_json="",
        participants=(),
        causal_chain=(),
        sources_json="",
        size_bytes=0,
    )
