"""A store of Pydantic AI's conversations."""

from collections.abc import Sequence
from contextlib import suppress

from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)

from memoryd.adapter.connected import Connected
from memoryd.adapter.connection import Connection
from memoryd.adapter.listing import Flow, collected
from memoryd.adapter.transcript import Transcript, committed
from memoryd.aio.client import Client as AioClient
from memoryd.errors import RecordExists, RecordNotFound, RevisionMismatch
from memoryd.model.conversation import ConversationInfo
from memoryd.protocol.conversation import list_conversations
from memoryd.protocol.update import RACES_MAX
from memoryd.pydantic_ai import log
from memoryd.sync.client import Client
from memoryd.transaction.transaction import Transaction

# The hints where entries are: without one, the logs of all conversations are asked.
HINTS_MAX = 10_000


class MemorydConversationStore(Connected, ConversationStore):
    """A store whose conversations are those of an agent, with the scope as their user.

    ``client`` is a ``memoryd.Client``, a ``memoryd.aio.Client`` of the running event loop, or an address as for
    ``memoryd.connect``. ``agent_id`` is the agent that owns the conversations.

    A save is one change, and raises ConversationConflict if another one was faster. A deleted conversation is removed
    with its messages, unless another conversation was forked from it: then the messages stay until that agent or user
    is removed. A message has at most about 8 MB as JSON, else TooLarge is raised.

    Every method raises CallFailed when the daemon refuses or cannot be reached. Close the store, or use it as an
    asynchronous context manager; a given client stays open.
    """

    def __init__(self, client: Client | AioClient | str | None = None, *, agent_id: str = "pydantic-ai") -> None:
        super().__init__()
        self._connection = Connection(client)
        self._agent_id = agent_id
        self._hints: dict[str, str] = {}

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return the record of a conversation; None if there is none."""
        stored = await self._connection.run_in_task(log.read(self._transcript(conversation_id)))
        if stored is None or stored.record is None:
            return None
        self._remember(stored.record)
        return stored.record

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return the records of a scope, or of all, the newest first, at most ``limit``."""
        records = await self._connection.run_in_task(self._records(scope))
        records.sort(key=lambda record: record.updated_at, reverse=True)
        return records[:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store a record with new entries, as one change. Raises ConversationConflict."""
        await self._connection.run_in_task(self._write(record, new_entries, expected_revision))
        self._remember(record)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a conversation. Raises ConversationConflict."""
        await self._connection.run_in_task(self._delete(conversation_id, expected_revision))

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry. Raises LookupError if there is none."""
        history = await self.read_history(entry_id, limit=1)
        return history[0]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the entries up to one of them, at most the last ``limit``. Raises LookupError."""
        return await self._connection.run_in_task(self._history(head_id, limit))

    def _transcript(self, conversation_id: str, scope: str | None = None) -> Transcript:
        return log.transcript_of(self._agent_id, conversation_id, scope)

    def _remember(self, record: ConversationRecord) -> None:
        if len(self._hints) > HINTS_MAX:
            self._hints.clear()
        for entry_id in (record.head_id, *record.branches):
            if entry_id is not None:
                self._hints.setdefault(entry_id, record.conversation_id)

    def _conversations(self, scope: str | None) -> Flow[list[ConversationInfo]]:
        if scope is None:
            return (yield from collected(lambda: list_conversations(self._agent_id, {"all_users": True})))
        return (yield from collected(lambda: list_conversations(self._agent_id, {"user_id": scope})))

    def _records(self, scope: str | None) -> Flow[list[ConversationRecord]]:
        found = []
        for info in (yield from self._conversations(scope)):
            stored = yield from log.record_in(info, self._of(info))
            if stored.record is not None and scope in (None, stored.record.scope):
                found.append(stored.record)
        return found

    def _write(
        self, record: ConversationRecord, new_entries: Sequence[ConversationEntry], expected_revision: str | None
    ) -> Flow[None]:
        transcript = self._transcript(record.conversation_id, record.scope)
        new_ids = {entry.id for entry in new_entries}
        # What the new entries, or the record without any, stand on.
        base = next((entry.parent_id for entry in new_entries), record.head_id)
        for race in range(1, RACES_MAX + 1):
            stored = yield from log.read(transcript)
            known = stored.record if stored else None
            if (known.revision if known else None) != expected_revision:
                raise ConversationConflict(record.conversation_id)
            transaction = Transaction(self._agent_id)
            if base is not None and base not in new_ids:
                home = yield from self._home(base)
                if home is None:
                    raise ConversationConflict(record.conversation_id)
                if home.conversation_id != transcript.conversation_id:
                    # It also makes the transaction fail if that conversation is deleted meanwhile.
                    transaction.conversations.update(home.conversation_id, tags=[log.FORKED])
            log.write(transcript, record, stored, transaction)
            if new_entries:
                transcript.write([log.stored_entry(entry) for entry in new_entries], transaction)
            try:
                yield committed(transaction)
            except (RecordExists, RecordNotFound, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                return

    def _delete(self, conversation_id: str, expected_revision: str) -> Flow[None]:
        for race in range(1, RACES_MAX + 1):
            transcript = self._transcript(conversation_id)
            stored = yield from log.read(transcript)
            if stored is None or stored.record is None or stored.record.revision != expected_revision:
                raise ConversationConflict(conversation_id)
            transcript.user_id = stored.info.user_id
            transaction = Transaction(self._agent_id)
            keys: list[str] = []
            if log.FORKED in stored.info.tags:
                log.write(transcript, None, stored, transaction)
            else:
                keys = yield from transcript.remove_all(transaction, stored.info)
            try:
                yield committed(transaction)
            except (RecordNotFound, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                yield from transcript.remove_pieces(keys)
                return

    def _history(self, head_id: str | None, limit: int | None) -> Flow[list[ConversationEntry]]:
        found: list[ConversationEntry] = []
        entries: dict[str, ConversationEntry] = {}
        entry_id = head_id
        while entry_id is not None and (limit is None or len(found) < limit):
            if entry_id not in entries:
                home = yield from self._home(entry_id)
                if home is None:
                    raise LookupError(f"there is no entry {entry_id!r}")
                entries |= {entry.id: entry for entry in map(log.entry_of, (yield from home.read()))}
            found.append(entries[entry_id])
            entry_id = entries[entry_id].parent_id
        return found[::-1]

    def _home(self, entry_id: str) -> Flow[Transcript | None]:
        """Return the log that has an entry; None if none has."""
        hint = self._hints.get(entry_id)
        if hint is not None:
            transcript = self._transcript(hint)
            if (yield from log.has_entry(transcript, entry_id)):
                return transcript
        for info in (yield from self._conversations(None)):
            transcript = self._of(info)
            if (yield from log.has_entry(transcript, entry_id)):
                with suppress(KeyError):
                    del self._hints[entry_id]
                return transcript
        return None

    def _of(self, info: ConversationInfo) -> Transcript:
        transcript = self._transcript("")
        transcript.conversation_id = info.conversation_id
        transcript.user_id = info.user_id
        return transcript
