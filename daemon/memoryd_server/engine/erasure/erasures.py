"""Erasures: what was erased or purged, or was a forgotten user's, is in no record and no journal row afterwards."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.documents.document import DOCUMENT, DOCUMENT_CHUNK
from memoryd_server.domain.erasures.erasure import Erasure, user_digest
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.domain.lifecycle.erasing import EmptyAgent, EndEmptyAgent, Erased
from memoryd_server.domain.lifecycle.user_removal import FinishErasures, ForgetUser, UserForgotten
from memoryd_server.domain.memories.changes.memory_removal import FinishPurges
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.agents.journal import JournalData
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.erasure.journal_pass import Strip, erase_from_journal, journal_of
from memoryd_server.engine.erasure.ownership import Ownership
from memoryd_server.engine.erasure.stripping import Stripper
from memoryd_server.engine.erasure.target import Target
from memoryd_server.engine.limit import (
    END_TRIES_MAX,
    ERASURE_PASSES_MAX,
    ERASURES_REMEMBERED_MAX,
    REMOVAL_RESUME_NS,
)
from memoryd_server.ports.store import Store

log = logging.getLogger("memoryd.erasure")

_INDEXED_KINDS = frozenset({MEMORIES.name, DOCUMENT.name, DOCUMENT_CHUNK.name})


async def _nothing_saved(_agent_id: str) -> None:
    return


class JournalErasures:
    """Completes purges and erasures. An interrupted one has a record, by which it is completed later.

    An agent ends only after all of its own are complete. One at a time is completed of an agent: it completes all that
    have begun by then.
    ``forget_pages`` drops what was read of the journal before, and ``forget_indexes`` what was saved of an agent's
    indexes.
    """

    def __init__(
        self,
        store: Store,
        agents: AgentCache,
        clock: Clock,
        forget_pages: Callable[[], None] = lambda: None,
        forget_indexes: Callable[[str], Awaitable[None]] = _nothing_saved,
    ) -> None:
        self._store = store
        self._forget_pages = forget_pages
        self._forget_indexes = forget_indexes
        self._agents = agents
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._rows: WeightedLru[str, int] = WeightedLru(ERASURES_REMEMBERED_MAX)

    async def complete(
        self, agent_id: str, erased: Sequence[Erased[Any]], paths: Collection[RecordPath]
    ) -> list[Erased[Any]]:
        """Complete the erasures of one commit, and return its results with the number of rewritten rows.

        ``paths`` are those of the records that the commands name. Raises what ``finish`` raises.
        """
        if any(each.erasure_id for each in erased):
            await self.finish(agent_id)
        unrecorded = [each for each in erased if not each.erasure_id and each.revision]
        rows = 0
        if unrecorded and paths:
            # Nothing can be recorded of an agent that does not exist: after an interruption, the caller must repeat.
            revision, time = unrecorded[-1].revision, unrecorded[-1].time
            erasure = Erasure(new_id(), b"", time, revision, is_complete=True, paths=tuple(paths))
            rows = await self._erase_unrecorded(agent_id, erasure)
        known = [self._rows.get(each.erasure_id) if each.erasure_id else rows for each in erased]
        return [
            each if count is None else msgspec.structs.replace(each, journal_rows=count)
            for each, count in zip(erased, known, strict=True)
        ]

    async def forget_user(
        self, agent_id: str, user_id: str, write: Write, *, blocks_reimport: bool
    ) -> tuple[UserForgotten, int]:
        """Remove a user's records of all kinds, and erase what the journal has of the user.

        Return the result and the number of rewritten rows. Large numbers of records are removed by several commits. The
        precondition holds for the first of them.
        """
        erasure_id = new_id()
        command = ForgetUser(erasure_id, user_digest(user_id, erasure_id), blocks_reimport)
        result = await self._remove(agent_id, command, write)
        state = (await self._agents.writer(agent_id)).state
        if state.exists:
            await self.finish(agent_id)
            return result, self._rows.get(erasure_id) or 0
        if not state.revision:
            return result, 0
        erasure = Erasure(erasure_id, command.user_digest, self._clock(), state.revision, is_complete=True)
        return result, await self._erase_unrecorded(agent_id, erasure)

    async def finish(self, agent_id: str, *, resumes: bool = False) -> None:
        """Complete the purges and erasures of an agent. Raises what the store raises, and may then be called again.

        The removal of a user's records and the end of an agent, which a call may still be at, are continued if they
        stand still for long, or if ``resumes`` is true.
        """
        async with self._locks.setdefault(agent_id, asyncio.Lock()):
            await self._finish(agent_id, resumes=resumes)

    async def end(self, agent_id: str, command: EndAgent, write: Write = UNCONDITIONAL) -> AgentCleared:
        """Complete an agent's erasures, then end it. Raises what ``finish`` raises, and the command's Refusal."""
        for _ in range(END_TRIES_MAX):
            await self.finish(agent_id, resumes=True)
            ended = await self._agents.submit(agent_id, command, write)
            if not ended.is_blocked:
                return ended
        raise StoreUnavailable

    async def end_erased(self, agent_id: str, write: Write) -> Erased[AgentCleared]:
        """End an agent of which nothing is left then, neither in the store nor in the journal.

        Its records are removed first, and then the agent: until it ends, a crash loses nothing by which the erasure is
        completed. Raises what ``finish`` raises, RevisionMismatch, and RequestIdReused.
        """
        if write.request is not None:
            remembered = await self._agents.remembered(agent_id, write.request)
            if remembered is not None:
                return remembered  # type: ignore[return-value]
        async with self._locks.setdefault(agent_id, asyncio.Lock()):
            return await self._end_erased(agent_id, write)

    async def _end_erased(self, agent_id: str, write: Write) -> Erased[AgentCleared]:
        erasure_id, rows, counts = new_id(), 0, Counter[RecordKind]()
        emptying = msgspec.structs.replace(write, request=None)
        ending = msgspec.structs.replace(write, precondition=None)
        for _ in range(END_TRIES_MAX):
            await self._finish(agent_id, resumes=True, but=erasure_id)
            emptied = await self._agents.submit(agent_id, EmptyAgent(erasure_id), emptying)
            emptying = msgspec.structs.replace(emptying, precondition=None)
            counts.update(emptied.counts)
            state = (await self._agents.writer(agent_id)).state
            erasure = state.part(ERASURES).by_id.get(erasure_id)
            if erasure is None:
                erasure = Erasure(erasure_id, b"", self._clock(), emptied.revision, is_complete=True, paths=((),))
                rows += await self._erase(state, (), (erasure,)) if emptied.revision else 0
                cleared = AgentCleared(dict(counts), emptied.revision, deleted=bool(counts))
                return Erased(cleared, dict(counts), "", emptied.revision, erasure.time, rows)
            rows += await self._erase(state, (), (erasure,))
            ended = await self._agents.submit(agent_id, EndEmptyAgent(erasure, dict(counts), rows), ending)
            if not ended.is_provisional:
                log.info("agent erased", extra={"agent_id": agent_id, "rows": rows})
                return ended
        raise StoreUnavailable

    async def _finish(self, agent_id: str, *, resumes: bool, but: str = "") -> None:
        """Complete the purges and erasures as ``finish`` does, but for one erasure."""
        state = (await self._agents.writer(agent_id)).state
        for erasure in state.part(ERASURES).by_id.values():
            if not erasure.is_complete and (resumes or self._stands_still(erasure)):
                command = ForgetUser(erasure.erasure_id, erasure.digest, erasure.blocks_reimport)
                await self._remove(agent_id, command, UNCONDITIONAL)
        state = (await self._agents.writer(agent_id)).state
        purged = tuple(sorted(state.part(MEMORIES).unerased))
        begun = [each for each in state.part(ERASURES).by_id.values() if each.is_complete]
        erasures = tuple(
            each for each in begun if each.erasure_id != but and (not each.ends or resumes or self._stands_still(each))
        )
        if not (purged or erasures):
            return
        rows = await self._erase(state, purged, erasures)
        await self._note_rows(agent_id, erasures, rows)
        if purged:
            await self._agents.submit(agent_id, FinishPurges(purged, state.revision))
        if finished := tuple(each for each in erasures if not each.ends):
            await self._agents.submit(agent_id, FinishErasures(finished))
        for each in erasures:
            if each.ends:
                await self._agents.submit(agent_id, EndEmptyAgent(each, {}, rows))
        fields = {"agent_id": agent_id, "memories": len(purged), "erasures": len(erasures), "rows": rows}
        log.info("content erased", extra=fields)

    def _stands_still(self, erasure: Erasure) -> bool:
        return self._clock() - erasure.time > REMOVAL_RESUME_NS

    async def _note_rows(self, agent_id: str, erasures: Sequence[Erasure], rows: int) -> None:
        """Add the number of rewritten rows to the results of these erasures that repeated requests return."""
        erasure_ids = frozenset(each.erasure_id for each in erasures)
        for erasure_id in erasure_ids:
            self._rows.put(erasure_id, rows)

        def counted(result: Result) -> Result:
            if isinstance(result, Erased) and result.erasure_id in erasure_ids:
                return msgspec.structs.replace(result, journal_rows=rows)
            return result

        (await self._agents.writer(agent_id)).rewrite_remembered(counted)

    async def _remove(self, agent_id: str, command: ForgetUser, write: Write) -> UserForgotten:
        result = await self._agents.submit(agent_id, command, write)
        without_condition = msgspec.structs.replace(write, precondition=None)
        while not result.is_complete:
            command = msgspec.structs.replace(command, counts=result.counts)
            result = await self._agents.submit(agent_id, command, without_condition)
        return result

    async def _erase_unrecorded(self, agent_id: str, erasure: Erasure) -> int:
        async with self._locks.setdefault(agent_id, asyncio.Lock()):
            return await self._erase((await self._agents.writer(agent_id)).state, (), (erasure,))

    async def _erase(self, state: AgentState, purged: Collection[str], erasures: Collection[Erasure]) -> int:
        """Strip an agent's rows until nothing is left that is to be erased. Return the number of rewritten rows.

        Another daemon may strip a second record from a row after this one read it and before this one writes it, which
        would bring that record back. If daemons share the store, all purges and erasures found in the journal are
        therefore stripped, until a pass finds none. Events say last whose the records were that others belong to: until
        then, a crash loses nothing by which what is left can be found.
        """
        if purged or any(map(_may_be_indexed, erasures)):
            await self._forget_indexes(state.agent_id)
        target, rows = Target(state.revision), 0
        for memory_id in purged:
            target.add_purge(memory_id, state.part(MEMORIES).purges[memory_id].revision)
        for erasure in erasures:
            target.add(erasure)
        is_shared = self._store.sharing is not None
        wanted = None if is_shared else frozenset(each.revision for each in erasures)
        ownership, surveyed = Ownership(), None
        for _ in range(ERASURE_PASSES_MAX):
            known = target.size
            if surveyed != known:
                ownership, surveyed = await self._ownership(state, target), known
            stripper = _stripper(state, target, ownership, keeps_owners=bool(target.users))
            rewritten = await erase_from_journal(self._store, state.agent_id, _finding(target, stripper, wanted))
            rows += rewritten
            if target.size == known and not (rewritten and is_shared):
                if target.users:
                    last = _stripper(state, target, ownership, keeps_owners=False)
                    rows += await erase_from_journal(self._store, state.agent_id, last.stripped)
                self._forget_pages()
                return rows
        raise StoreUnavailable

    async def _ownership(self, state: AgentState, target: Target) -> Ownership:
        """Return whose the records in the journal were, as far as forgotten users are concerned."""
        ownership = Ownership()
        if target.users:
            async for data in journal_of(self._store, state.agent_id):
                for event in data.events:
                    ownership.add(event, target)
        return ownership


def _may_be_indexed(erasure: Erasure) -> bool:
    """Return True if an index may have records of an erasure: of a user, of the whole agent, or of an indexed kind."""
    return not erasure.paths or any(not path or path[0] in _INDEXED_KINDS for path in erasure.paths)


def _stripper(state: AgentState, target: Target, ownership: Ownership, *, keeps_owners: bool) -> Stripper:
    # A memory has the id of the fragment that it was made of. A fragment that exists now is another one.
    erased = (path[1] for path in target.paths if path[:1] == (MEMORIES.name,) and len(path) > 1)
    memory_ids = {*target.purges, *erased}
    fragment_ids = frozenset(each for each in memory_ids if each not in state.part(FRAGMENTS).sequences)
    return Stripper(target, ownership, fragment_ids, keeps_owners=keeps_owners)


def _finding(target: Target, stripper: Stripper, revisions: Collection[int] | None) -> Strip:
    """Return the function that strips rows, and adds the purges and erasures that they report to the target.

    Only those of these revisions are added; None for all.
    """

    def strip(data: JournalData, revision: int) -> JournalData | None:
        target.add_events(data.events if revisions is None else (e for e in data.events if e.revision in revisions))
        target.add_changes(data.changes)
        return stripper.stripped(data, revision)

    return strip
