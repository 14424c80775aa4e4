"""The difference of an agent between two moments of a backup."""

from typing import Any

import msgspec

from memoryd_server.domain.lifecycle.record import decode_record
from memoryd_server.ops.wiring.backups.moment import Moment, chain_at, replayed
from memoryd_server.stores.backups.directory import BackupDirectory

DERIVED = frozenset({"embedding"})
"""The kinds of stored records that follow from others, which a difference leaves out."""


class RecordDifference(msgspec.Struct, frozen=True):
    """A stored record that differs. ``kind`` and ``key`` are those of the store; None is no record."""

    kind: str
    key: str
    before: Any
    after: Any


def agent_difference(backup: BackupDirectory, agent_id: str, start: Moment, end: Moment) -> list[RecordDifference]:
    """Return what differs, by kind and key. Raises what the backup and its moments raise."""
    before, after = _records(backup, agent_id, start), _records(backup, agent_id, end)
    keys = sorted(before.keys() | after.keys())
    return [
        RecordDifference(*key, _value(key, before.get(key)), _value(key, after.get(key)))
        for key in keys
        if before.get(key) != after.get(key) and key[0] not in DERIVED
    ]


def _records(backup: BackupDirectory, agent_id: str, moment: Moment) -> dict[tuple[str, str], bytes]:
    image = replayed(backup, chain_at(backup, moment), moment, agent_id.__eq__).images.get(agent_id)
    return {} if image is None else image.records


def _value(key: tuple[str, str], data: bytes | None) -> Any:
    if data is None:
        return None
    record = decode_record(key[0], data)
    # As an object: the stored form is an array.
    return {
        name: msgspec.to_builtins(getattr(record, name), str_keys=True)
        for name in record.__struct_fields__
        if getattr(record, name) not in ("", (), {}, None)
    }
