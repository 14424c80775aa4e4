"""Consolidation: flushed fragments become memories, by rules alone.

To use a language model instead, disable this and lease the fragments from a client. Both may run at the same time: a
fragment is in one lease at a time.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import Refusal
from memoryd_server.domain.fragments.fragment import TYPE_DEFAULT, Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.fragments.lease_change import ConsolidateFragments, LeaseFragments
from memoryd_server.domain.limit import (
    CONVERSATION_ID_BYTES_MAX,
    DOCUMENT_ID_BYTES_MAX,
    PROJECT_ID_BYTES_MAX,
    USER_ID_BYTES_MAX,
)
from memoryd_server.domain.memories.classification import type_of
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import CONFIDENCE_AT_FIRST, MemoryDraft, MemoryType, Provenance
from memoryd_server.domain.memories.memory_creation import CreateMemories
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.validation import size_bytes
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import new_id, new_token
from memoryd_server.engine.limit import CONSOLIDATED_FRAGMENTS_MAX, CONSOLIDATED_RELATIVES_MAX, CONSOLIDATION_LEASE_NS
from memoryd_server.engine.memories.long_term_memories import LongTermMemories
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.consolidation")

_TYPES = {kind.name.lower(): kind for kind in MemoryType if kind is not MemoryType.WORKING}


class Consolidation:
    """Turns flushed fragments into memories. An ``AgentObserver``.

    A crash loses nothing: the commit that creates the memories also removes the fragments from the buffer.
    """

    def __init__(self, agents: AgentCache, memories: LongTermMemories, telemetry: WorkingMemoryTelemetry) -> None:
        self._agents = agents
        self._memories = memories
        self._telemetry = telemetry
        self._waiting: dict[str, None] = {}
        self._has_waiting = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start; ``stop`` must follow."""
        self._task = asyncio.create_task(self._work(), name="consolidation")

    async def stop(self) -> None:
        """Stop. Leased fragments become available again when their lease expires."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Queue an agent that has fragments to consolidate; see ``AgentObserver``."""
        if after.part(FRAGMENTS).ready:
            self._waiting[after.agent_id] = None
            self._has_waiting.set()

    def note_gone(self, state: AgentState) -> None:
        """Do nothing: an evicted agent stays queued, and is loaded again for its fragments."""

    async def _work(self) -> None:
        while True:
            if not self._waiting:
                self._has_waiting.clear()
                await self._has_waiting.wait()
            agent_id = next(iter(self._waiting))
            del self._waiting[agent_id]
            try:
                while await self.consolidate(agent_id):
                    pass
            except Refusal as refusal:
                # The fragments become available again when their lease expires.
                fields = {"agent_id": agent_id, "reason": refusal.reason, "error": str(refusal)}
                log.warning("consolidation postponed", extra=fields)
            except Exception:
                log.exception("consolidation failed", extra={"agent_id": agent_id})

    async def consolidate(self, agent_id: str) -> int:
        """Turn an agent's oldest flushed fragments into memories. Return the number of fragments."""
        token = new_token()
        leasing = LeaseFragments(token, CONSOLIDATED_FRAGMENTS_MAX, CONSOLIDATION_LEASE_NS)
        leased = await self._agents.submit(agent_id, leasing)
        if leased.lease is None:
            return 0
        state = (await self._agents.writer(agent_id)).state
        fragments = [state.part(FRAGMENTS).fragments[sequence] for sequence in leased.lease.sequences]
        people = People(state.part(MEMORIES), fragments)
        drafts = [draft_of(fragment, state.part(MEMORIES), people) for fragment in fragments]
        complete = await self._memories.completed(agent_id, drafts, relatives_max=CONSOLIDATED_RELATIVES_MAX)
        creating = CreateMemories(complete, new_id(), self._memories.policy)
        fragment_ids = frozenset(fragment.fragment_id for fragment in fragments)
        await self._memories.change(agent_id, ConsolidateFragments(token, fragment_ids, creating))
        self._telemetry.fragments_consolidated_total.add(len(fragments))
        log.info("fragments consolidated", extra={"agent_id": agent_id, "count": len(fragments)})
        return len(fragments)


class People:
    """The users whom fragments that are consolidated together are about.

    A fragment is of the user that its writer gave, exactly; else of the one whom its metadata ``user_id`` names; else of
    its first participant; else, if its conversation is with one of these alone, of that one; else of no user. A name
    that differs from a known user's id by case alone is that user's.
    """

    def __init__(self, memories: LongTermMemory, fragments: Sequence[Fragment]) -> None:
        # Users whom writers gave come last, since they outweigh names.
        given = [fragment.user_id for fragment in fragments]
        named = {each for fragment in fragments if (each := _named_person(fragment)) and not fragment.user_id}
        wanted = {each.casefold() for each in named}
        stored = (
            {each.user_id for each in memories.memories.values() if each.user_id.casefold() in wanted} if wanted else ()
        )
        self._known = set(stored) | set(given)
        self._by_name = {each.casefold(): each for each in (*sorted(named), *sorted(stored), *given) if each}
        self._by_talk: dict[str, set[str]] = {}
        for fragment in fragments:
            talk, person = origin_of(fragment, "conversation_id", CONVERSATION_ID_BYTES_MAX), self._named(fragment)
            if talk and person:
                self._by_talk.setdefault(talk, set()).add(person)

    def user_of(self, fragment: Fragment) -> str:
        """Return the user of a fragment, empty for none."""
        talk = origin_of(fragment, "conversation_id", CONVERSATION_ID_BYTES_MAX)
        people = self._by_talk.get(talk, set())
        return self._named(fragment) or (next(iter(people)) if len(people) == 1 else "")

    def _named(self, fragment: Fragment) -> str:
        name = _named_person(fragment)
        return name if fragment.user_id or name in self._known else self._by_name.get(name.casefold(), name)


def _named_person(fragment: Fragment) -> str:
    """Return who is named as the user of a fragment, empty for nobody."""
    if fragment.user_id:
        return fragment.user_id
    named = _text_of(_metadata_of(fragment), "user_id", USER_ID_BYTES_MAX)
    return named or (fragment.participants[0] if fragment.participants else "")


def origin_of(fragment: Fragment, name: str, bytes_max: int) -> str:
    """Return an id of where a fragment comes from: of its metadata, else of the first of its sources that has one."""
    sources = json.loads(fragment.sources_json) if fragment.sources_json else []
    ids = (_text_of(each, name, bytes_max) for each in (_metadata_of(fragment), *sources))
    return next(filter(None, ids), "")


def _metadata_of(fragment: Fragment) -> dict[str, Any]:
    return json.loads(fragment.metadata_json) if fragment.metadata_json else {}


def _text_of(fields: dict[str, Any], name: str, bytes_max: int) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) and value.isprintable() and size_bytes(value) <= bytes_max else ""


def draft_of(fragment: Fragment, memories: LongTermMemory, people: People) -> MemoryDraft:
    """Return the memory that a fragment becomes.

    It keeps the fragment's id unless a memory has it: fragments that name it in their causal chain are then linked with
    it. Its user is that of ``people``. The metadata ``project_id`` becomes its project; ``conversation_id`` and
    ``document_id``, of the metadata or of a source, its provenance.
    """
    metadata = _metadata_of(fragment)
    return MemoryDraft(
        fragment.content,
        people.user_of(fragment),
        _TYPES.get(fragment.type.lower()) or type_of(fragment.content),
        memory_id="" if fragment.fragment_id in memories.memories else fragment.fragment_id,
        project_id=_text_of(metadata, "project_id", PROJECT_ID_BYTES_MAX),
        provenance=Provenance(
            origin_of(fragment, "conversation_id", CONVERSATION_ID_BYTES_MAX),
            origin_of(fragment, "document_id", DOCUMENT_ID_BYTES_MAX),
            f"consolidated from fragment {fragment.fragment_id}",
            fragment.sequence,
        ),
        tags=tuple(name for name in (fragment.type, fragment.dynamic_type) if name not in ("", TYPE_DEFAULT)),
        metadata_json=_metadata_json(fragment, metadata),
        confidence=CONFIDENCE_AT_FIRST if fragment.confidence is None else fragment.confidence,
        occur_time=fragment.create_time,
        derives_from=fragment.causal_chain,
    )


def _metadata_json(fragment: Fragment, metadata: dict[str, Any]) -> str:
    """Return the metadata of the memory, as JSON: the fragment's, and its fields that a memory does not have.

    Empty fields are left out, and those whose names the fragment's own metadata has.
    """
    fields = {
        "participants": fragment.participants,
        "causal_chain": fragment.causal_chain,
        "sources": json.loads(fragment.sources_json) if fragment.sources_json else [],
    }
    kept = {name: value for name, value in fields.items() if value not in (None, [], ())} | metadata
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) if kept else ""
