"""Log lines and metrics of fragments: the operation and its counts, never the content."""

import logging

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    FragmentCreated,
    FragmentDeleted,
    FragmentsCleared,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    FragmentsLeased,
    FragmentsSettled,
    LeaseFragments,
)
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry

log = logging.getLogger("memoryd.fragments")


def log_fragment_change(agent_id: str, command: Command, result: Result) -> None:
    """Log the result of a command: a clear at INFO, the others at DEBUG."""
    match command, result:
        case ClearFragments(), FragmentsCleared():
            log.info("fragments cleared", extra={"agent_id": agent_id, "count": result.fragments_cleared})
        case _ if log.isEnabledFor(logging.DEBUG):
            _log_detail(agent_id, command, result)


def _log_detail(agent_id: str, command: Command, result: Result) -> None:
    match result:
        case FragmentCreated():
            log.debug("fragment created", extra={"agent_id": agent_id, "fragment_id": result.fragment_id})
            if result.flushed:
                log.debug("fragments flushed", extra={"agent_id": agent_id, "count": result.flushed})
        case FragmentDeleted():
            log.debug("fragment deleted", extra={"agent_id": agent_id, "found": result.deleted})
        case FragmentsFlushed():
            log.debug("fragments flushed", extra={"agent_id": agent_id, "count": result.fragments_flushed})
        case FragmentsLeased() if result.lease is not None:
            message = "fragments leased" if isinstance(command, LeaseFragments) else "fragment lease renewed"
            log.debug(message, extra={"agent_id": agent_id, "count": len(result.lease.sequences)})
        case FragmentsSettled():
            done = "acknowledged" if isinstance(command, AcknowledgeFragments) else "released"
            log.debug("fragments %s", done, extra={"agent_id": agent_id, "count": result.count})


def measure_fragment_change(telemetry: WorkingMemoryTelemetry, command: Command, result: Result) -> None:
    """Update the metrics with the result of a command."""
    match result:
        case FragmentCreated():
            telemetry.fragments_stored_total.add()
            telemetry.fragments_lost_total["eviction"].add(result.evicted)
            telemetry.fragments_lost_total["expiry"].add(result.expired)
            telemetry.fragments_flushed_total.add(result.flushed)
        case FragmentsFlushed():
            telemetry.fragments_lost_total["expiry"].add(result.expired)
            telemetry.fragments_flushed_total.add(result.fragments_flushed)
        case FragmentsLeased() if result.lease is not None and isinstance(command, LeaseFragments):
            telemetry.fragments_leased_total.add(len(result.lease.sequences))
        case FragmentsSettled() if isinstance(command, AcknowledgeFragments):
            telemetry.fragments_acknowledged_total.add(result.count)
