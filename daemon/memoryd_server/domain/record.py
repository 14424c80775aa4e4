"""How what an agent holds becomes records: bytes with a schema version in front.

A version is one byte. A reader takes every version up to its own, and refuses a newer one: it cannot know what it
would lose. Fields are stored in the order of their structs; a new one goes to the end and has a default, which old
records take.
"""

from collections.abc import Iterable
from typing import TypeVar

import immutables
import msgspec

from memoryd_server.domain.command import AgentImage
from memoryd_server.domain.entry import ROOT, Entry
from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.domain.reservation import Reservation
from memoryd_server.domain.scope import Scope
from memoryd_server.domain.state import AgentState
from memoryd_server.domain.transition import RecordValue

SCHEMA_VERSION = 1
_VERSION_BYTE = bytes([SCHEMA_VERSION])

_encoder = msgspec.msgpack.Encoder()
_decoders: dict[str, msgspec.msgpack.Decoder[RecordValue]] = {
    "entry": msgspec.msgpack.Decoder(Entry),
    "scope": msgspec.msgpack.Decoder(Scope),
    "reservation": msgspec.msgpack.Decoder(Reservation),
}

T = TypeVar("T")


def encode(value: object) -> bytes:
    """A value's bytes, with the schema version in front."""
    return _VERSION_BYTE + _encoder.encode(value)


def decode(decoder: msgspec.msgpack.Decoder[T], data: bytes, what: str) -> T:
    """The value of bytes that ``encode`` made. Raises SchemaTooNew, DataDamaged; ``what`` names the thing in them."""
    if not data or not data[0]:
        raise DataDamaged(f"{what} has no version")
    if data[0] > SCHEMA_VERSION:
        raise SchemaTooNew(what, data[0], SCHEMA_VERSION)
    try:
        return decoder.decode(memoryview(data)[1:])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataDamaged(f"{what} cannot be read") from error


def decode_record(kind: str, data: bytes) -> RecordValue:
    """The value of a record. A kind that is not known was written by a newer version: SchemaTooNew."""
    decoder = _decoders.get(kind)
    if decoder is None:
        raise SchemaTooNew(f"record kind {kind!r}", SCHEMA_VERSION + 1, SCHEMA_VERSION)
    return decode(decoder, data, f"{kind} record")


def state_of(
    agent_id: str, revision: int, create_time: int, update_time: int, values: Iterable[RecordValue]
) -> AgentState:
    """The state that an agent's records describe. Raises DataDamaged for an entry of a scope that is not there."""
    entries: dict[str, dict[str, Entry]] = {ROOT: {}}
    scopes: dict[str, Scope] = {}
    disposed: dict[str, Scope] = {}
    reservations: dict[tuple[str, str], Reservation] = {}
    for value in values:
        if isinstance(value, Entry):
            entries.setdefault(value.scope_id, {})[value.key] = value
        elif isinstance(value, Scope):
            (disposed if value.disposed else scopes)[value.scope_id] = value
        else:
            reservations[(value.scope_id, value.key)] = value
    if not entries.keys() <= {ROOT, *scopes}:
        raise DataDamaged(f"agent {agent_id!r} has entries of a scope that is not there")
    every = [entry for local in entries.values() for entry in local.values()]
    deadlines = {(entry.scope_id, entry.key): entry.expire_time for entry in every if entry.expire_time is not None}
    ends = [*deadlines.values(), *(each.expire_time for each in reservations.values())]
    return AgentState(
        agent_id,
        revision,
        create_time,
        update_time,
        immutables.Map({scope_id: immutables.Map(entries.get(scope_id, {})) for scope_id in (ROOT, *scopes)}),
        immutables.Map(scopes),
        immutables.Map(disposed),
        immutables.Map(reservations),
        immutables.Map(deadlines),
        min(ends, default=None),
        len(every),
        sum(entry.size_bytes for entry in every),
    )


def image_of(agent_id: str, values: Iterable[RecordValue]) -> AgentImage:
    """What a restore takes from an agent's records: everything but the reservations, whose holders are gone.

    Raises DataDamaged when the records do not fit together.
    """
    state = state_of(agent_id, 0, 0, 0, values)
    scopes = tuple(state.scopes.values())
    if any(ancestor not in state.scopes for scope in scopes for ancestor in scope.ancestors):
        raise DataDamaged(f"agent {agent_id!r} has a scope below one that is not there")
    return AgentImage(tuple(entry for local in state.entries.values() for entry in local.values()), scopes)
