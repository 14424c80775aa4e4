"""ServerService: the facts about this server, and the audit of its calls."""

import contextlib
from collections.abc import AsyncGenerator, Sequence

import msgspec

from memoryd.v1 import server_service_pb2 as pb
from memoryd_server.domain.agents.tier import Tier
from memoryd_server.domain.error import AuditOff
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.ports.audit import AuditRecord
from memoryd_server.ports.component import Components, ComponentState, Health
from memoryd_server.transport.access import verbs_of
from memoryd_server.transport.auditing.audit_message import audit_message
from memoryd_server.transport.auditing.audit_trail import AuditTrail
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.agent_filter import agent_filter_of
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.limit import AUDIT_AGENTS_MAX, MESSAGE_BYTES_MAX, MESSAGE_ELEMENTS_MAX

DURABILITIES = {
    "synced": pb.DURABILITY_SYNCED,
    "journaled": pb.DURABILITY_JOURNALED,
    "memory": pb.DURABILITY_MEMORY,
}

COMPONENT_STATES = {
    ComponentState.OK: pb.COMPONENT_STATE_OK,
    ComponentState.DEGRADED: pb.COMPONENT_STATE_DEGRADED,
    ComponentState.FAILED: pb.COMPONENT_STATE_FAILED,
}


class ServerFacts(msgspec.Struct, frozen=True):
    """The facts that do not change while the server runs. ``durability`` is a key of DURABILITIES."""

    version: str
    backend: str
    durability: str
    store_id: str
    start_time: int
    limits: Limits
    capabilities: Sequence[str]
    embedder: EmbeddingIdentity | None


class ServerService:
    """Serves the facts about this server, and the audit of its calls; ``trail`` is None where there is none."""

    def __init__(
        self, facts: ServerFacts, gate: Gate, components: Components, tiers: Tiers, trail: AuditTrail | None = None
    ) -> None:
        self._facts = facts
        self._gate = gate
        self._components = components
        self._tiers = tiers
        self._trail = trail

    async def get_server_info(self, request: pb.GetServerInfoRequest, call: Call) -> pb.GetServerInfoResponse:
        """Return the facts about this server, its state, the use of its limits, and the verbs of the caller."""
        facts = self._facts
        return pb.GetServerInfoResponse(
            version=facts.version,
            capabilities=facts.capabilities,
            limits={
                **msgspec.structs.asdict(facts.limits),
                "message_bytes": MESSAGE_BYTES_MAX,
                "message_elements": MESSAGE_ELEMENTS_MAX,
            },
            backend=facts.backend,
            durability=DURABILITIES[facts.durability],
            store_id=facts.store_id,
            start_time=timestamp(facts.start_time),
            state=self._state(health := self._components.read()),
            components=map(_message, health),
            usage=self._gate.pools.usage(),
            embedder=None if facts.embedder is None else pb.Embedder(**msgspec.structs.asdict(facts.embedder)),
            tiers=[_tier_message(tier, facts.limits) for _, tier in sorted(self._tiers.defined.items())],
            caller_verbs=verbs_of(call.caller),
        )

    async def watch_audit(
        self, request: pb.WatchAuditRequest, call: Call
    ) -> AsyncGenerator[pb.WatchAuditResponse, None]:
        """Stream the audit records of calls from now on."""
        agents = agent_filter_of("agent_ids", request.agent_ids)
        call.require_agents(agents)
        if self._trail is None:
            raise AuditOff
        denied_only = request.denied_only

        def wanted(record: AuditRecord) -> bool:
            return (record.denied or not denied_only) and _is_about(record, agents)

        with self._trail.watch(wanted) as watch:
            yield pb.WatchAuditResponse()
            async with contextlib.aclosing(watch.records()) as records:
                async for record, missed_count in records:
                    yield pb.WatchAuditResponse(record=audit_message(record), missed_count=missed_count)

    def _state(self, health: Sequence[Health]) -> pb.ServerState:
        if self._gate.draining:
            return pb.SERVER_STATE_DRAINING
        if self._components.fault:
            return pb.SERVER_STATE_UNAVAILABLE
        is_full = any(each.name == "disk" and each.state is not ComponentState.OK for each in health)
        return pb.SERVER_STATE_READ_ONLY if is_full else pb.SERVER_STATE_SERVING


def _message(health: Health) -> pb.ServerComponent:
    return pb.ServerComponent(
        name=health.name,
        state=COMPONENT_STATES[health.state],
        reason=health.reason,
        start_time=timestamp(health.since),
    )


def _is_about(record: AuditRecord, agents: AgentPatterns) -> bool:
    """Return True if all agents of the call match, of which it has some, or if every agent does."""
    if agents.is_all:
        return True
    # A record that is full may lack agents of its call.
    return 0 < len(record.agent_ids) < AUDIT_AGENTS_MAX and agents.uncovered(AgentPatterns.of(record.agent_ids)) is None


def _tier_message(tier: Tier, limits: Limits) -> pb.Tier:
    own, common = (msgspec.structs.asdict(each) for each in (tier.limits, limits))
    return pb.Tier(
        name=tier.name,
        features=sorted(each.value for each in tier.features),
        limits={name: value for name, value in own.items() if value != common[name]},
    )
