"""The composition of `memoryd check` and `memoryd salvage`: which agents of a store are whole, and their rescue."""

import contextlib
from collections.abc import AsyncIterator

import msgspec

from memoryd_server.domain.error import Refusal
from memoryd_server.domain.lifecycle.record import decode_record, state_of
from memoryd_server.engine.agents.clock import new_nonce
from memoryd_server.ops.config.store import factory_of, refused_as
from memoryd_server.ops.data_directory import kept_unused
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.wiring.opened_store import ensure_unused, failures_named, locked, opened
from memoryd_server.ports.inspection import InspectedAgent, StoreInspection
from memoryd_server.ports.store import NEVER, AgentQuery, Commit, Store, StoredAgent
from memoryd_server.ports.store_factory import StoreOptions


class Salvaged(msgspec.Struct, frozen=True):
    """The result of a rescue: how many agents and records were saved, and the agents that were not.

    ``loss`` is what the store as a whole has lost; empty for nothing.
    """

    agents: int
    records: int
    damaged: tuple[InspectedAgent, ...]
    loss: str


@contextlib.asynccontextmanager
async def inspected(url: str, setting: str) -> AsyncIterator[StoreInspection]:
    """Open the store at a URL, which a setting names, for inspection. Its files are not used meanwhile.

    Raises OperatorError if there is no store or if a daemon uses its files, and DataDamaged.
    """
    options = StoreOptions(url=url)
    with refused_as(setting):
        factory = factory_of(url)
        inspection, directory = factory.new_inspection(options), factory.directory(options)
    with failures_named(), contextlib.nullcontext() if directory is None else kept_unused(directory):
        async with opened(inspection):
            yield inspection


async def agents_of(inspection: StoreInspection) -> AsyncIterator[InspectedAgent]:
    """Yield each agent of a store, after decoding all its records."""
    async for found in inspection.agents():
        yield found if found.stored is None else _decoded(found, found.stored)


def _decoded(found: InspectedAgent, stored: StoredAgent) -> InspectedAgent:
    head = stored.head
    try:
        values = [decode_record(record.kind, record.data) for record in stored.records]
        state_of(head.agent_id, head.revision, head.create_time, head.update_time, values)
    except Refusal as refusal:
        return msgspec.structs.replace(found, error=refusal.message, stored=None)
    return found


async def salvage(source: str, target: str, *, accepts_loss: bool) -> Salvaged:
    """Write all whole agents of a store into an empty one, each at its revision. The source is not changed.

    Raises OperatorError if the target is not empty, or if the source has lost commits of unknown agents, unless the
    caller ``accepts_loss``. Raises Refusal.
    """
    with refused_as("--to"):
        factory, options = factory_of(target), StoreOptions(url=target)
        if factory.durabilities == ("memory",):
            raise ValueError("ends with this command: name a store that keeps what is saved")
        filled, directory = factory.new_store(options), factory.directory(options)
    async with inspected(source, "--from") as inspection:
        if inspection.loss and not accepts_loss:
            raise OperatorError(
                f"{inspection.loss}. Agents that can be read may lack their last changes, and it is unknown which do. "
                "Nothing was written; --accept-loss saves them as they are"
            )
        if directory is not None and directory.exists() and any(directory.iterdir()):
            raise OperatorError(f"--to: {directory} is not empty: name a new directory")
        with locked(directory):
            async with opened(filled):
                await ensure_unused(filled)
                return await _copied(inspection, filled)


async def _copied(inspection: StoreInspection, target: Store) -> Salvaged:
    if await target.list_agents(AgentQuery(1)):
        raise OperatorError("--to: has agents: name an empty store")
    agents = records = 0
    damaged: list[InspectedAgent] = []
    async for found in agents_of(inspection):
        if found.stored is None:
            damaged.append(found)
            continue
        stored = found.stored
        await target.commit(Commit(stored.head, 0, stored.records, expected_point=NEVER, nonce=new_nonce()))
        agents, records = agents + 1, records + len(stored.records)
    return Salvaged(agents, records, tuple(damaged), inspection.loss)
