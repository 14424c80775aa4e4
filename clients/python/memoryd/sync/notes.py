"""The notes of an agent."""

from collections.abc import Iterator
from typing import Unpack

from memoryd.model.note import Note
from memoryd.protocol import note as calls
from memoryd.protocol.note import NoteChanges, NoteOptions
from memoryd.sync.channel import Channel


class Notes:
    """Titled, editable memories that are put into prompts.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    def create(self, title: str, content: str, **options: Unpack[NoteOptions]) -> Note:
        """Write a note. Raises RecordExists when the ``note_id`` is taken, LimitExceeded."""
        return self._channel.run(calls.create_note(self._agent_id, title, content, options))

    def get(self, note_id: str) -> Note:
        """Answer a note. Raises RecordNotFound."""
        return self._channel.run(calls.get_note(self._agent_id, note_id))

    def update(self, note_id: str, *, expected_revision: int | None = None, **changes: Unpack[NoteChanges]) -> Note:
        """Change what is named, and answer the note as it is then.

        Raises RecordNotFound, and RevisionMismatch when somebody else was faster.
        """
        return self._channel.run(calls.update_note(self._agent_id, note_id, changes, expected_revision))

    def delete(self, note_id: str, *, expected_revision: int | None = None) -> bool:
        """Remove a note, and answer whether it was there. Raises RevisionMismatch."""
        return self._channel.run(calls.delete_note(self._agent_id, note_id, expected_revision))

    def list(self, storage_key: str | None = None) -> Iterator[Note]:
        """Yield the notes in the order of their creation, all or those of one key, all at one revision."""
        return self._channel.pages(calls.list_notes(self._agent_id, storage_key))
