"""Encoding of records with a schema version in front, and loading of an agent's records into its state.

The version is one byte. It is raised when the current reader cannot decode what was stored before. A reader refuses a
newer version, since it cannot know what it would lose, and an older version, since no reader for that exists. Within a
version, fields are stored in the order of their structs; a new field is appended and has a default.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

import immutables
import msgspec

from memoryd_server.domain.agent.part import Records
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import DataDamaged, SchemaTooNew, SchemaTooOld
from memoryd_server.domain.kinds import PART_OF_RECORD, PARTS
from memoryd_server.domain.values.deadline import earliest

SCHEMA_VERSION = 3
_VERSION_BYTE = bytes([SCHEMA_VERSION])

_encoder = msgspec.msgpack.Encoder()
_decoders: dict[str, tuple[msgspec.msgpack.Decoder[Any], str]] = {
    name: (msgspec.msgpack.Decoder(part.records[name]), f"{name} record") for name, part in PART_OF_RECORD.items()
}
_names = {record_type: name for part in PARTS for name, record_type in part.records.items()}

T = TypeVar("T")


def encode(value: object) -> bytes:
    """Return the bytes of a value, with the schema version in front."""
    # Into a buffer: where memory is limited and none is left, msgspec's encode ends the process instead of raising.
    buffer = bytearray(_VERSION_BYTE)
    _encoder.encode_into(value, buffer, 1)
    return bytes(buffer)


def decode(decoder: msgspec.msgpack.Decoder[T], data: bytes, what: str) -> T:
    """Return the value that ``encode`` turned into these bytes. ``what`` names it in errors.

    Raises SchemaTooNew, SchemaTooOld, DataDamaged.
    """
    if not data or not data[0]:
        raise DataDamaged(f"{what} has no version")
    if data[0] > SCHEMA_VERSION:
        raise SchemaTooNew(what, data[0], SCHEMA_VERSION)
    if data[0] < SCHEMA_VERSION:
        raise SchemaTooOld(what, data[0], SCHEMA_VERSION)
    try:
        return decoder.decode(memoryview(data)[1:])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataDamaged(f"{what} cannot be decoded") from error


def decode_record(kind: str, data: bytes) -> Any:
    """Return the value of a record. Raises as ``decode``, and SchemaTooNew for an unknown record name."""
    known = _decoders.get(kind)
    if known is None:
        raise SchemaTooNew(f"record kind {kind!r}", SCHEMA_VERSION + 1, SCHEMA_VERSION)
    return decode(known[0], data, known[1])


def state_of(agent_id: str, revision: int, create_time: int, update_time: int, values: Iterable[Any]) -> AgentState:
    """Return the state made of an agent's records. Raises DataDamaged if they are inconsistent."""
    records = _by_name(values)
    for part in PARTS:
        part.check(agent_id, records)
    parts = {part.name: part.load(agent_id, records) for part in PARTS if any(records[name] for name in part.records)}
    return AgentState(
        agent_id,
        revision,
        create_time,
        update_time,
        immutables.Map(parts),
        earliest(*(value.next_deadline for value in parts.values())),
        sum(value.record_count for value in parts.values()),
        sum(getattr(each, "size_bytes", 0) for name in records for each in records[name]),
        sum(part.memory_bytes(parts[part.name]) for part in PARTS if part.name in parts),
    )


def image_of(agent_id: str, values: Iterable[Any]) -> Records:
    """Return an agent's records as a restore takes them. Raises DataDamaged if they are inconsistent."""
    records = _by_name(values)
    for part in PARTS:
        part.check_image(agent_id, records)
    return records


def _by_name(values: Iterable[Any]) -> dict[str, list[Any]]:
    records: dict[str, list[Any]] = {name: [] for name in PART_OF_RECORD}
    for value in values:
        records[_names[type(value)]].append(value)
    return records
