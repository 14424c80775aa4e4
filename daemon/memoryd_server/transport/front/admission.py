"""The front end's view of methods and pools, by which it refuses calls without the interpreter."""

from collections.abc import Mapping, Sequence

import msgspec

from memoryd_server.domain.error import (
    MalformedMessage,
    Overloaded,
    Refusal,
    RequestStalled,
    TooLarge,
    Unauthenticated,
)
from memoryd_server.domain.limit import Limits
from memoryd_server.ports.instrument import SECONDS_BOUNDS
from memoryd_server.transport.admission.pool import Pool
from memoryd_server.transport.error import status_of
from memoryd_server.transport.limit import (
    ARRIVAL_LOOK_S,
    ARRIVAL_LOOKS_MAX,
    CALL_METADATA_BYTES_MAX,
    COLLECTED_BYTES_MAX,
    CONNECTION_STREAMS_MAX,
    HANDSHAKE_MS_MAX,
    KEEPALIVE_INTERVAL_MS,
    KEEPALIVE_TIMEOUT_MS,
    MESSAGE_BYTES_MAX,
    MESSAGE_ELEMENTS_MAX,
    PENDING_CALLS_MAX,
)
from memoryd_server.transport.page import Page
from memoryd_server.transport.routes import Admission, Method, unknown_method

_UNLIMITED = 2**32 - 1
_ARRIVAL_S_MAX = ARRIVAL_LOOKS_MAX * ARRIVAL_LOOK_S

FrontStatus = tuple[int, str, bytes]


class FrontSettings(msgspec.Struct, frozen=True):
    """The bounds of connections, which ``threads`` threads serve. An age or a time of idleness of 0 is none.

    Pages of ``origins`` may call, ``*`` is any. ``hosts`` are the names by which web browsers may call, besides those
    that nobody else can own; None where callers are known by their credentials, or the host by its certificate.
    ``pages`` are served to everybody as they are.
    """

    connections_max: int = 10_000
    age_s: float = 0.0
    idle_s: float = 0.0
    threads: int = 1
    streams_max: int = CONNECTION_STREAMS_MAX
    metadata_bytes_max: int = CALL_METADATA_BYTES_MAX
    unsent_bytes_max: int = Limits().response_bytes
    elements_max: int = MESSAGE_ELEMENTS_MAX
    origins: Sequence[str] = ()
    hosts: Sequence[str] | None = None
    pages: Sequence[Page] = ()
    waiting_max: int = PENDING_CALLS_MAX
    connection_waiting_max: int = CONNECTION_STREAMS_MAX
    handshake_s: float = HANDSHAKE_MS_MAX / 1_000
    arrival_s: float = _ARRIVAL_S_MAX
    keep_alive_s: float = KEEPALIVE_INTERVAL_MS / 1_000
    keep_alive_timeout_s: float = KEEPALIVE_TIMEOUT_MS / 1_000
    duration_bounds_s: Sequence[float] = SECONDS_BOUNDS


class FrontMethod(msgspec.Struct, frozen=True):
    """A method as the front end knows it; ``pool`` is the number of its pool.

    ``streams`` is True if its requests are a stream, ``answers`` if its responses are. ``request`` and ``response`` are
    the types of their messages, empty for those that have no JSON.
    """

    path: str
    pool: int
    streams: bool
    answers: bool
    is_read: bool
    request: str
    response: str
    needs_credentials: bool
    bytes_max: int
    too_large: FrontStatus


class FrontPool(msgspec.Struct, frozen=True):
    """A pool as the front end knows it: it refuses a call that the gate would refuse in any case."""

    maximum: int
    connection_maximum: int
    total_refusal: FrontStatus
    connection_refusal: FrontStatus


class FrontRefusals(msgspec.Struct, frozen=True):
    """The statuses of calls that are refused for other reasons."""

    unauthenticated: FrontStatus
    stalled: FrontStatus
    malformed: FrontStatus
    metadata: FrontStatus
    unread: FrontStatus
    collected: FrontStatus
    elements: FrontStatus
    waiting: FrontStatus


class Admissions(msgspec.Struct, frozen=True):
    """Methods and pools in the order in which the front end numbers them.

    The methods are in their given order, and one more, which serves the paths that have none.
    """

    pools: Sequence[Pool]
    front_methods: Sequence[FrontMethod]
    front_pools: Sequence[FrontPool]
    refusals: FrontRefusals


def admissions_of(methods: Mapping[str, Method], settings: FrontSettings) -> Admissions:
    """Return the front end's view of methods by path."""
    # Calls of methods without a pool are bounded by what may wait for the event loop.
    unlimited = Admission(Pool("pending_calls", _UNLIMITED, _UNLIMITED, ""), MESSAGE_BYTES_MAX, needs_credentials=False)
    served = {**methods, "": unknown_method("")}
    admissions = [method.admission or unlimited for method in served.values()]
    pools = list({id(each.pool): each.pool for each in admissions}.values())
    numbers = {id(pool): number for number, pool in enumerate(pools)}
    front_methods = [
        FrontMethod(
            path=path,
            pool=numbers[id(admission.pool)],
            streams=method.kind.value[0],
            answers=method.kind.value[1],
            is_read=method.policy is not None and method.policy.is_read,
            request="" if method.descriptor is None else method.descriptor.input_type.full_name,
            response="" if method.descriptor is None else method.descriptor.output_type.full_name,
            needs_credentials=admission.needs_credentials,
            bytes_max=admission.bytes_max,
            too_large=_status(TooLarge("message_bytes", admission.bytes_max)),
        )
        for (path, method), admission in zip(served.items(), admissions, strict=True)
    ]
    return Admissions(pools, front_methods, [_front_pool(pool) for pool in pools], _refusals(settings))


def _front_pool(pool: Pool) -> FrontPool:
    return FrontPool(
        maximum=min(pool.maximum, _UNLIMITED),
        # The gate counts the first places for nobody.
        connection_maximum=min(pool.share + pool.unshared, _UNLIMITED),
        total_refusal=_status(Overloaded(pool.limit, pool.maximum)),
        connection_refusal=_status(Overloaded(f"{pool.limit}_per_caller", pool.share)),
    )


def _refusals(settings: FrontSettings) -> FrontRefusals:
    return FrontRefusals(
        unauthenticated=_status(Unauthenticated()),
        stalled=_status(RequestStalled(round(_ARRIVAL_S_MAX))),
        malformed=_status(MalformedMessage()),
        metadata=_status(TooLarge("metadata_bytes", CALL_METADATA_BYTES_MAX)),
        unread=_status(Overloaded("response_bytes", settings.unsent_bytes_max)),
        collected=_status(Overloaded("request_bytes", COLLECTED_BYTES_MAX)),
        elements=_status(TooLarge("message_elements", settings.elements_max)),
        waiting=_status(Overloaded("pending_calls", PENDING_CALLS_MAX)),
    )


def _status(refusal: Refusal) -> FrontStatus:
    status = status_of(refusal)
    return int(status.code), status.message, status.details
