"""The description of a server."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import method_policy_pb2 as policy_pb
from memoryd.v1 import server_service_pb2 as pb


class Durability(StrEnum):
    """The failure that an acknowledged change survives: a loss of power, a killed process, or none but by snapshots."""

    UNSPECIFIED = "unspecified"
    SYNCED = "synced"
    JOURNALED = "journaled"
    MEMORY = "memory"


class ServerState(StrEnum):
    """The state of a server. READ_ONLY means that its store is full, DRAINING that it is about to stop, and
    UNAVAILABLE that a component has failed that it cannot serve without.
    """

    UNSPECIFIED = "unspecified"
    SERVING = "serving"
    READ_ONLY = "read_only"
    DRAINING = "draining"
    UNAVAILABLE = "unavailable"


class Verb(StrEnum):
    """A right to agents: what a call does to their memory."""

    UNSPECIFIED = "unspecified"
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    WATCH = "watch"
    SNAPSHOT = "snapshot"
    ADMIN = "admin"


class ComponentState(StrEnum):
    """The health of a component. With DEGRADED the server serves, with FAILED it does not."""

    UNSPECIFIED = "unspecified"
    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"


_DURABILITY = EnumWords(pb.Durability, "DURABILITY")
_STATE = EnumWords(pb.ServerState, "SERVER_STATE")
_COMPONENT_STATE = EnumWords(pb.ComponentState, "COMPONENT_STATE")
_VERB = EnumWords(policy_pb.MethodVerb, "METHOD_VERB")


@dataclass(frozen=True, slots=True)
class Embedder:
    """The model that makes the vectors of memories. Only vectors of the same model, version and size are compared."""

    model: str
    version: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier of agents: the features that it has, and the limits that are lower for it than those of the server."""

    name: str
    features: tuple[str, ...]
    limits: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ServerComponent:
    """The health of a component, such as "store" or "disk", since ``start_time``. A fault has a ``reason``."""

    name: str
    state: ComponentState
    reason: str
    start_time: datetime


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """The description of a server. ``limits`` maps names to maxima: sizes in bytes, durations in milliseconds;
    ``usage`` how much of those that bound concurrent calls is in use.

    ``caller_verbs`` are those that the caller has for at least one agent.

    ``embedder`` is None if the server has none: then memories are found by their words, and by the vectors that callers
    give. ``tiers`` are those that the server's policy defines.
    """

    version: str
    capabilities: tuple[str, ...]
    limits: Mapping[str, int]
    usage: Mapping[str, int]
    backend: str
    durability: Durability
    store_id: str
    start_time: datetime
    state: ServerState
    embedder: Embedder | None
    components: tuple[ServerComponent, ...] = ()
    tiers: tuple[Tier, ...] = ()
    caller_verbs: tuple[Verb, ...] = ()


def server_from(message: pb.GetServerInfoResponse) -> ServerInfo:
    """Return the server of a message."""
    return ServerInfo(
        version=message.version,
        capabilities=tuple(message.capabilities),
        limits=dict(message.limits),
        usage=dict(message.usage),
        backend=message.backend,
        durability=_DURABILITY.word(Durability, message.durability),
        store_id=message.store_id,
        start_time=datetime_from(message.start_time),
        state=_STATE.word(ServerState, message.state),
        embedder=_embedder_from(message.embedder) if message.HasField("embedder") else None,
        tiers=tuple(Tier(each.name, tuple(each.features), dict(each.limits)) for each in message.tiers),
        components=tuple(map(_component_from, message.components)),
        caller_verbs=tuple(_VERB.word(Verb, each) for each in message.caller_verbs),
    )


def _component_from(message: pb.ServerComponent) -> ServerComponent:
    return ServerComponent(
        name=message.name,
        state=_COMPONENT_STATE.word(ComponentState, message.state),
        reason=message.reason,
        start_time=datetime_from(message.start_time),
    )


def _embedder_from(message: pb.Embedder) -> Embedder:
    return Embedder(message.model, message.version, message.dimensions)
