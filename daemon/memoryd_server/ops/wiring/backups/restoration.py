"""The restore of a backup: into an empty store, or of one agent into a running daemon."""

import asyncio
import contextlib
import secrets
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.limit import PAGE_SIZE_DEFAULT
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.clock import new_nonce
from memoryd_server.engine.images.initial_restore import is_empty
from memoryd_server.engine.images.migration import row_of_copy
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import ANNOUNCED_S, RESTORED_COMMITS_TOGETHER
from memoryd_server.ops.restore_mark import BACKUP, RestoreMarkFile
from memoryd_server.ops.wiring.backups.moment import Moment, chain_at, erased_since, replayed, shares
from memoryd_server.ops.wiring.opened_store import ensure_unused, failures_named, locked, opened
from memoryd_server.ports.store import NEVER, AgentQuery, Commit, Sharing, Store, StoredAgent, Tally, all_agents
from memoryd_server.ports.store_factory import StoreOptions
from memoryd_server.stores.backups.agent_snapshot import write_agent_snapshot
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Chain

if TYPE_CHECKING:
    from memoryd import Client


class BackupRestored(msgspec.Struct, frozen=True):
    """The result of a restore into a store, which undoes erasures of the agents in ``erased_since``."""

    agents: int
    records: int
    erased_since: tuple[str, ...] = ()


async def restore_store(backup: BackupDirectory, moment: Moment, patterns: AgentPatterns, url: str) -> BackupRestored:
    """Fill an empty store with the agents of a moment. Agents keep their revisions; the journal is not restored.

    A restore that is interrupted leaves a mark, with which no daemon serves the store; another run begins again. Raises
    OperatorError, and what the backup and the store raise.
    """
    chain = chain_at(backup, moment)
    with refused_as("--to-store"):
        options = StoreOptions(url=url)
        factory = factory_of(url)
        target, directory = factory.new_store(options), factory.directory(options)
    with failures_named(), locked(directory):
        async with opened(target) as store, _announced(store):
            mark = _Mark(store, directory)
            if await mark.is_there():
                await _end_all(store)
            elif not await is_empty(store):
                raise OperatorError("the target is not empty: name a new one")
            await mark.write()
            done = await _fill(store, backup, chain, moment, patterns)
            # A daemon that started just before the mark was there would serve what is only being restored.
            await ensure_unused(store, own=1)
            await store.prune_journal(0, 0)
            await mark.clear()
    erased = await asyncio.to_thread(erased_since, backup, moment, patterns.matches)
    return msgspec.structs.replace(done, erased_since=tuple(erased))


@contextlib.asynccontextmanager
async def _announced(store: Store) -> AsyncIterator[None]:
    """Count as a daemon that uses a shared store, so that another restore is refused. Raises as ``ensure_unused``."""
    if store.sharing is None:
        yield
        return
    await ensure_unused(store)
    # Before looking again: of two that begin together, at least one then finds the other.
    await store.sharing.duties()
    await ensure_unused(store, own=1)
    announcing = asyncio.create_task(_announce(store.sharing))
    try:
        yield
    finally:
        announcing.cancel()
        await asyncio.wait((announcing,))


async def _announce(sharing: Sharing) -> None:
    while True:
        await sharing.duties()
        await asyncio.sleep(ANNOUNCED_S)


async def _end_all(store: Store) -> None:
    """End the agents that an interrupted run left: this one may be of another moment, or of other agents.

    The rows are pruned at the end of the restore, and with them the heads of agents that it does not bring back.
    """
    async for each in all_agents(store, AgentQuery(PAGE_SIZE_DEFAULT)):
        there = await store.load(each.head.agent_id)
        if there is not None:
            head = msgspec.structs.replace(there.head, record_count=0, next_deadline=None, ended=True, tally=Tally())
            await store.commit(_commit(StoredAgent(head, ()), there, row_of_copy(StoredAgent(head, ()))))


async def _fill(
    store: Store, backup: BackupDirectory, chain: Chain, moment: Moment, patterns: AgentPatterns
) -> BackupRestored:
    agents = records = 0
    for selects in shares(chain, patterns):
        replay = await asyncio.to_thread(replayed, backup, chain, moment, selects)
        waiting: list[asyncio.Future[int]] = []
        for agent in replay.agents():
            waiting.append(await _put(store, agent))
            agents += 1
            records += len(agent.records)
            if len(waiting) == RESTORED_COMMITS_TOGETHER:
                await asyncio.gather(*waiting)
                waiting = []
        await asyncio.gather(*waiting)
    return BackupRestored(agents, records)


async def _put(store: Store, agent: StoredAgent) -> "asyncio.Future[int]":
    there = await store.load(agent.head.agent_id)  # of a run before, which was interrupted
    return store.commit(_commit(agent, there, None if store.sharing is None else row_of_copy(agent)))


def _commit(agent: StoredAgent, there: StoredAgent | None, journal: bytes | None) -> Commit:
    return Commit(
        agent.head,
        0 if there is None else there.head.revision,
        agent.records,
        journal=journal,
        drop_records=True,
        expected_point=NEVER if there is None else there.point,
        nonce=new_nonce(),
    )


class _Mark:
    """The note in a target that a restore is under way: a file beside an embedded store, a field of a shared one."""

    def __init__(self, store: Store, directory: Path | None) -> None:
        self._sharing = store.sharing
        self._file = None if directory is None else RestoreMarkFile(directory / "restoring")

    async def is_there(self) -> bool:
        if self._file is not None:
            return self._file.read() == BACKUP
        return self._sharing is not None and await self._sharing.is_restoring()

    async def write(self) -> None:
        if self._file is not None:
            self._file.write(BACKUP)
        if self._sharing is not None:
            await self._sharing.note_restoring(True)

    async def clear(self) -> None:
        if self._file is not None:
            self._file.clear()
        if self._sharing is not None:
            await self._sharing.note_restoring(False)


def restore_agent(client: "Client", backup: BackupDirectory, moment: Moment, agent_id: str, as_agent_id: str) -> int:
    """Replace the memory of an agent of a running daemon by that of one in the backup. Return its new revision.

    Raises OperatorError if the backup does not have the agent at that moment, and what the client raises.
    """
    chain = chain_at(backup, moment)
    found = list(replayed(backup, chain, moment, agent_id.__eq__).agents())
    if not found:
        raise OperatorError(f"{backup.path}: there is no agent {agent_id!r} at that moment")
    snapshot_id = f"restore-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix="memoryd-restore-") as directory:
        file = Path(directory) / "agent.snapshot"
        write_agent_snapshot(file, found[0], backup.key)
        client.import_snapshot(file, snapshot_id=snapshot_id)
    with contextlib.ExitStack() as stack:
        stack.callback(client.delete_snapshot, snapshot_id)
        return client.restore_snapshot(snapshot_id, agent_id=agent_id, as_agent_id=as_agent_id).revision


def patterns_of(texts: Sequence[str]) -> AgentPatterns:
    """Return the agents that an operator names, all for none."""
    return AgentPatterns.of(texts or ("*",))
