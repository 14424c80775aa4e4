"""The notes of an agent."""

from collections.abc import AsyncIterator
from typing import Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.note import Note
from memoryd.protocol import note as calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.note import NoteChanges, NoteListOptions, NoteOptions


@checks_keywords
class Notes:
    """Titled, editable texts for prompts.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def create(self, title: str, content: str, **options: Unpack[NoteOptions]) -> Note:
        """Create a note. Raises RecordExists when the ``note_id`` is taken, TooLarge, QuotaExceeded."""
        return await self._channel.run(calls.create_note(self._agent_id, title, content, options))

    async def get(self, note_id: str, **options: Unpack[ReadOptions]) -> Note:
        """Return a note. Raises RecordNotFound."""
        return await self._channel.run(reading(calls.get_note(self._agent_id, note_id), options))

    async def update(
        self, note_id: str, *, expected_revision: int | None = None, **changes: Unpack[NoteChanges]
    ) -> Note:
        """Change the given fields of a note, and return the changed note.

        Raises RecordNotFound, and RevisionMismatch when another writer was faster.
        """
        return await self._channel.run(calls.update_note(self._agent_id, note_id, changes, expected_revision))

    @overload
    async def delete(
        self, note_id: str, *, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def delete(
        self, note_id: str, *, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> bool: ...

    async def delete(
        self, note_id: str, *, expected_revision: int | None = None, erase: bool = False
    ) -> bool | ErasureReceipt:
        """Remove a note, and return whether there was one. Raises RevisionMismatch.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.delete_note(self._agent_id, note_id, expected_revision, erase=erase))

    def list(self, **options: Unpack[NoteListOptions]) -> AsyncIterator[Note]:
        """Yield the notes, all at one revision."""
        return self._channel.pages(reading(calls.list_notes(self._agent_id, options), options))
