"""The encoding of heads, points and journal rows in Redis."""

from collections.abc import Sequence
from typing import Any

import msgspec

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import NEVER, AgentHead, CommitPoint, JournalRow, Tally

_NUMBER_DIGITS = 20
_FIELDS = (b"a", b"p", b"l", b"b", b"r", b"t", b"d")
"""The names of a row's fields in the stream, as commit.lua writes them."""


class _HeadData(msgspec.Struct, frozen=True, array_like=True):
    revision: int
    create_time: int
    update_time: int
    record_count: int
    next_deadline: int | None
    ended: bool
    tally: Tally


_encoder = msgspec.msgpack.Encoder()
_head_decoder = msgspec.msgpack.Decoder(_HeadData)


def encode_head(head: AgentHead) -> bytes:
    """Encode an agent's head, without its id, which is in the key."""
    return _encoder.encode(
        _HeadData(
            head.revision,
            head.create_time,
            head.update_time,
            head.record_count,
            head.next_deadline,
            head.ended,
            head.tally,
        )
    )


def decode_head(agent_id: str, data: bytes) -> AgentHead:
    """Decode the head of an agent. Raises DataDamaged."""
    try:
        head = _head_decoder.decode(data)
    except msgspec.DecodeError as error:
        raise DataDamaged(f"the head of agent {agent_id!r} cannot be read") from error
    return AgentHead(
        agent_id,
        head.revision,
        head.create_time,
        head.update_time,
        head.record_count,
        head.next_deadline,
        head.ended,
        head.tally,
    )


def padded(number: int) -> str:
    """Return a number with leading zeros, so that texts sort in the order of their numbers."""
    return f"{number:0{_NUMBER_DIGITS}}"


def agent_id_of(deadline_member: bytes) -> str:
    """Return the agent id in a member of the sorted set of deadlines."""
    return deadline_member[_NUMBER_DIGITS:].decode()


def row_id(point: CommitPoint) -> str:
    """Return the id of a commit's row in its stream; empty for NEVER."""
    return "" if point == NEVER else f"{point.position}-{point.nonce}"


def point_of(text: bytes | None) -> CommitPoint:
    """Return the point in a row id; NEVER if there is none."""
    if not text:
        return NEVER
    position, _, nonce = text.partition(b"-")
    return CommitPoint(int(position), int(nonce))


def moved_item(member: bytes) -> list[Any]:
    """Decode a row that was moved out of its stream (see moved.lua) to the form of a stream's item.

    Raises DataDamaged.
    """
    try:
        name, base, previous, base_revision, revision, commit_time, length, rest = member.split(b" ", 7)
        agent_id, data = rest[: int(length)], rest[int(length) :]
    except ValueError as error:
        raise DataDamaged("a moved row cannot be read") from error
    fields = (agent_id, base, previous, base_revision, revision, commit_time, data)
    return [name, [part for pair in zip(_FIELDS, fields, strict=True) for part in pair]]


class StreamRow(msgspec.Struct, frozen=True):
    """A row, and the point of the previous row of its journal, which may be another agent's."""

    row: JournalRow
    previous: CommitPoint


def read_row(shard: int, item: Sequence[Any]) -> StreamRow:
    """Decode an item of a stream, as XRANGE and XREAD return it. Raises DataDamaged."""
    try:
        point = point_of(item[0])
    except ValueError as error:
        raise DataDamaged(f"a row of shard {shard} has an id that cannot be read") from error
    try:
        _, agent_id, _, base, _, previous, _, base_revision, _, revision, _, commit_time, _, data = item[1]
        row = JournalRow(
            position=point.position,
            agent_id=agent_id.decode(),
            base_revision=int(base_revision),
            revision=int(revision),
            commit_time=int(commit_time),
            data=data,
            shard=shard,
            nonce=point.nonce,
            base_point=point_of(base),
        )
        return StreamRow(row, point_of(previous))
    except (TypeError, ValueError) as error:
        raise DataDamaged(f"row {point.position} of shard {shard} cannot be read") from error
