"""Writes a readable copy into an agent, in commits of many records."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from memoryd.errors import CallFailed
from memoryd.protocol.call import call, new_request_id
from memoryd.protocol.method import COMMIT
from memoryd.v1 import memory_pb2, plan_pb2
from memoryd.v1.transaction_service_pb2 import CommitRequest, Write
from memoryd_server.ops.cli.agent.transfer.comparison import Compared, Comparison, Target, Verdict
from memoryd_server.ops.cli.agent.transfer.copy_source import CopySource
from memoryd_server.ops.cli.agent.transfer.write import activating, only_if_missing, recreating, reopening
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import COPY_COMMIT_BYTES, COPY_COMMIT_S_MAX, COPY_COMMIT_WRITES, NAMES_SHOWN_MAX

if TYPE_CHECKING:
    from memoryd.sync.channel import Channel


@dataclass
class Findings:
    """Result of comparing a copy with the agent: numbers of records by kind, and the conflicts.

    ``different`` are records of the agent with the same ids and other values, of which ``conflicts`` names the first.
    ``recreated`` are the conversations one of whose messages, which never change, differs. ``expired_ids`` are the
    memories that have expired, and are left out with their links.
    """

    new: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)
    expired: Counter[str] = field(default_factory=Counter)
    conflicts: list[str] = field(default_factory=list)
    recreated: set[str] = field(default_factory=set)
    expired_ids: set[str] = field(default_factory=set)
    note_ids: set[str] = field(default_factory=set)
    summary_count: int = 0

    def add(self, found: Compared) -> None:
        """Count a record."""
        kind, message, verdict = found.record.kind, found.record.message, found.verdict
        if kind == "memory" and verdict is Verdict.EXPIRED:
            self.expired_ids.add(message.memory_id)
        if verdict is Verdict.NEW and _is_link_of(found, self.expired_ids):
            verdict = Verdict.EXPIRED
        getattr(self, verdict.value)[kind] += 1
        if kind == "note":
            self.note_ids.add(message.note_id)
        if kind == "conversation" and message.summary:
            self.summary_count += 1
        if found.verdict is Verdict.DIFFERENT:
            if len(self.conflicts) < NAMES_SHOWN_MAX:
                self.conflicts.append(found.record.name)
            if kind == "message":
                self.recreated.add(message.conversation_id)


def find(channel: "Channel", source: CopySource, target: Target, *, replaces: bool) -> Findings:
    """Read the whole copy, and return what an import would do. Raises OperatorError, CallFailed."""
    findings, comparison = Findings(), Comparison(channel, target, datetime.now(UTC))
    keys: set[tuple[Any, ...]] = set()
    for place, record in source.records():
        # The comparison replaces the scope of an entry.
        key = record.key
        if key in keys:
            raise OperatorError(f"{place}: the copy has {record.name} twice")
        # A person may leave out ids that the daemon sets.
        if key[-1]:
            keys.add(key)
        try:
            found = comparison.compare(record)
            _check(found, target, replaces=replaces)
        except ValueError as error:
            raise OperatorError(f"{place}: {error}") from None
        findings.add(found)
    return findings


def _check(found: Compared, target: Target, *, replaces: bool) -> None:
    """Raise ValueError for a record that cannot be written as it is."""
    kind, written = found.record.kind, found.verdict is Verdict.NEW or (found.verdict is Verdict.DIFFERENT and replaces)
    if not written:
        return
    if kind == "entry" and target.gives_entries_an_expiry and not found.record.message.HasField("expire_time"):
        raise ValueError(
            f"the entry would expire, since agent {target.agent_id!r} has a default entry_ttl: remove that first"
        )
    if found.known is not None and found.known.fixed != found.writes.fixed:
        raise ValueError(
            f"{found.record.name} is of another user or project in agent {target.agent_id!r}: purge it there"
        )


def _is_link_of(found: Compared, memory_ids: set[str]) -> bool:
    link = found.record.message
    return found.record.kind == "memory_link" and not memory_ids.isdisjoint({link.from_memory_id, link.to_memory_id})


class Pending(NamedTuple):
    """A write that waits for its commit, and where its record is in the copy."""

    write: Write
    place: str
    received: Callable[[Any], None] | None = None


class Importer:
    """Writes the records of a copy that are new, and those that differ if it ``replaces``. Raises CallFailed.

    ``blocked`` are the memories that the agent refuses, because their content was purged for good, and their links.
    Links of memories that are left out are left out, too.
    """

    def __init__(self, channel: "Channel", target: Target, findings: Findings, *, replaces: bool) -> None:
        self._channel = channel
        self._target = target
        self._findings = findings
        self._replaces = replaces
        self._comparison = Comparison(channel, target, datetime.now(UTC))
        self._pending: list[Pending] = []
        self._bytes = 0
        self._expired_ids = set(findings.expired_ids)
        self._blocked_ids: set[str] = set()
        self._active: set[str] = set()
        self._current: dict[str, str] = {}
        self._last: list[Pending] = []
        self._flushes = False
        self.revision = target.revision
        self.blocked: Counter[str] = Counter()

    def run(self, source: CopySource, report: Callable[[int], None]) -> None:
        """Write the copy. The writes of one record are in one commit."""
        kind = ""
        for place, record in source.records(report):
            if record.kind != kind:
                # What comes next refers to what was created.
                self._commit()
                kind = record.kind
            found = self._comparison.compare(record)
            if kind == "fragment" and not record.message.flushed:
                self._flush_fragments()
            self._add(list(self._of(found, place)))
            if kind == "fragment" and record.message.flushed and found.verdict is Verdict.NEW:
                self._flushes = True
            if kind == "scope":
                self._commit()
        self._commit()
        self._add(self._last)
        self._commit()

    def delete_notes(self, note_ids: list[str]) -> None:
        """Delete notes of the agent."""
        for note_id in note_ids:
            self._add([Pending(Write(delete_note={"note_id": note_id}), f"note {note_id}")])
        self._commit()

    def _of(self, found: Compared, place: str) -> Iterator[Pending]:
        """Yield the writes for a record."""
        record, message = found.record, found.record.message
        match record.kind:
            case "memory":
                yield from self._memory(found, place)
            case "memory_link":
                yield from self._link(found, place)
            case "plan":
                yield from self._plan(found, place)
            case "agent":
                # Its defaults would apply to the records of the copy.
                self._last += [Pending(write, place) for write in self._writes(found)]
            case "scope":
                copied = message.scope_id
                for write in self._writes(found):
                    yield Pending(write, place, lambda result: self._scope_created(copied, result))
            case _:
                yield from (Pending(write, place) for write in self._writes(found))

    def _writes(self, found: Compared) -> list[Write]:
        message = found.record.message
        recreated = self._findings.recreated if self._replaces else ()
        if found.record.kind == "conversation" and message.conversation_id in recreated:
            return recreating(found.writes, message.conversation_id)
        if found.record.kind == "message" and message.conversation_id in recreated:
            return found.writes.create
        if found.verdict is Verdict.NEW:
            return only_if_missing(found.writes.create)
        return found.writes.replace if found.verdict is Verdict.DIFFERENT and self._replaces else []

    def _memory(self, found: Compared, place: str) -> Iterator[Pending]:
        memory = found.record.message
        if memory.status == memory_pb2.MEMORY_STATUS_ACTIVE:
            self._active.add(memory.memory_id)
        if found.verdict is Verdict.EXPIRED:
            # Perhaps since it was compared.
            self._expired_ids.add(memory.memory_id)
        writes = self._writes(found)
        if writes and found.known is not None and not found.known.digest:
            yield Pending(Write(restore_memory={"memory_id": memory.memory_id}), place)
        for write in writes:
            yield Pending(write, place, lambda result: self._memory_created(memory.memory_id, result))

    def _memory_created(self, memory_id: str, result: Any) -> None:
        if result.WhichOneof("result") == "create_memory" and not result.create_memory.created:
            self._block(memory_id)

    def _block(self, memory_id: str) -> None:
        self._blocked_ids.add(memory_id)
        self.blocked["memory"] += 1

    def _link(self, found: Compared, place: str) -> Iterator[Pending]:
        link = found.record.message
        if _is_link_of(found, self._expired_ids):
            return
        if found.verdict is Verdict.NEW and _is_link_of(found, self._blocked_ids):
            self.blocked["memory_link"] += 1
            return
        for write in self._writes(found):
            yield Pending(write, place)
            if link.type == memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES and link.to_memory_id in self._active:
                yield Pending(activating(link.to_memory_id), place)

    def _plan(self, found: Compared, place: str) -> Iterator[Pending]:
        plan, writes = found.record.message, self._writes(found)
        yield from (Pending(write, place) for write in writes)
        if writes and (current := self._current.get(plan.conversation_id)):
            # The plan has ended, and one that is older was reopened later.
            yield Pending(reopening(current), place)
        is_kept = writes or found.verdict is Verdict.SAME
        if is_kept and plan.conversation_id and plan.status == plan_pb2.PLAN_STATUS_IN_PROGRESS:
            self._current[plan.conversation_id] = plan.plan_id

    def _flush_fragments(self) -> None:
        """Flush the fragments that were flushed: in their commit, and before those that were not are created."""
        if self._flushes:
            self._pending.append(Pending(Write(flush_fragments={}), "the flushed fragments"))
            self._flushes = False

    def _scope_created(self, copied_id: str, result: Any) -> None:
        self._comparison.create_scope(copied_id, result.create_scope.scope.scope_id)

    def _add(self, writes: list[Pending]) -> None:
        size = sum(each.write.ByteSize() for each in writes)
        if len(self._pending) + len(writes) > COPY_COMMIT_WRITES or self._bytes + size > COPY_COMMIT_BYTES:
            self._commit()
        self._pending += writes
        self._bytes += size

    def _commit(self) -> None:
        """Commit the pending writes. Raises OperatorError, which names the place of what is refused, and CallFailed."""
        self._flush_fragments()
        response = None
        while self._pending and response is None:
            response = self._sent()
        if response is None:
            return
        self.revision = response.revision
        for pending, result in zip(self._pending, response.results, strict=True):
            if pending.received is not None:
                pending.received(result)
        self._pending, self._bytes = [], 0

    def _sent(self) -> Any:
        """Send the pending writes, and return the response; None if a memory was left out of them instead."""
        request = CommitRequest(
            agent_id=self._target.agent_id,
            request_id=new_request_id(),
            writes=[each.write for each in self._pending],
        )
        try:
            return self._channel.run(call(COMMIT, request, lambda response: response, patience=COPY_COMMIT_S_MAX))
        except CallFailed as error:
            index = error.metadata.get("write_index", "")
            if not index.isdecimal():
                raise
            refused, reason = self._pending[int(index)], error.reason.removeprefix("ERROR_REASON_")
            if reason != "RECORD_NOT_FOUND" or not self._follows_creation(refused):
                raise OperatorError(f"{refused.place}: {error.message} ({reason})") from error
        # Nothing was created, since its content was purged for good, so that its expiry could not be removed.
        self._block(refused.write.update_memory.memory_id)
        self._pending = [each for each in self._pending if each.place != refused.place]
        return None

    def _follows_creation(self, pending: Pending) -> bool:
        """Return True for the change of a memory that the same commit creates."""
        creates = any(each.place == pending.place and each.write.HasField("create_memory") for each in self._pending)
        return creates and pending.write.HasField("update_memory")
