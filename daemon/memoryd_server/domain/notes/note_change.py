"""Commands that create, change and delete notes."""

from typing import Any

import msgspec

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.precondition import Precondition
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import QuotaExceeded, RecordExists
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.notes.note import NOTE, Note


class NotePatch(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fields to change of a note. A field that is UNSET keeps its value."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    content: str | msgspec.UnsetType = msgspec.UNSET
    notebook: str | msgspec.UnsetType = msgspec.UNSET
    importance: float | msgspec.UnsetType = msgspec.UNSET
    user_id: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    metadata_json: str | msgspec.UnsetType = msgspec.UNSET


class CreateNote(Command[RecordPut[Note]], frozen=True):
    """Create a note. ``note_id`` must not exist."""

    note_id: str
    title: str
    content: str
    notebook: str
    importance: float
    user_id: str = ""
    tags: tuple[str, ...] = ()
    metadata_json: str = ""

    def decide(self, transition: Transition) -> RecordPut[Note]:
        """Create a note. Raises RecordExists, QuotaExceeded."""
        return create_note(self, transition)


class UpdateNote(Command[RecordPut[Note]], frozen=True):
    """Change the given fields of a note."""

    note_id: str
    patch: NotePatch
    precondition: Precondition | None = None

    def decide(self, transition: Transition) -> RecordPut[Note]:
        """Change the given fields. Raises RecordNotFound, what ``check_record`` raises, and QuotaExceeded."""
        before = transition.open(NOTE).existing("", self.note_id, self.precondition)
        fields = {
            name: value for name, value in msgspec.structs.asdict(self.patch).items() if value is not msgspec.UNSET
        }
        after = msgspec.structs.replace(before, **fields)
        if after == before:
            return RecordPut(before, changed=False, revision=transition.result_revision)
        after = msgspec.structs.replace(after, update_time=transition.now, revision=transition.revision).sized()
        transition.open(NOTE).put(after)
        return RecordPut(after, changed=True, revision=transition.revision)


class DeleteNote(Command[RecordRemoved], frozen=True):
    """Delete a note, if it exists."""

    note_id: str
    precondition: Precondition | None = None

    def removed_paths(self, result: Any) -> tuple[RecordPath, ...]:
        """Return the note."""
        return (("note", "", self.note_id),)

    def decide(self, transition: Transition) -> RecordRemoved:
        """Delete a note, if it exists. Raises what ``check_record`` raises."""
        note = transition.open(NOTE).found("", self.note_id, self.precondition)
        if note is None:
            return RecordRemoved(0, transition.result_revision)
        transition.open(NOTE).remove(note)
        return RecordRemoved(1, transition.revision)


def create_note(command: CreateNote, transition: Transition, cause: EventCause = EventCause.REQUEST) -> RecordPut[Note]:
    """Create a note. Raises RecordExists, QuotaExceeded."""
    notes = transition.open(NOTE).records
    there = notes.find("", command.note_id)
    if there is not None:
        raise RecordExists(NOTE.name, command.note_id, there.revision)
    if len(notes) >= transition.limits.notes_per_agent:
        raise QuotaExceeded("notes_per_agent", transition.limits.notes_per_agent)
    note = Note(
        command.note_id,
        command.notebook,
        command.title,
        command.content,
        command.importance,
        command.user_id,
        command.tags,
        command.metadata_json,
        create_time=transition.now,
        update_time=transition.now,
        revision=transition.revision,
        size_bytes=0,
    ).sized()
    transition.open(NOTE).put(note, cause)
    return RecordPut(note, changed=True, revision=transition.revision)
