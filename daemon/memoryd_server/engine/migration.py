"""Moves all agents from one store to another, each at its revision.

The source may be in use: what changes while it is read is found by the next run, which copies only what differs. The
journal does not come along: who resumes a watch begins anew, and request ids are remembered by the store that saw them.
"""

import hashlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

import msgspec

from memoryd_server.domain.limit import PAGE_SIZE_DEFAULT
from memoryd_server.engine.clock import new_nonce
from memoryd_server.engine.journal import RecordChange, encode_row
from memoryd_server.ports.store import NEVER, AgentHead, Commit, Store, StoredAgent

Report = Callable[[str, int, int], None]
"""Told of each agent: what is being done, how many agents are done, and how many there are."""

_NAMES_TOLD_MAX = 10


class AgentSource(Protocol):
    """What is read of the store that is left; see ``ports.store.Store``."""

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """See the port."""

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """See the port."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """See the port."""


class Migrated(msgspec.Struct, frozen=True):
    """What a run did. ``checksum`` is that of all agents, the same on both sides unless something differs.

    ``differing`` names agents, not all if there are many, that are not the same on both sides; ``foreign`` those that
    the source has never had, which are left alone.
    """

    agents: int
    records: int
    copied: int
    ended: int
    checksum: str
    differing: tuple[str, ...]
    foreign: tuple[str, ...]


class Migration:
    """Copies, then compares what is in both."""

    def __init__(self, source: AgentSource, target: Store, report: Report) -> None:
        self._source = source
        self._target = target
        self._report = report
        self._copied = 0
        self._ended = 0
        self._foreign: list[str] = []

    async def run(self) -> Migrated:
        """Raises what the stores raise; then what was copied stays, and another run goes on."""
        total = 0
        async for _ in _heads(self._source):
            total += 1
        await self._copy(total)
        await self._end_those_that_ended()
        if self._target.sharing is not None and (self._copied or self._ended):
            # The rows of copying tell nothing of what happened before: who asks for that is told that it is gone.
            await self._target.prune_journal(0, 0)
        return await self._verify(total)

    async def _copy(self, total: int) -> None:
        done = 0
        async for head in _heads(self._source):
            if await self._target.load_head(head.agent_id) != head:
                stored = await self._source.load(head.agent_id)
                if stored is not None and not stored.head.ended:
                    await self._put(stored)
                    self._copied += 1
            done += 1
            self._report("copying", done, total)

    async def _put(self, stored: StoredAgent) -> None:
        there = await self._target.load(stored.head.agent_id)
        journal = None
        if self._target.sharing is not None:
            changes = tuple(RecordChange(each.kind, each.key, each.data) for each in stored.records)
            journal = encode_row(
                (), (), changes, drops_records=True, ends=stored.head.ended, next_deadline=stored.head.next_deadline
            )
        await self._target.commit(
            Commit(
                stored.head,
                0 if there is None else there.head.revision,
                stored.records,
                journal=journal,
                drop_records=True,
                expected_point=NEVER if there is None else there.point,
                nonce=new_nonce(),
            )
        )

    async def _end_those_that_ended(self) -> None:
        async for head in _heads(self._target):
            here = await self._source.load_head(head.agent_id)
            if here is None:
                self._foreign.append(head.agent_id)
            elif here.ended:
                await self._put(StoredAgent(here, ()))
                self._ended += 1

    async def _verify(self, total: int) -> Migrated:
        all_agents = hashlib.blake2b(digest_size=16)
        agents = records = 0
        differing: list[str] = []
        async for head in _heads(self._source):
            here, there = await self._source.load(head.agent_id), await self._target.load(head.agent_id)
            if here is None or there is None or _digest(here) != _digest(there):
                differing.append(head.agent_id)
            else:
                agents += 1
                records += len(there.records)
                all_agents.update(_digest(there))
            self._report("verifying", agents + len(differing), total)
        return Migrated(
            agents,
            records,
            self._copied,
            self._ended,
            all_agents.hexdigest(),
            tuple(differing[:_NAMES_TOLD_MAX]),
            tuple(self._foreign[:_NAMES_TOLD_MAX]),
        )


async def _heads(source: AgentSource) -> AsyncIterator[AgentHead]:
    last = ""
    while heads := await source.list_agents("", last, PAGE_SIZE_DEFAULT):
        for head in heads:
            yield head
        last = heads[-1].agent_id


def _digest(stored: StoredAgent) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(msgspec.msgpack.encode(stored.head))
    for record in sorted(stored.records, key=lambda each: (each.kind, each.key)):
        digest.update(msgspec.msgpack.encode((record.kind, record.key, record.data)))
    return digest.digest()
