"""ServerService: the facts about this server."""

from collections.abc import Sequence

import msgspec

from memoryd.v1 import server_service_pb2 as pb
from memoryd_server.domain.agents.tier import Tier
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.engine.agents.tiers import Tiers
from memoryd_server.ports.room import Room
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.gate import Gate
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX, MESSAGE_ELEMENTS_MAX

DURABILITIES = {
    "synced": pb.DURABILITY_SYNCED,
    "journaled": pb.DURABILITY_JOURNALED,
    "memory": pb.DURABILITY_MEMORY,
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
    """Serves the facts about this server."""

    def __init__(self, facts: ServerFacts, gate: Gate, room: Room | None, tiers: Tiers) -> None:
        self._facts = facts
        self._gate = gate
        self._room = room
        self._tiers = tiers

    async def get_server_info(self, request: pb.GetServerInfoRequest, call: Call) -> pb.GetServerInfoResponse:
        """Return version, limits and their usage, backend, durability and state of this server."""
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
            state=self._state(),
            usage=self._gate.pools.usage(),
            embedder=None if facts.embedder is None else pb.Embedder(**msgspec.structs.asdict(facts.embedder)),
            tiers=[_tier_message(tier, facts.limits) for _, tier in sorted(self._tiers.defined.items())],
        )

    def _state(self) -> pb.ServerState:
        if self._gate.draining:
            return pb.SERVER_STATE_DRAINING
        return pb.SERVER_STATE_SERVING if self._room is None or self._room.is_left else pb.SERVER_STATE_READ_ONLY


def _tier_message(tier: Tier, limits: Limits) -> pb.Tier:
    own, common = (msgspec.structs.asdict(each) for each in (tier.limits, limits))
    return pb.Tier(
        name=tier.name,
        features=sorted(each.value for each in tier.features),
        limits={name: value for name, value in own.items() if value != common[name]},
    )
