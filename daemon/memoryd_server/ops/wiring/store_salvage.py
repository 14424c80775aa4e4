"""The composition of `memoryd check` and `memoryd salvage`: what is whole in a data directory, and its rescue."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from memoryd_server.domain.error import Refusal, StoreUnavailable
from memoryd_server.domain.lifecycle.record import decode_record, state_of
from memoryd_server.ops.config.store import factory_of
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.error import OperatorError
from memoryd_server.ports.inspection import AgentCondition, StoreInspection
from memoryd_server.ports.store import Commit, Store, StoredAgent
from memoryd_server.ports.store_factory import StoreOptions

_SCHEME = "sqlite"
"""The scheme of the stores whose files are in a data directory."""


class Salvaged(msgspec.Struct, frozen=True):
    """The result of a rescue: how many agents and records were saved, and the agents that were not.

    ``history_lost`` names agents that were saved of whose history a part was damaged. ``loss`` is what the store as a
    whole has lost; empty for nothing.
    """

    agents: int
    records: int
    damaged: tuple[AgentCondition, ...]
    history_lost: tuple[str, ...]
    loss: str


@contextlib.contextmanager
def inspected(directory: Path) -> Iterator[StoreInspection]:
    """Open the store in a data directory for inspection. Raises OperatorError if there is none, and DataDamaged."""
    inspection = factory_of(_SCHEME).new_inspection(StoreOptions(url=_SCHEME, data_directory=directory.absolute()))
    try:
        inspection.open()
    except StoreUnavailable as error:
        raise OperatorError(str(error.__cause__ or error), error.reason) from error
    try:
        yield inspection
    finally:
        inspection.close()


def conditions(inspection: StoreInspection) -> Iterator[AgentCondition]:
    """Yield the condition of each agent, after decoding all its records."""
    for condition in inspection.conditions():
        yield condition if condition.error else _decoded(inspection, condition)


def _decoded(inspection: StoreInspection, condition: AgentCondition) -> AgentCondition:
    try:
        _load(inspection, condition.agent_id)
    except Refusal as refusal:
        return msgspec.structs.replace(condition, error=refusal.message)
    return condition


def _load(inspection: StoreInspection, agent_id: str) -> StoredAgent:
    """Return an agent whose records make a valid state. Raises Refusal."""
    agent = inspection.load(agent_id)
    assert agent is not None
    values = [decode_record(record.kind, record.data) for record in agent.records]
    state_of(agent_id, agent.head.revision, agent.head.create_time, agent.head.update_time, values)
    return agent


async def salvage(source: Path, target: Path, *, accepts_loss: bool) -> Salvaged:
    """Write all whole agents of a data directory into a new one, each at its revision. The source is not changed.

    Raises OperatorError if the target is not empty, or if the source has lost commits of unknown agents, unless the
    caller ``accepts_loss``. Raises Refusal.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OperatorError(f"{target} exists and is not empty: name a new directory")
    with inspected(source) as inspection:
        if inspection.loss and not accepts_loss:
            raise OperatorError(
                f"{inspection.loss}. The agents that can be read may lack their last changes, and nobody knows which "
                "do. Nothing was written; --accept-loss saves them as they are"
            )
        factory = factory_of(_SCHEME)
        options = StoreOptions(url=_SCHEME, data_directory=target.absolute())
        with DataDirectory(target.absolute()):
            store = factory.new_store(options)
            await store.open()
            try:
                return await _copied(inspection, store)
            finally:
                await store.close()


async def _copied(inspection: StoreInspection, target: Store) -> Salvaged:
    agents = records = 0
    damaged: list[AgentCondition] = []
    history_lost: list[str] = []
    for condition in conditions(inspection):
        if condition.error:
            damaged.append(condition)
            continue
        agent = inspection.load(condition.agent_id)
        assert agent is not None
        await target.commit(Commit(agent.head, 0, agent.records))
        agents, records = agents + 1, records + len(agent.records)
        if condition.journal_damaged:
            history_lost.append(condition.agent_id)
    return Salvaged(agents, records, tuple(damaged), tuple(history_lost), inspection.loss)
