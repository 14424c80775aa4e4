import pytest

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import NEVER, AgentHead, CommitPoint
from memoryd_server.stores.redis.row import (
    agent_id_of,
    decode_head,
    encode_head,
    padded,
    point_of,
    read_row,
    row_id,
)

ITEM = (
    b"7-9",
    [
        b"a",
        "ä".encode(),
        b"p",
        b"5-3",
        b"l",
        b"6-1",
        b"b",
        b"2",
        b"r",
        b"4",
        b"t",
        b"00000000000000000012",
        b"d",
        b"\xff",
    ],
)


@pytest.mark.parametrize("head", [AgentHead("a", 3, 1, 2, 5, None, False), AgentHead("ä", 2**62, 1, 2, 0, 2**62, True)])
def test_a_head_is_decoded_as_it_was_encoded(head: AgentHead) -> None:
    assert decode_head(head.agent_id, encode_head(head)) == head


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x93\x01\x02\x03", b"nothing of ours"])
def test_a_malformed_head_is_damage(data: bytes) -> None:
    with pytest.raises(DataDamaged, match="'a'"):
        decode_head("a", data)


def test_padded_numbers_sort_as_text() -> None:
    numbers = [0, 9, 10, 2**62, 2**63 - 1]
    texts = [padded(number) for number in numbers]
    assert texts == sorted(texts)
    assert [int(text) for text in texts] == numbers
    assert agent_id_of((padded(2**63 - 1) + "ä").encode()) == "ä"


def test_a_point_is_the_id_of_its_row() -> None:
    point = CommitPoint(12, 2**63)
    assert point_of(row_id(point).encode()) == point
    assert (row_id(NEVER), point_of(b""), point_of(None)) == ("", NEVER, NEVER)


def test_a_row_is_read_with_its_previous_points() -> None:
    read = read_row(3, ITEM)
    assert read.previous == CommitPoint(6, 1)
    row = read.row
    assert (row.point, row.base_point, row.shard, row.agent_id) == (CommitPoint(7, 9), CommitPoint(5, 3), 3, "ä")
    assert (row.base_revision, row.revision, row.commit_time, row.data) == (2, 4, 12, b"\xff")


@pytest.mark.parametrize("fields", [None, [], ITEM[1][:-2], [*ITEM[1][:9], b"x", *ITEM[1][10:]]])
def test_a_malformed_row_is_damage(fields: object) -> None:
    with pytest.raises(DataDamaged, match="row 7 of shard 3"):
        read_row(3, (ITEM[0], fields))


def test_a_malformed_id_of_a_row_is_damage() -> None:
    with pytest.raises(DataDamaged, match="shard 3"):
        read_row(3, (b"\xff", ITEM[1]))
