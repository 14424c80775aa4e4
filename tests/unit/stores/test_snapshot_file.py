import base64
import hashlib
import io
import struct
import weakref
import zlib

import msgspec
import pytest
import zstandard

from memoryd_server.domain.error import SchemaTooNew, SnapshotDamaged
from memoryd_server.ports.store import AgentHead, Record, StoredAgent
from memoryd_server.stores.snapshot_file import (
    INTEGER_MAX,
    AgentBlock,
    Header,
    RecordsBlock,
    SnapshotReader,
    SnapshotWriter,
    Trailer,
)

HEADER = Header("", 5, "request")
RECORD = Record("entry", "k", b"value")

VERSION_1 = (
    "bWVtb3J5ZCBzbmFwc2hvdAoAASi1L/0AWI0GAOLLKi2AqenzEE0AMEaLge9tUfeRHGtSAhq5bXIFGzeaF60kIsUf8MwNdJiQvjVq"
    "Wwar4j+b3G/CQEMFEHGt9ghi2qUnIY6M7FTnPEx3IiZudkrZOi7S0N6FXtkpgLN9NK9LL5xVKM0kiFmUIeZMoWgkVSuAQdsWcp44"
    "DAiJ5h+OilgMFBw8ROx2SeH8+E2z3M/xhO3lnWemctBdmr3JCV/zD4lHUzsGBEqyQYCIAQ0AC5PSBwKdtSMzGMFccDWCys9Hx+uC"
    "0KDgnwhVWN0Vv1Vn+ZFb96n68stf7+qQOyDgXjIS3OaK9wg3lsSaWeXSQMM="
)


def agent_block(agent_id: str = "a", *records: Record, count: int | None = None, revision: int = 1) -> AgentBlock:
    return AgentBlock(AgentHead(agent_id, revision, 1, 2, len(records) if count is None else count), records)


def make_file(*blocks: object, start: bytes = b"memoryd snapshot\n\0\1", after: bytes = b"") -> bytes:
    """Return a file of these blocks with a correct digest."""
    plain = b""
    for block in blocks:
        payload = block if isinstance(block, bytes) else msgspec.msgpack.encode(block)
        plain += struct.pack(">II", len(payload), zlib.crc32(payload)) + payload
    body = start + zstandard.compress(plain) + after
    return body + hashlib.sha256(body).digest()


def read(data: bytes) -> list[StoredAgent]:
    return list(SnapshotReader("s", io.BytesIO(data), 1_000_000).agents())


def test_a_file_of_valid_blocks_is_read() -> None:
    more = Record("entry", "l", b"")
    blocks = (HEADER, agent_block("a", RECORD, count=2), RecordsBlock((more,)), agent_block("b"), Trailer(2, 2))

    assert [(agent.head.agent_id, agent.records) for agent in read(make_file(*blocks))] == [
        ("a", (RECORD, more)),
        ("b", ()),
    ]


def test_a_file_of_version_1_is_still_read() -> None:
    assert read(base64.b64decode(VERSION_1)) == [
        StoredAgent(AgentHead("ä", 7, 1, 2, record_count=2, next_deadline=3), (RECORD, Record("scope", "s", b"\1")))
    ]


def test_a_large_agent_is_split_into_blocks() -> None:
    records = tuple(Record("entry", str(n), bytes(400_000)) for n in range(10))
    file = io.BytesIO()
    writer = SnapshotWriter(file, HEADER)
    writer.begin()
    writer.add([StoredAgent(AgentHead("a", 1, 1, 1, record_count=10), records)])
    writer.finish()

    blocks = list(SnapshotReader("s", io.BytesIO(file.getvalue()), 10_000_000).blocks())
    assert [len(block.records) for block in blocks] == [3, 3, 3, 1]


@pytest.mark.parametrize("version", [2, 65535])
def test_a_newer_version_is_not_reported_as_damage(version: int) -> None:
    start = b"memoryd snapshot\n" + struct.pack(">H", version)
    with pytest.raises(SchemaTooNew) as caught:
        read(start + b"whatever comes then" * 10)
    assert caught.value.metadata == {"found_version": str(version), "supported_version": "1"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"memoryd",
        b"memoryd snapshot\n",
        b"memoryd snapshot\n\0",
        b"memoryd snapshot\n\0\0" + bytes(100),
        b"SQLite format 3\0" + bytes(4080),
        b"\x28\xb5\x2f\xfd" + bytes(100),
        b"PK\3\4" + bytes(100),
        bytes(100_000),
    ],
)
def test_a_foreign_file_is_refused(data: bytes) -> None:
    with pytest.raises(SnapshotDamaged):
        read(data)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        pytest.param(make_file(), "ends before its trailer", id="nothing"),
        pytest.param(make_file(Trailer(0, 0)), "no header", id="no header"),
        pytest.param(make_file(HEADER), "ends before its trailer", id="no trailer"),
        pytest.param(make_file(HEADER, HEADER, Trailer(0, 0)), "second header", id="two headers"),
        pytest.param(make_file(HEADER, Trailer(1, 0)), "as its trailer states", id="agents are missing"),
        pytest.param(
            make_file(HEADER, agent_block("a", RECORD), Trailer(1, 2)),
            "as its trailer states",
            id="records are missing",
        ),
        pytest.param(
            make_file(HEADER, agent_block(count=1), Trailer(1, 0)),
            "0 records instead of 1",
            id="an agent lacks a record",
        ),
        pytest.param(make_file(HEADER, agent_block("a", RECORD, RECORD), Trailer(1, 2)), "twice", id="twice"),
        pytest.param(
            make_file(HEADER, RecordsBlock((RECORD,)), Trailer(0, 1)), "precede the first agent", id="records of nobody"
        ),
        pytest.param(make_file(HEADER, agent_block(revision=-1), Trailer(1, 0)), "range", id="negative revision"),
        pytest.param(
            make_file(HEADER, agent_block(revision=INTEGER_MAX + 1), Trailer(1, 0)), "range", id="huge revision"
        ),
        pytest.param(make_file(Header("", -1, "request"), Trailer(0, 0)), "decoded", id="negative time"),
        pytest.param(
            make_file(Header("x", 1, "request"), agent_block("a"), Trailer(1, 0)), "image", id="another agent"
        ),
        pytest.param(make_file(Header("x", 1, "request"), Trailer(0, 0)), "image", id="no agent in its image"),
        pytest.param(make_file(HEADER, b"\xc1", Trailer(0, 0)), "decoded", id="not msgpack"),
        pytest.param(make_file(HEADER, {"type": "other"}, Trailer(0, 0)), "decoded", id="unknown block"),
        pytest.param(
            make_file(HEADER, Trailer(0, 0), Trailer(0, 0)), "data after its trailer", id="a block after the end"
        ),
        pytest.param(make_file(HEADER, Trailer(0, 0), after=bytes(300_000)), "decompressed", id="bytes after the end"),
    ],
)
def test_inconsistent_blocks_are_damage_although_the_digest_is_correct(data: bytes, what: str) -> None:
    with pytest.raises(SnapshotDamaged, match=what):
        read(data)


def test_a_block_of_an_absurd_length_is_refused_before_it_is_read() -> None:
    body = b"memoryd snapshot\n\0\1" + zstandard.compress(struct.pack(">II", 2**32 - 1, 0) + bytes(100_000_000))
    with pytest.raises(SnapshotDamaged, match="larger than 64 MiB"):
        read(body + hashlib.sha256(body).digest())


def test_a_block_with_malformed_text_is_damage() -> None:
    with pytest.raises(SnapshotDamaged, match="cannot be decoded"):
        read(make_file(msgspec.msgpack.encode(HEADER).replace(b"request", b"\xff\xfe\xfdxxxx")))


def test_a_reader_is_gone_with_the_last_reference_to_it() -> None:
    reader = SnapshotReader("s", io.BytesIO(make_file(HEADER, Trailer(0, 0))), 1_000_000)
    gone = weakref.ref(reader)
    # Not by the collector, which does not see what the decompressor refers to.
    del reader
    assert gone() is None
