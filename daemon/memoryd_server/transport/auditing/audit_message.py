"""The messages of audit records."""

from memoryd.v1 import server_service_pb2 as pb
from memoryd_server.ports.audit import AuditPhase, AuditRecord
from memoryd_server.transport.fields.timestamp import duration, timestamp

_PHASES = {
    AuditPhase.CALL: pb.AUDIT_PHASE_CALL,
    AuditPhase.BEGIN: pb.AUDIT_PHASE_BEGIN,
    AuditPhase.END: pb.AUDIT_PHASE_END,
}


def audit_message(record: AuditRecord) -> pb.AuditRecord:
    """Encode a record."""
    return pb.AuditRecord(
        record_time=timestamp(record.time_ns),
        phase=_PHASES[record.phase],
        method=record.method,
        caller=record.caller,
        peer=record.peer,
        agent_ids=record.agent_ids,
        user_id=record.user_id,
        request_id=record.request_id,
        target_id=record.target_id,
        requests=record.requests,
        trace_id=record.trace_id,
        status=record.status,
        reason=record.reason,
        denied=record.denied,
        elapsed_duration=None if record.phase is AuditPhase.BEGIN else duration(record.duration_ns),
        omitted_count=record.omitted_count,
    )
