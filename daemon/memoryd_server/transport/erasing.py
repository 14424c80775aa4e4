"""Changes that erase what they remove: how they are executed, and the receipt of what was erased."""

from collections.abc import Sequence
from typing import Any

from memoryd.v1.erasure_pb2 import ErasureReceipt
from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.lifecycle.erasing import Erase, Erased
from memoryd_server.domain.limit import PAGE_SIZE_MAX
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.engine.agents.write import Write
from memoryd_server.engine.erasure.erasures import JournalErasures
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.record_count import count_messages


def erasing(command: Command) -> Erase:
    """Return the command that executes another one, and erases what it removes."""
    return Erase(command, new_id())


class Erasing:
    """Executes changes that erase what they remove."""

    def __init__(self, agents: AgentCache, erasures: JournalErasures, snapshots: Snapshots) -> None:
        self._agents = agents
        self._erasures = erasures
        self._snapshots = snapshots

    async def submit(self, agent_id: str, command: Erase, write: Write, call: Call) -> tuple[Any, ErasureReceipt]:
        """Execute a command, and return its result and its receipt once nothing is left of what it removed."""
        erased = await self._agents.submit(agent_id, command, write)
        (receipt,) = await self.complete(agent_id, [(command.command, erased)], call)
        return erased.result, receipt

    async def complete(
        self, agent_id: str, done: Sequence[tuple[Command, Erased[Any]]], call: Call
    ) -> list[ErasureReceipt]:
        """Complete the erasures of one commit, and return the receipt of each. Each has the command and its result."""
        paths = {path for command, erased in done for path in command.removed_paths(erased.result)}
        completed = await self._erasures.complete(agent_id, [erased for _, erased in done], paths)
        return await self.receipts(agent_id, completed, call)

    async def receipts(self, agent_id: str, erased: Sequence[Erased[Any]], call: Call) -> list[ErasureReceipt]:
        """Return the receipts of what one commit erased, with the snapshots that may still contain it."""
        snapshots = await self._snapshots.before(agent_id, erased[-1].revision, erased[-1].time)
        snapshot_ids = [each.snapshot_id for each in snapshots if call.may(Verb.SNAPSHOT, each.agent_id)][
            :PAGE_SIZE_MAX
        ]
        return [
            ErasureReceipt(
                erased=count_messages(each.counts),
                journal_row_count=each.journal_rows,
                snapshot_ids=snapshot_ids,
                snapshot_count=len(snapshots),
            )
            for each in erased
        ]
