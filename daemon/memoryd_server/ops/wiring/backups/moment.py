"""The moment of a backup that is read: which of its chains has it, and which rows come before it."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import msgspec

from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.engine.agents.token import decode_resume
from memoryd_server.engine.images.replay import Replay, erases
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import RESTORED_BYTES_TOGETHER
from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Chain, Manifest


class Moment(msgspec.Struct, frozen=True):
    """A moment: a time in ns since the Unix epoch, a revision of an agent, or the point of a token; else the end."""

    time: int | None = None
    revision: int | None = None
    agent_id: str = ""
    token: str = ""

    @classmethod
    def of(cls, point: int | datetime | None, agent_id: str = "") -> "Moment":
        """Return the moment that an operator names: a revision of an agent, a time, or None for the end."""
        if isinstance(point, datetime):
            return cls(time=nanoseconds(point))
        return END if point is None else cls(revision=point, agent_id=agent_id)


END = Moment()


def chain_at(backup: BackupDirectory, moment: Moment) -> Chain:
    """Return the newest chain that has a moment. Raises OperatorError if there is none."""
    chains = backup.chains()
    if not chains:
        raise OperatorError(f"{backup.path}: there is no base of a backup here")
    if moment.revision is not None:
        return _chain_of_revision(backup, chains, moment.agent_id, moment.revision)
    if moment.time is None:
        return chains[-1]
    for chain in reversed(chains):
        if chain.begin_time <= moment.time <= chain.end_time:
            return chain
    spans = ", ".join(f"{utc_text(each.begin_time)} to {utc_text(each.end_time)}" for each in chains)
    raise OperatorError(f"{backup.path}: the backup does not have {utc_text(moment.time)}; it has {spans}")


def _chain_of_revision(backup: BackupDirectory, chains: Sequence[Chain], agent_id: str, revision: int) -> Chain:
    spans = []
    for chain in reversed(chains):
        found = _revisions(backup, chain, agent_id)
        if found is not None and found[0] <= revision <= found[1]:
            return chain
        if found is not None:
            spans.append(f"{max(found[0], 1)} to {found[1]}")
    known = ", ".join(reversed(spans)) or "none"
    raise OperatorError(f"{backup.path}: the backup does not have revision {revision} of {agent_id!r}; it has {known}")


def _revisions(backup: BackupDirectory, chain: Chain, agent_id: str) -> tuple[int, int] | None:
    """Return the first and the last revision of an agent that a chain has; None if it has none."""
    found = [each.head.revision for each in backup.agents(chain.base) if each.head.agent_id == agent_id]
    for segment in chain.segments:
        for row in backup.rows(segment):
            if row.agent_id != agent_id:
                continue
            # A new agent. Of one that had ended before the base, only an older chain has what came before this row.
            if not found and not row.base_revision:
                found.append(0)
            found.append(row.revision)
    return (found[0], max(found)) if found else None


def replayed(
    backup: BackupDirectory,
    chain: Chain,
    moment: Moment = END,
    selects: Callable[[str], bool] = lambda _: True,
    more: Sequence[tuple[BackupDirectory, Manifest]] = (),
) -> Replay:
    """Return the agents of a chain as of a moment. Every file is read to its end, and checked.

    ``more`` are segments that follow the chain. Raises DataDamaged, also if a row is missing.
    """
    replay = Replay(selects)
    for agent in backup.agents(chain.base):
        replay.add_agent(agent)
    store_id = chain.base.store_id
    reached, certain = _positions(store_id, chain.base.start_token), _positions(store_id, chain.base.end_token)
    ends = _positions(store_id, moment.token) if moment.token else {}
    passed: set[int] = set()
    for place, segment in (*((backup, each) for each in chain.segments), *more):
        for row in place.rows(segment):
            if row.position != reached[row.shard] + 1:
                raise DataDamaged(f"{segment.file_name}: row {row.position} follows {reached[row.shard]}")
            reached[row.shard] = row.position
            # The base may have what was committed while it was made, and another agent what came before. Of a revision,
            # the chain was chosen by the one agent, of which the base has nothing later.
            is_certain = row.position > certain[row.shard] or moment.revision is not None
            is_later = is_certain and _is_after(row, moment)
            if is_later or row.position > ends.get(row.shard, row.position):
                passed.add(row.shard)
            if row.shard not in passed:
                replay.add_row(row)
    return replay


def shares(chain: Chain, patterns: AgentPatterns = ALL_AGENTS) -> Iterator[Callable[[str], bool]]:
    """Yield tests that each choose a share of the agents, which fits into memory."""
    count = 1 + sum(each.size_bytes for each in chain.files) // RESTORED_BYTES_TOGETHER
    for number in range(count):
        yield partial(_is_in_share, patterns, count, number)


def _is_in_share(patterns: AgentPatterns, count: int, number: int, agent_id: str) -> bool:
    return zlib.crc32(agent_id.encode()) % count == number and patterns.matches(agent_id)


def erased_since(backup: BackupDirectory, moment: Moment, selects: Callable[[str], bool]) -> list[str]:
    """Return the agents of which something was erased after a moment, as far as the backup knows."""
    found: set[str] = set()
    first = chain_at(backup, moment)
    for chain in backup.chains():
        for segment in chain.segments if chain.base.number >= first.base.number else ():
            for row in backup.rows(segment):
                if row.agent_id not in found and selects(row.agent_id) and _is_after(row, moment) and erases(row):
                    found.add(row.agent_id)
    return sorted(found)


def nanoseconds(moment: datetime) -> int:
    """Return a moment, which has microseconds, in ns since the Unix epoch."""
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(microseconds=1) * 1_000


def utc_text(time: int) -> str:
    """Return a time in UTC, to the second."""
    return f"{datetime.fromtimestamp(time // SECOND_NS, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _positions(store_id: str, token: str) -> dict[int, int]:
    return {each.shard: each.position - 1 for each in decode_resume(store_id, token).shards}


def _is_after(row: JournalRow, moment: Moment) -> bool:
    if moment.revision is not None:
        return row.agent_id == moment.agent_id and row.revision > moment.revision
    return moment.time is not None and row.commit_time > moment.time
