"""Erased records that a daemon still has in memory: in results of requests, and in what it keeps for speed."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from memoryd_server.domain.agent.collection import Collected, Collection
from memoryd_server.domain.agent.part import Changes
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.entries.working_memory import EMPTY_ENTRIES
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.erasures.erasure import is_of_user
from memoryd_server.domain.erasures.erasure_part import ERASURES
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.record_path import path_of
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.erasure.ownership import user_of
from memoryd_server.engine.erasure.stripping import stripped_result
from memoryd_server.engine.erasure.target import Target


class Leftovers:
    """An ``AgentObserver`` that drops what is left in memory of erased records and of forgotten users.

    ``drops_of_agent`` are functions that drop what is kept of an agent's records for speed, by the agent's id, such as
    the next pages of listings.
    """

    def __init__(self, agents: AgentCache, drops_of_agent: Iterable[Callable[[str], None]]) -> None:
        self._agents = agents
        self._drops: list[Callable[[], None]] = []
        self._drops_of_agent = list(drops_of_agent)

    def also(self, drop: Callable[[], None]) -> None:
        """Add a function that drops what is kept of the records of all agents."""
        self._drops.append(drop)

    def also_of_agent(self, drop: Callable[[str], None]) -> None:
        """Add a function that drops what is kept of an agent, by the agent's id."""
        self._drops_of_agent.append(drop)

    def note_change(
        self, before: AgentState | None, after: AgentState, changes: Changes | None, *, is_own: bool
    ) -> None:
        """Drop what an erasure leaves, when it begins and once more when it is finished; see ``AgentObserver``."""
        if before is None:
            return
        erases = before.part(ERASURES) is not after.part(ERASURES)
        if erases or before.part(MEMORIES).purges is not after.part(MEMORIES).purges:
            for drop in self._drops:
                drop()
            for drop_of_agent in self._drops_of_agent:
                drop_of_agent(after.agent_id)
        writer = self._agents.peek(after.agent_id)
        if erases and writer is not None:
            erased = _is_erased(before, after)
            writer.rewrite_remembered(lambda result: stripped_result(result, partial(erased, result.revision)))

    def note_gone(self, state: AgentState) -> None:
        """Do nothing: an agent that is evicted takes its remembered results with it."""


def _is_erased(before: AgentState, after: AgentState) -> Callable[[int, Any], bool]:
    """Return the test of a record in the result of a revision: that it is to be erased, or does not exist any more.

    A remembered result does not always say whose it is, and what does not exist any more may have been the user's. The
    price is that a request that is repeated returns its record without content if that was deleted meanwhile.
    """
    erasures = {**before.part(ERASURES).by_id, **after.part(ERASURES).by_id}
    tests = [is_of_user(each.erasure_id, each.digest) for each in erasures.values() if each.digest]
    target = Target(after.revision)
    for each in erasures.values():
        target.add_paths(each.paths, each.revision)

    def is_erased(revision: int, record: Any) -> bool:
        if any(is_of(user_of(record)) for is_of in tests) or target.covers(path_of(record), revision):
            return True
        return not _exists(record, after)

    return is_erased


def _exists(record: Any, state: AgentState) -> bool:
    """Return True if a record with this place exists. A tuple is a part of a plan; see ``stripping.IsErased``."""
    working = state.part(WORKING_MEMORY)
    match record:
        case tuple():
            return state.part(PLAN).aliased(PlanName(plan_id=record[1]).alias) is not None if record else False
        case Entry():
            return record.key in working.entries.get(record.scope_id, EMPTY_ENTRIES)
        case Scope():
            return record.scope_id in working.scopes
        case Fragment():
            return record.fragment_id in state.part(FRAGMENTS).sequences
        case Memory():
            return record.memory_id in state.part(MEMORIES).memories
        case Collected():
            return any(_holds(value, record) for value in state.parts.values() if isinstance(value, Collection))
        case _:
            return True


def _holds(collection: Collection[Any], record: Collected) -> bool:
    found = collection.find(record.group, record.key)
    return found is not None and type(found) is type(record)
