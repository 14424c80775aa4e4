"""Log lines and metrics of memories: the operation and its counts, never the content."""

import logging

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.fragments.lease_change import ConsolidateFragments
from memoryd_server.domain.memories.changes.memory_change import MemoryChanged, RestoreMemory
from memoryd_server.domain.memories.changes.memory_creation import CreateMemories, CreateMemoryOutcome, MemoriesCreated
from memoryd_server.domain.memories.changes.memory_removal import ForgetMemory, MemoryForgotten, PurgeMemory
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.long_term_memory")


def log_memory_change(agent_id: str, command: Command, result: Result) -> None:
    """Log the result of a command: a purge at INFO, the others at DEBUG."""
    if isinstance(command, PurgeMemory):
        log.info("memory purged", extra={"agent_id": agent_id, "memory_id": command.memory_id})
    elif log.isEnabledFor(logging.DEBUG):
        _log_detail(agent_id, command, result)


def _log_detail(agent_id: str, command: Command, result: Result) -> None:
    match command, result:
        case CreateMemories() | ConsolidateFragments(), MemoriesCreated():
            creates = command.creates if isinstance(command, ConsolidateFragments) else command
            for draft, created in zip(creates.drafts, result.created, strict=True):
                log.debug(
                    "memory %s",
                    created.outcome.name.lower().replace("_", " "),
                    extra={
                        "agent_id": agent_id,
                        "memory_id": created.memory_id,
                        "memory_type": draft.type.name.lower(),
                        "content_length": len(draft.content),
                    },
                )
        case ForgetMemory(), MemoryForgotten():
            log.debug("memory forgotten", extra={"agent_id": agent_id, "memory_id": command.memory_id})
        case RestoreMemory(), MemoryChanged():
            log.debug("memory restored", extra={"agent_id": agent_id, "memory_id": command.memory_id})
        case _:
            log.debug("memory changed", extra={"agent_id": agent_id, "operation": type(command).__name__})


def measure_memory_change(telemetry: WorkingMemoryTelemetry, result: Result) -> None:
    """Update the metrics with the result of a command."""
    if isinstance(result, MemoriesCreated):
        for created in result.created:
            if created.memory is not None and created.outcome is CreateMemoryOutcome.CREATED:
                telemetry.memories_created[created.memory.type.name.lower()].add()
