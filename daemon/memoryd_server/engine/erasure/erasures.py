"""Erasures: what was purged, or was a forgotten user's, is in no record and no journal row once a call returns."""

import logging
from collections.abc import Callable, Collection

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.erasures.erasure import Erasure, user_digest
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.lifecycle.agent_change import AgentCleared, EndAgent
from memoryd_server.domain.lifecycle.user_removal import FinishErasures, ForgetUser, UserForgotten
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.memories.memory_removal import FinishPurges
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock, new_id
from memoryd_server.engine.agents.journal import JournalData
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.erasure.journal_pass import Strip, erase_from_journal, journal_of
from memoryd_server.engine.erasure.ownership import Ownership
from memoryd_server.engine.erasure.stripping import Stripper
from memoryd_server.engine.erasure.target import Target
from memoryd_server.engine.limit import END_TRIES_MAX, ERASURE_PASSES_MAX, REMOVAL_RESUME_NS
from memoryd_server.ports.store import Store

log = logging.getLogger("memoryd.erasure")


class JournalErasures:
    """Completes purges and erasures. An interrupted one has a record, by which it is completed later.

    An agent ends only after all of its own are complete. ``forget_pages`` drops what was read of the journal before.
    """

    def __init__(
        self, store: Store, agents: AgentCache, clock: Clock, forget_pages: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self._forget_pages = forget_pages
        self._agents = agents
        self._clock = clock

    async def forget_user(self, agent_id: str, user_id: str, write: Write, *, blocks_reimport: bool) -> UserForgotten:
        """Remove a user's records of all kinds, and erase what the journal has of the user.

        Large numbers of records are removed by several commits. The precondition holds for the first of them.
        """
        erasure_id = new_id()
        command = ForgetUser(erasure_id, user_digest(user_id, erasure_id), blocks_reimport)
        result = await self._remove(agent_id, command, write)
        state = (await self._agents.writer(agent_id)).state
        if state.exists:
            await self.finish(agent_id)
        elif state.revision:
            # Nothing can be recorded of an agent that has ended: a caller whose call is interrupted must repeat it.
            erasure = Erasure(erasure_id, command.user_digest, self._clock(), state.revision, is_complete=True)
            await self._erase(state, (), (erasure,))
        return result

    async def finish(self, agent_id: str, *, resumes: bool = False) -> None:
        """Complete the purges and erasures of an agent. Raises what the store raises, and may then be called again.

        The removal of a user's records, which a call may still be at, is continued if it stands still for long, or if
        ``resumes`` is true.
        """
        state = (await self._agents.writer(agent_id)).state
        for erasure in state.part(ERASURES).by_id.values():
            if not erasure.is_complete and (resumes or self._clock() - erasure.time > REMOVAL_RESUME_NS):
                command = ForgetUser(erasure.erasure_id, erasure.digest, erasure.blocks_reimport)
                await self._remove(agent_id, command, UNCONDITIONAL)
        state = (await self._agents.writer(agent_id)).state
        purged = tuple(sorted(state.part(MEMORIES).unerased))
        erasures = tuple(each for each in state.part(ERASURES).by_id.values() if each.is_complete)
        if not (purged or erasures):
            return
        rows = await self._erase(state, purged, erasures)
        if purged:
            await self._agents.submit(agent_id, FinishPurges(purged, state.revision))
        if erasures:
            await self._agents.submit(agent_id, FinishErasures(erasures))
        fields = {"agent_id": agent_id, "memories": len(purged), "users": len(erasures), "rows": rows}
        log.info("content erased", extra=fields)

    async def end(self, agent_id: str, command: EndAgent, write: Write = UNCONDITIONAL) -> AgentCleared:
        """Complete an agent's erasures, then end it. Raises what ``finish`` raises, and the command's Refusal."""
        for _ in range(END_TRIES_MAX):
            await self.finish(agent_id, resumes=True)
            ended = await self._agents.submit(agent_id, command, write)
            if not ended.is_blocked:
                return ended
        raise StoreUnavailable

    async def _remove(self, agent_id: str, command: ForgetUser, write: Write) -> UserForgotten:
        result = await self._agents.submit(agent_id, command, write)
        without_condition = msgspec.structs.replace(write, precondition=None)
        while not result.is_complete:
            command = msgspec.structs.replace(command, counts=result.counts)
            result = await self._agents.submit(agent_id, command, without_condition)
        return result

    async def _erase(self, state: AgentState, purged: Collection[str], erasures: Collection[Erasure]) -> int:
        """Strip an agent's rows until nothing is left that is to be erased. Return the number of rewritten rows.

        Another daemon may strip a second memory from a row after this one read it and before this one writes it, which
        would bring that memory back. All purges found in the journal, and all erasures that began meanwhile, are
        therefore stripped, until a pass finds none. Events say last whose the records were that others belong to: until
        then, a crash loses nothing by which what is left can be found.
        """
        target, rows = Target(state.revision), 0
        for memory_id in purged:
            target.add_purge(memory_id, state.part(MEMORIES).purges[memory_id].revision)
        for erasure in erasures:
            target.add_user(erasure.erasure_id, erasure.digest, erasure.revision)
        ownership, surveyed = Ownership(), None
        for _ in range(ERASURE_PASSES_MAX):
            known = target.size
            if surveyed != known:
                ownership, surveyed = await self._ownership(state, target), known
            stripper = _stripper(state, target, ownership, keeps_owners=bool(target.users))
            rewritten = await erase_from_journal(self._store, state.agent_id, _finding(target, stripper))
            rows += rewritten
            if not rewritten and target.size == known:
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


def _stripper(state: AgentState, target: Target, ownership: Ownership, *, keeps_owners: bool) -> Stripper:
    # A memory has the id of the fragment that it was made of. A fragment that exists now is another one.
    fragment_ids = frozenset(each for each in target.purges if each not in state.part(FRAGMENTS).sequences)
    return Stripper(target, ownership, fragment_ids, keeps_owners=keeps_owners)


def _finding(target: Target, stripper: Stripper) -> Strip:
    """Return the function that strips rows, and adds the purges and erasures that they report to the target."""

    def strip(data: JournalData, revision: int) -> JournalData | None:
        target.add_events(data.events)
        return stripper.stripped(data, revision)

    return strip
