"""The decoders of what is stored, imported, configured or handed back by a client."""

import functools
import hashlib
import io
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import click
import msgspec
from tests.fuzz.decoder import Decoder, Make, Read
from tests.fuzz.file import file_of, mutated_file, mutated_record
from tests.fuzz.mutation import mutated, mutated_text, mutated_value
from tests.fuzz.sample import FIXTURE, journal_data, redis_commands, snapshot_blocks, stored
from tests.fuzz.token import LISTING, STORE_ID, forged

from memoryd_server.domain.error import Refusal
from memoryd_server.domain.lifecycle.record import decode_record, image_of, state_of
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.engine.agents.token import (
    decode_event_page,
    decode_page,
    decode_resume,
    decode_text_page,
    digest,
)
from memoryd_server.ops.auth.policy_file import read_policy
from memoryd_server.ops.auth.token_use import TokenUses
from memoryd_server.ops.config.option import read_settings
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.wiring.backups.verification import verify_backup
from memoryd_server.ports.segment import SegmentEnd, SegmentStart
from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Manifest
from memoryd_server.stores.redis.row import decode_head, moved_item, read_row
from memoryd_server.stores.segment_file import MAGIC as SEGMENT_MAGIC
from memoryd_server.stores.segment_file import RowsBlock, SegmentFileReader
from memoryd_server.stores.snapshot_file import MAGIC as SNAPSHOT_MAGIC
from memoryd_server.stores.snapshot_file import SnapshotReader
from memoryd_server.stores.sqlite.mark import read_mark
from memoryd_server.stores.sqlite.row import read_agent, read_journal_row, read_records

_AGENT_BYTES_MAX = 1_000_000
_TOML = (
    "[", "]", "[[", "{", "}", "=", '"', "'", '"""', "\\", "\n", ",", ".", "0", "-1", "1e999", "nan", "true", "#", "\0",
    "\u0600", "2027-01-31T00:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "[tokens.a]\n",
    "[certificates.a]\n", "sha256", "agents", "verbs", "rate", "hashes", "grants", "expires", '["*"]', '["read"]',
)  # fmt: skip
_POLICY = f"""\
[tokens.planner]
rate = 5
hashes = [ {{ sha256 = "{"a" * 64}", expires = 2026-12-01T12:00:00Z }}, {{ sha256 = "{"b" * 64}" }} ]
grants = [ {{ agents = ["planner"] }}, {{ agents = ["shared-*"], verbs = ["read", "watch"] }} ]
[certificates."agent.example"]
agents = ["*"]
"""
_START = SegmentStart("0" * 32, "start")


@functools.cache
def _segment_blocks() -> tuple[bytes, ...]:
    rows = tuple(
        JournalRow(row[0], "a", number, number + 1, row[5], data)
        for number, (row, data) in enumerate(zip(stored().journal[:12], journal_data(), strict=False))
    )
    end = SegmentEnd("end", 1, True, len(rows))
    return tuple(map(msgspec.msgpack.encode, (_START, RowsBlock(rows[:6]), RowsBlock(rows[6:]), end)))


def _read_snapshot(data: bytes, _: Path) -> None:
    for agent in SnapshotReader("s", io.BytesIO(data), _AGENT_BYTES_MAX).agents():
        head = agent.head
        values = [decode_record(record.kind, record.data) for record in agent.records]
        image_of(head.agent_id, values)
        state_of(head.agent_id, head.revision, head.create_time, head.update_time, values)


def _read_segment(data: bytes, _: Path) -> None:
    for row in SegmentFileReader("s", io.BytesIO(data)).rows():
        dict(decode_row(row).changed_records())


def _make_journal(chance: random.Random) -> bytes:
    return mutated_record(chance.choice(journal_data()), chance)


def _read_journal(data: bytes, _: Path) -> None:
    dict(decode_row(JournalRow(1, "a", 0, 1, 1, data)).changed_records())


def _make_record(chance: random.Random) -> bytes:
    row = chance.choice(stored().records)
    kind = str(row[1]) if chance.random() < 0.98 else "entry"
    return kind.encode() + b" " + mutated_record(row[3], chance)


def _read_record(data: bytes, _: Path) -> None:
    kind, _, content = data.partition(b" ")
    value = decode_record(kind.decode(), content)
    image_of("a", [value])
    state_of("a", 1, 1, 1, [value])


def _make_rows(chance: random.Random) -> bytes:
    """Return a row of a table of SQLite, as MessagePack; most have a checksum that fits."""
    table, rows = chance.choice(
        (("journal", stored().journal), ("record", stored().records), ("agent", stored().agents))
    )
    row = mutated_value(list(chance.choice(rows)), chance)
    if isinstance(row, list) and table == "record" and len(row) == 5 and isinstance(row[3], bytes):
        row[4] = crc32(row[3], crc32(f"{row[0]} {row[1]} {row[2]}".encode("utf-8", "replace")))
    return msgspec.msgpack.encode([table, row])


def _read_rows(data: bytes, _: Path) -> None:
    table, row = msgspec.msgpack.decode(data)
    if not isinstance(row, list):
        return
    # SQLite returns as many columns as were asked for, and numbers of 64 bits at most.
    columns = {"journal": 8, "record": 5, "agent": 14}[table]
    row = tuple((row + [None] * columns)[:columns])
    row = tuple(None if isinstance(each, list | dict) else each for each in row)
    match table:
        case "journal":
            read_journal_row(row)
        case "record":
            read_records(row[0], [row[1:]])
        case _:
            read_agent(row)


@functools.cache
def _redis_parts() -> tuple[bytes, ...]:
    """Return pieces of the commands that make a store in Redis: heads, records and rows."""
    return tuple(part for part in redis_commands().split(b"\r\n") if len(part) > 8)


def _make_redis(chance: random.Random) -> bytes:
    fields = [chance.choice((b"1-5", b"7", b"a", b"", b"-1", b"\xff", b"1", b"1" * 5_000)) for _ in range(8)]
    if chance.random() < 0.5:
        return b" ".join(fields) + b" " + chance.choice(_redis_parts())
    return mutated(chance.choice(_redis_parts()), chance)


def _read_redis(data: bytes, _: Path) -> None:
    for read in (functools.partial(decode_head, "a"), lambda data: read_row(0, moved_item(data))):
        try:
            read(data)
        except Refusal:
            continue


def _make_token(chance: random.Random) -> bytes:
    return forged(chance.choice((LISTING, digest(STORE_ID))), chance).encode("utf-8", "replace")


def _read_token(data: bytes, _: Path) -> None:
    token = data.decode("utf-8", "replace")
    readers: tuple[Callable[[], object], ...] = (
        lambda: decode_resume(STORE_ID, token),
        lambda: decode_event_page(LISTING, token),
        lambda: decode_page(LISTING, token),
        lambda: decode_text_page(LISTING, token),
    )
    for read in readers:
        try:
            read()
        except Refusal:
            continue


def _make_toml(samples: tuple[str, ...], chance: random.Random) -> bytes:
    text = mutated_text(chance.choice(samples), chance, _TOML)
    data = text.encode("utf-8", "replace")
    return mutated(data, chance) if chance.random() < 0.05 else data


def _in_file(read: Callable[[Path], object], data: bytes, directory: Path) -> None:
    """Read a file with this content."""
    path = directory / "file"
    path.write_bytes(data)
    path.chmod(0o600)
    read(path)


def _make_backup(chance: random.Random) -> bytes:
    """Return the files of a backup, as MessagePack: a manifest or a file is changed, and its digest fits or not."""
    files: list[dict[str, Any]] = []
    for number, kind in enumerate(("base", "segment"), 1):
        magic, blocks = ((SNAPSHOT_MAGIC, snapshot_blocks()), (SEGMENT_MAGIC, _segment_blocks()))[number - 1]
        data = mutated_file(magic, blocks, chance) if chance.random() < 0.4 else file_of(magic, blocks)
        fields = {"number": number, "kind": kind, "store_id": "0" * 32, "create_time": 1, "end_time": 2}
        tokens = {"start_token": "start", "end_token": "start" if kind == "base" else "end"}
        size = {"size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        manifest = msgspec.convert({**fields, **tokens, **size}, Manifest)
        text = msgspec.json.encode(manifest)
        if chance.random() < 0.4:
            changed = mutated_value(msgspec.json.decode(text), chance)
            text = msgspec.json.encode(changed) if chance.random() < 0.8 else mutated(text, chance)
        files += [{"name": manifest.file_name, "data": data}, {"name": manifest.manifest_name, "data": text}]
    return msgspec.msgpack.encode(files)


def _read_backup(data: bytes, directory: Path) -> None:
    for file in msgspec.msgpack.decode(data):
        (directory / file["name"]).write_bytes(file["data"])
    verify_backup(BackupDirectory(directory))


def _make_uses(chance: random.Random) -> bytes:
    return mutated(msgspec.json.encode({"token": {"a" * 64: 1.0}, "certificate": {"b.example": 2.0}}), chance)


def _read_uses(data: bytes, directory: Path) -> None:
    (directory / "token-uses.json").write_bytes(data)
    TokenUses(directory).read()


def _settings_at(path: Path) -> None:
    read_settings(["--config", str(path)])


def _toml(read: Callable[[Path], object], *samples: str) -> tuple[Make, Read]:
    return functools.partial(_make_toml, samples), functools.partial(_in_file, read)


def _blocks(magic: bytes, blocks: Callable[[], Sequence[bytes]]) -> Make:
    return lambda chance: mutated_file(magic, blocks(), chance)


def _make_mark(chance: random.Random) -> bytes:
    return mutated(stored().mark, chance)


_REFUSALS = (Refusal,)
_OPERATOR = (OperatorError, click.ClickException)

DECODERS = {
    decoder.name: decoder
    for decoder in (
        Decoder("token", _make_token, _read_token, (), 40),
        Decoder("record", _make_record, _read_record, _REFUSALS, 30),
        Decoder("journal", _make_journal, _read_journal, _REFUSALS, 30),
        Decoder("rows", _make_rows, _read_rows, _REFUSALS, 20),
        Decoder("redis", _make_redis, _read_redis, _REFUSALS, 20),
        Decoder("mark", _make_mark, functools.partial(_in_file, read_mark), _REFUSALS, 8),
        Decoder("snapshot", _blocks(SNAPSHOT_MAGIC, snapshot_blocks), _read_snapshot, _REFUSALS, 10),
        Decoder("segment", _blocks(SEGMENT_MAGIC, _segment_blocks), _read_segment, _REFUSALS, 10),
        Decoder("backup", _make_backup, _read_backup, _REFUSALS, 2),
        Decoder("policy", *_toml(read_policy, FIXTURE.token_file.read_text(), _POLICY), _OPERATOR, 10),
        Decoder("settings", *_toml(_settings_at, FIXTURE.settings_file.read_text()), _OPERATOR, 1),
        Decoder("uses", _make_uses, _read_uses, (), 5),
    )
}
