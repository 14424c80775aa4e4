"""The commands that commit and read an agent in Redis."""

from collections.abc import Iterable, Sequence

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import Commit, CommitPoint, Record, StoredAgent
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.row import decode_head, encode_head, padded, point_of, row_id
from memoryd_server.stores.redis.script import COMMIT, Script
from memoryd_server.stores.redis.servers.link import Command

_SETTLE = Script("settle")


def commit_command(keys: ShardKeys, store_id: str, rows_max: int, commit: Commit) -> Command:
    """Return the command of a commit. ``rows_max`` is the approximate number of rows that the journal retains."""
    head = commit.head
    puts = [part for record in commit.puts for part in (f"{record.kind}/{record.key}", record.data)]
    return COMMIT.call(
        (keys.shard, keys.journal, keys.agent(head.agent_id), keys.agents, keys.deadlines, keys.ended, keys.moved),
        store_id,
        head.agent_id,
        row_id(commit.expected_point),
        commit.nonce,
        encode_head(head),
        "" if head.next_deadline is None else padded(head.next_deadline),
        "1" if head.ended else "",
        "1" if commit.drop_records else "",
        rows_max,
        commit.expected_revision,
        head.revision,
        padded(head.update_time),
        commit.journal or b"",
        len(commit.puts),
        "1" if commit.is_removal else "",
        *puts,
        *(f"{key.kind}/{key.key}" for key in commit.deletes),
    )


def settle_command(keys: ShardKeys, store_id: str, agent_id: str, known: CommitPoint) -> Command:
    """Return the command of ``Sharing.changed`` with ``settle``. A WAIT or WAITAOF after it covers earlier writes."""
    # With its text, because it is rare: it is needed only if a request is repeated.
    return _SETTLE.call_with_text((keys.shard, keys.agent(agent_id)), store_id, row_id(known))


def read_agent(agent_id: str, fields: Sequence[bytes]) -> StoredAgent | None:
    """Decode an agent from the fields and values of its hash. Raises DataDamaged if records are missing."""
    if not fields:
        return None
    named = dict(zip(fields[::2], fields[1::2], strict=True))
    try:
        head = decode_head(agent_id, named.pop(b"head"))
        point = point_of(named.pop(b"id"))
    except KeyError as error:
        raise DataDamaged(f"agent {agent_id!r} has no head") from error
    named.pop(b"due", None)
    if len(named) != head.record_count:
        raise DataDamaged(f"agent {agent_id!r} has {len(named)} records instead of {head.record_count}")
    return StoredAgent(head, tuple(_records(named.items())), point)


def _records(fields: Iterable[tuple[bytes, bytes]]) -> Iterable[Record]:
    for name, data in fields:
        kind, _, key = name.decode().partition("/")
        yield Record(kind, key, data)
