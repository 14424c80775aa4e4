"""The history of a framework's session as a conversation: flows of calls.

Each item of the history is a message, with its words for people, searches and prompts, and with its own JSON. The JSON
is in the message's metadata, or, if it is large, in entries below ``transcript/CONVERSATION/MESSAGE/``, which are
written and removed together with the message.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from memoryd.adapter.listing import Flow, collected
from memoryd.adapter.name import conversation_id, part
from memoryd.errors import RecordExists, RecordNotFound, RevisionMismatch
from memoryd.model.conversation import ConversationInfo
from memoryd.model.entry import Entry
from memoryd.model.listing import ListOrder
from memoryd.model.message import Message, MessageDraft, MessageRole
from memoryd.protocol import conversation as calls
from memoryd.protocol.call import Call, Page
from memoryd.protocol.entry import Listing, Place, get_many, list_keys, remove_operation, write_batch
from memoryd.protocol.update import RACES_MAX
from memoryd.transaction.transaction import Transaction

# The metadata of a message has at most 64 KiB, in which the JSON is a string: each of its characters may be escaped.
METADATA_CHARS_MAX = 28_000
# A piece is a JSON string in an entry of at most 1 MiB.
PIECE_CHARS = 500_000
# The words of a message have at most 256 KiB, and a character up to four bytes.
TEXT_CHARS_MAX = 60_000
# The daemon commits at most 1,000 writes and 16 MiB at once; a message is one write, and a piece another.
COMMIT_WRITES_MAX = 400
COMMIT_CHARS_MAX = 4_000_000
# The pieces that a commit removes. No message has the others any more, which are removed after it.
REMOVED_MAX = 500
# Pieces are read in batches that fit into a message.
PIECES_READ_MAX = 50


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a history: its JSON object, and what people read of it.

    ``item_id`` is unique in the history; without one it is chosen.
    """

    data: Mapping[str, Any]
    role: MessageRole = MessageRole.UNSPECIFIED
    text: str = ""
    name: str = ""
    item_id: str = ""
    create_time: datetime | None = None


class Transcript:
    """The history of one session: the conversation of an agent, of a user unless the user's id is empty.

    ``format_name`` names the framework's JSON; messages that have none of this name are not part of the history.
    """

    def __init__(self, agent_id: str, session: str, user_id: str, format_name: str) -> None:
        self.agent_id = agent_id
        self.user_id = user_id
        self.conversation_id: str = conversation_id(*filter(None, [user_id]), session)
        self._format = format_name
        self._place = Place(agent_id)

    def append(self, items: Iterable[Item]) -> Flow[None]:
        """Append items, as one change unless they are more than 400 or larger than about 4 MB together.

        Raises RecordExists for an id that the history has.
        """
        for group in _groups([Stored.of(item, self._format) for item in items]):
            yield from self.commit_append(group)

    def commit_append(self, group: "Sequence[Stored]") -> Flow[None]:
        """Append items as one change. The first append creates the conversation of its user."""
        is_new = False
        for race in range(1, RACES_MAX + 1):
            transaction = Transaction(self.agent_id)
            if self.user_id and is_new:
                transaction.conversations.create(self.conversation_id, user_id=self.user_id)
            elif self.user_id:
                transaction.conversations.update(self.conversation_id, user_id=self.user_id)
            self.write(group, transaction)
            try:
                yield committed(transaction)
            except (RecordExists, RecordNotFound) as error:
                if race == RACES_MAX or is_new == isinstance(error, RecordNotFound):
                    raise
                is_new = not is_new
            else:
                return

    def write(self, group: "Sequence[Stored]", transaction: Transaction) -> None:
        """Add the writes that append items to a transaction."""
        transaction.conversations.append(self.conversation_id, [stored.draft for stored in group])
        for stored in group:
            self.write_pieces(stored.draft.message_id, stored.pieces, transaction)

    def write_pieces(self, name: str, pieces: Sequence[str], transaction: Transaction) -> None:
        """Add the writes of the pieces of a JSON to a transaction."""
        for key, piece in zip(self.piece_keys(name, len(pieces)), pieces, strict=True):
            transaction.set(key, piece, user_id=self.user_id)

    def read(self, limit: int | None = None) -> Flow[list[dict[str, Any]]]:
        """Return the JSON of the newest items, at most ``limit``, in the order in which they were appended."""
        messages = yield from self.messages(limit)
        found = []
        for message in messages:
            data = yield from self.data_of(message)
            if data is not None:
                found.append(data)
        return found

    def messages(self, limit: int | None = None) -> Flow[list[Message]]:
        """Return the newest messages of the history, at most ``limit``, in the order in which they were appended."""
        if limit is not None and limit <= 0:
            return []
        kept: list[Message] = []
        try:
            if limit is None:
                found = yield from collected(lambda: calls.list_messages(self.agent_id, self.conversation_id, {}))
                return [message for message in found if self._format in message.metadata]
            listed = calls.list_messages(self.agent_id, self.conversation_id, {"order": ListOrder.ID_DESCENDING})
            listed.request.page_size = min(limit, listed.request.page_size)
            following: Call[Page[Message]] | None = listed
            while following is not None and len(kept) < limit:
                page: Page[Message] = yield following
                kept += [message for message in page.items if self._format in message.metadata]
                following = page.following
        except RecordNotFound:
            return []
        return kept[:limit][::-1]

    def pop(self) -> Flow[dict[str, Any] | None]:
        """Remove the newest item, and return its JSON; None without any."""
        for race in range(1, RACES_MAX + 1):
            try:
                info: ConversationInfo = yield calls.get_conversation(self.agent_id, self.conversation_id)
            except RecordNotFound:
                return None
            newest = yield from self.messages(1)
            if not newest:
                return None
            data = yield from self.data_of(newest[0])
            transaction = Transaction(self.agent_id)
            transaction.conversations.truncate(self.conversation_id, newest[0].number, expected_revision=info.revision)
            for key in self._piece_keys(newest[0]):
                transaction.remove(key)
            try:
                yield committed(transaction)
            except (RecordNotFound, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                if data is not None:
                    return data
        raise AssertionError("unreachable: the last race returns or raises")

    def remove_at(self, index: int) -> Flow[dict[str, Any] | None]:
        """Remove an item by its position, which may be negative, and return its JSON; None if there is none.

        The items after it are appended again: as one change, unless they are more than 400 or larger than about 4 MB.
        """
        for race in range(1, RACES_MAX + 1):
            try:
                info: ConversationInfo = yield calls.get_conversation(self.agent_id, self.conversation_id)
            except RecordNotFound:
                return None
            messages = yield from self.messages()
            if not -len(messages) <= index < len(messages):
                return None
            position = index % len(messages)
            removed = yield from self.data_of(messages[position])
            kept = yield from self._again(messages[position + 1 :])
            transaction = Transaction(self.agent_id)
            transaction.conversations.truncate(
                self.conversation_id, messages[position].number, expected_revision=info.revision
            )
            keys = [key for message in messages[position:] for key in self._piece_keys(message)]
            for key in keys[:REMOVED_MAX]:
                transaction.remove(key)
            groups = list(_groups(kept))
            if groups:
                self.write(groups[0], transaction)
            try:
                yield committed(transaction)
            except (RecordNotFound, RevisionMismatch):
                if race == RACES_MAX:
                    raise
                continue
            yield from self.remove_pieces(keys[REMOVED_MAX:])
            for group in groups[1:]:
                yield from self.commit_append(group)
            return removed
        raise AssertionError("unreachable: the last race returns or raises")

    def _again(self, messages: Iterable[Message]) -> Flow["list[Stored]"]:
        """Return the items of messages, to be appended again."""
        kept = []
        for message in messages:
            data = yield from self.data_of(message)
            if data is not None:
                kept.append(Stored.of(Item(data, message.role, message.content, message.name), self._format))
        return kept

    def clear(self) -> Flow[None]:
        """Remove all items, with the conversation."""
        yield from self.replace(())

    def replace(self, items: Iterable[Item]) -> Flow[None]:
        """Replace all items by others: as one change, unless they are more than 400 or larger than about 4 MB."""
        groups = list(_groups([Stored.of(item, self._format) for item in items]))
        yield from self._replace(groups[0] if groups else ())
        for group in groups[1:]:
            yield from self.commit_append(group)

    def _replace(self, group: "Sequence[Stored]") -> Flow[None]:
        for race in range(1, RACES_MAX + 1):
            transaction = Transaction(self.agent_id)
            keys = yield from self._remove_all(transaction)
            if group:
                transaction.conversations.create(self.conversation_id, user_id=self.user_id)
                self.write(group, transaction)
            pending = transaction.pending("", {})
            if pending is None:
                return
            try:
                yield pending
            except (RecordExists, RevisionMismatch):
                if race == RACES_MAX:
                    raise
            else:
                yield from self.remove_pieces(keys)
                return

    def _remove_all(self, transaction: Transaction) -> Flow[list[str]]:
        try:
            info: ConversationInfo = yield calls.get_conversation(self.agent_id, self.conversation_id)
        except RecordNotFound:
            return []
        return (yield from self.remove_all(transaction, info))

    def remove_all(self, transaction: Transaction, info: ConversationInfo) -> Flow[list[str]]:
        """Add the writes that remove all items to a transaction, which fails if the conversation changed meanwhile.

        Returns the keys of the pieces that are to be removed after it.
        """
        pieces = Listing(key_prefix=f"transcript/{part(self.conversation_id)}/", filters={"user_id": self.user_id})
        keys: list[str] = yield from collected(lambda: list_keys(self._place, pieces))
        for key in keys[:REMOVED_MAX]:
            transaction.remove(key)
        transaction.conversations.delete(self.conversation_id, expected_revision=info.revision)
        return keys[REMOVED_MAX:]

    def remove_pieces(self, keys: Sequence[str]) -> Flow[None]:
        """Remove pieces that no message has any more."""
        for start in range(0, len(keys), REMOVED_MAX):
            yield write_batch(self._place, [remove_operation(key) for key in keys[start : start + REMOVED_MAX]])

    def data_of(self, message: Message) -> Flow[dict[str, Any] | None]:
        """Return the JSON of a message; None if it was removed meanwhile."""
        return (yield from self.json_of(message.metadata[self._format], message.message_id))

    def json_of(self, written: str | float, name: str) -> Flow[dict[str, Any] | None]:
        """Return what metadata has: JSON, or the number of its pieces, whose name is that of a message or another."""
        if isinstance(written, str):
            data: dict[str, Any] = json.loads(written)
            return data
        keys = self.piece_keys(name, int(written))
        entries: dict[str, Entry] = {}
        for start in range(0, len(keys), PIECES_READ_MAX):
            entries |= yield get_many(self._place, keys[start : start + PIECES_READ_MAX], local_only=True)
        if len(entries) < len(keys):
            return None
        joined: dict[str, Any] = json.loads("".join(entries[key].value for key in keys))
        return joined

    def piece_keys(self, name: str, count: int) -> list[str]:
        """Return the keys of the first pieces of a message's JSON, or of another one of this name."""
        prefix = f"transcript/{part(self.conversation_id)}/{part(name)}/"
        return [f"{prefix}{number}" for number in range(1, count + 1)]

    def _piece_keys(self, message: Message) -> list[str]:
        written = message.metadata[self._format]
        return self.piece_keys(message.message_id, 0 if isinstance(written, str) else int(written))


def committed(transaction: Transaction) -> Call[None]:
    """Return the call that commits a transaction, which is not empty."""
    pending = transaction.pending("", {})
    assert pending is not None
    return pending


@dataclass(frozen=True, slots=True)
class Stored:
    """An item as it is stored: the message, and the pieces of its JSON that are entries."""

    draft: MessageDraft
    pieces: tuple[str, ...]
    size: int

    @classmethod
    def of(cls, item: Item, format_name: str) -> "Stored":
        """Return an item as it is stored."""
        text = json.dumps(item.data, separators=(",", ":"))
        pieces = pieces_of(text)
        draft = MessageDraft(
            item.role,
            _readable(item.text),
            name=item.name,
            metadata={format_name: len(pieces) or text},
            message_id=item.item_id or uuid4().hex,
            create_time=item.create_time,
        )
        return cls(draft, pieces, len(text) + len(draft.content))


def pieces_of(text: str) -> tuple[str, ...]:
    """Return the pieces of JSON in ASCII that is too large for metadata; none of other JSON."""
    if len(text) <= METADATA_CHARS_MAX:
        return ()
    return tuple(text[start : start + PIECE_CHARS] for start in range(0, len(text), PIECE_CHARS))


def _readable(text: str) -> str:
    """Return the words as the daemon takes them: not too many, and without lone surrogates."""
    cut = text if len(text) <= TEXT_CHARS_MAX else f"{text[:TEXT_CHARS_MAX]}…"
    readable = cut.encode(errors="replace").decode()
    return readable if readable.strip() else ""


def _groups(items: Sequence[Stored]) -> Iterator[Sequence[Stored]]:
    group: list[Stored] = []
    writes = size = 0
    for item in items:
        cost = 1 + len(item.pieces)
        if group and (writes + cost > COMMIT_WRITES_MAX or size + item.size > COMMIT_CHARS_MAX):
            yield group
            group, writes, size = [], 0, 0
        group.append(item)
        writes += cost
        size += item.size
    if group:
        yield group
