"""Moves all agents from one store to another, each at its revision.

The source may be in use: the next run finds what changed during this one, and copies only what differs. The target must
not be in use. A run replaces an agent of the target only if it is an earlier state of the source's agent, unless it
overwrites. The journal is not copied: watches cannot resume from tokens of the source, and requests that the source
executed are not recognized when repeated. Neither are the heads of ended agents, which the journal belongs with.
"""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable

import msgspec

from memoryd_server.domain.limit import PAGE_SIZE_DEFAULT
from memoryd_server.engine.agents.clock import new_nonce
from memoryd_server.engine.agents.journal import RecordChange, decode_row, encode_row
from memoryd_server.engine.images.content import content_of
from memoryd_server.engine.limit import MIGRATION_ROWS_TOGETHER_MAX
from memoryd_server.ports.store import (
    NEVER,
    AgentHead,
    AgentQuery,
    Commit,
    RevisionConflict,
    Store,
    StoredAgent,
    all_agents,
)
from memoryd_server.ports.store_factory import StoreSource

Report = Callable[[str, int, int], None]
"""Called for each agent with the current step, the number of agents done, and the number of all agents."""

EnsureUnused = Callable[[], Awaitable[None]]
"""Raises if a daemon uses the target."""


class Migrated(msgspec.Struct, frozen=True):
    """The result of a run. ``checksum`` is that of all agents that are equal in both stores.

    ``differing`` names the agents that differ. ``foreign`` names the target's agents that the source does not have, not
    even as ended; they are left unchanged.
    """

    agents: int
    records: int
    copied: int
    ended: int
    checksum: str
    differing: tuple[str, ...]
    foreign: tuple[str, ...]


class WouldOverwrite(Exception):  # noqa: N818 - the operator's cue to choose
    """The migration would overwrite data of the target. Nothing was written.

    ``agent_ids`` names the target's agents that are no earlier states of the source's. ``was_served`` is true if the
    target's journal has changes that clients made.
    """

    def __init__(self, agent_ids: tuple[str, ...], *, was_served: bool) -> None:
        super().__init__("the target has what the source does not")
        self.agent_ids = agent_ids
        self.was_served = was_served


class Migration:
    """Compares the stores, copies what differs, and compares again.

    If ``overwrites`` is true, the source's agents replace any agents of the same id, and the target's journal is
    emptied whatever it contains.
    """

    def __init__(
        self,
        source: StoreSource,
        target: Store,
        report: Report,
        ensure_unused: EnsureUnused,
        *,
        overwrites: bool = False,
    ) -> None:
        self._source = source
        self._target = target
        self._report = report
        self._ensure_unused = ensure_unused
        self._overwrites = overwrites
        self._writes_journal = False
        self._changed: list[str] = []
        self._lost: list[str] = []
        self._copied = 0
        self._ended = 0

    async def run(self) -> Migrated:
        """Migrate. Raises WouldOverwrite before any write, and RevisionConflict if the target changed meanwhile.

        Also raises what the stores and ``ensure_unused`` raise. Agents copied until then stay, and another run
        continues.
        """
        await self._ensure_unused()
        total = 0
        async for _ in _heads(self._source):
            total += 1
        await self._compare(total)
        if not self._overwrites:
            await self._refuse_to_lose()
        await self._copy()
        # Again, before the journal is emptied: a daemon that started meanwhile would lose its events.
        await self._ensure_unused()
        # The rows of copying, also of an interrupted run, have no history in them. With an empty journal, a watch that
        # asks for earlier events gets an error instead of a gap.
        await self._target.prune_journal(0, 0)
        return await self._verify(total)

    async def _refuse_to_lose(self) -> None:
        was_served = await self._was_served()
        if was_served or self._lost:
            raise WouldOverwrite(tuple(self._lost), was_served=was_served)

    async def _was_served(self) -> bool:
        """Return True if the target's journal has changes of clients. Rows of copying have no events or requests."""
        for shard in range(self._target.shard_count):
            position = await self._target.journal_start(shard) - 1
            is_complete = False
            while not is_complete:
                page = await self._target.read_journal(position, MIGRATION_ROWS_TOGETHER_MAX, shard=shard)
                if any(row.events or row.requests for row in map(decode_row, page.rows)):
                    return True
                position, is_complete = page.end_position, page.complete
        return False

    async def _compare(self, total: int) -> None:
        """Find the agents to copy, and those of the target that this would lose."""
        done = 0
        async for head in _heads(self._source):
            await self._compare_agent(head.agent_id)
            done += 1
            self._report("comparing", done, total)
        async for head in _heads(self._target):
            here = await self._source.load_head(head.agent_id)
            if here is not None and here.ended:
                await self._compare_agent(head.agent_id)

    async def _compare_agent(self, agent_id: str) -> None:
        there = await self._target.load(agent_id)
        here = None if there is None else await self._source.load(agent_id)
        if there is None:
            self._changed.append(agent_id)
        elif here is not None and _digest(here) != _digest(there):
            self._changed.append(agent_id)
            if not _succeeds(here, there):
                self._lost.append(agent_id)

    async def _copy(self) -> None:
        # A watch may have read a journal of the target to its end. Rows after that end make it notice the gap.
        ends = [await self._target.journal_end(shard) for shard in range(self._target.shard_count)]
        self._writes_journal = self._target.sharing is not None or any(ends)
        for done, agent_id in enumerate(self._changed, 1):
            here = await self._source.load(agent_id)
            if here is not None:
                await self._put(here)
            self._report("copying", done, len(self._changed))

    async def _put(self, here: StoredAgent) -> None:
        there = await self._target.load(here.head.agent_id)
        if there is None and here.head.ended:
            return
        if there is not None and not self._overwrites and not _succeeds(here, there):
            raise RevisionConflict(here.head.agent_id)
        await self._target.commit(
            Commit(
                here.head,
                0 if there is None else there.head.revision,
                here.records,
                journal=row_of_copy(here) if self._writes_journal else None,
                drop_records=True,
                expected_point=NEVER if there is None else there.point,
                nonce=new_nonce(),
            )
        )
        self._ended += here.head.ended
        self._copied += not here.head.ended

    async def _verify(self, total: int) -> Migrated:
        every_agent = hashlib.blake2b(digest_size=16)
        agents = records = 0
        differing: list[str] = []
        foreign: list[str] = []
        async for head in _heads(self._source):
            here, there = await self._source.load(head.agent_id), await self._target.load(head.agent_id)
            if here is None or there is None or _digest(here) != _digest(there):
                differing.append(head.agent_id)
            else:
                agents += 1
                records += len(there.records)
                every_agent.update(_digest(there))
            self._report("verifying", agents + len(differing), total)
        async for head in _heads(self._target):
            known = await self._source.load_head(head.agent_id)
            if known is None:
                foreign.append(head.agent_id)
            elif known.ended:
                differing.append(head.agent_id)
        return Migrated(
            agents,
            records,
            self._copied,
            self._ended,
            every_agent.hexdigest(),
            tuple(dict.fromkeys(differing)),
            tuple(foreign),
        )


async def _heads(source: StoreSource) -> AsyncIterator[AgentHead]:
    async for each in all_agents(source, AgentQuery(PAGE_SIZE_DEFAULT)):
        yield each.head


def row_of_copy(agent: StoredAgent) -> bytes:
    """Return a row from which a daemon can update a loaded agent. It has no events: nothing happened to the agent."""
    changes = tuple(RecordChange(each.kind, each.key, each.data) for each in agent.records)
    head = agent.head
    return encode_row((), (), changes, drops_records=True, ends=head.ended, next_deadline=head.next_deadline)


def _succeeds(here: StoredAgent, there: StoredAgent) -> bool:
    """Return True if ``there`` is an earlier state of ``here``, or differs only in what needs no new revision."""
    if here.head.revision == there.head.revision:
        return content_of(here) == content_of(there)
    # With another creation time, it is the agent created again after its end, or an unrelated one of the same id.
    is_same_life = here.head.create_time == there.head.create_time
    began_later = here.head.create_time >= there.head.update_time
    return here.head.revision > there.head.revision and (is_same_life or began_later)


def _digest(stored: StoredAgent) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(msgspec.msgpack.encode(stored.head))
    for record in sorted(stored.records, key=lambda each: (each.kind, each.key)):
        digest.update(msgspec.msgpack.encode((record.kind, record.key, record.data)))
    return digest.digest()
