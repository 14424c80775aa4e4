"""What may be done with notes, and how it is decided."""

import msgspec

from memoryd_server.domain.agent.collection_transition import collection, known, put, remove
from memoryd_server.domain.agent.command import CollectionCommand, Precondition
from memoryd_server.domain.agent.event import EventCause
from memoryd_server.domain.agent.kind import NOTE
from memoryd_server.domain.agent.result import RecordPut, RecordRemoved
from memoryd_server.domain.agent.transition import Transition
from memoryd_server.domain.error import LimitExceeded, RecordExists
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.validation import size_bytes


class NoteText(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a writer says of a note; what is unset stays as it is."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    content: str | msgspec.UnsetType = msgspec.UNSET
    storage_key: str | msgspec.UnsetType = msgspec.UNSET
    importance: float | msgspec.UnsetType = msgspec.UNSET


class CreateNote(CollectionCommand, frozen=True):
    """Write a note. ``note_id`` must be free."""

    note_id: str
    title: str
    content: str
    storage_key: str
    importance: float


class UpdateNote(CollectionCommand, frozen=True):
    """Change what a note says."""

    note_id: str
    text: NoteText
    precondition: Precondition | None = None


class DeleteNote(CollectionCommand, frozen=True):
    """Remove a note, if it is there."""

    note_id: str
    precondition: Precondition | None = None


def create_note(command: CreateNote, transition: Transition, cause: EventCause = EventCause.REQUEST) -> RecordPut:
    """Write a note. Raises RecordExists, LimitExceeded."""
    notes = collection(transition, NOTE)
    if notes.find("", command.note_id) is not None:
        raise RecordExists(NOTE.name, command.note_id)
    if len(notes) >= transition.limits.notes_per_agent:
        raise LimitExceeded("notes_per_agent", transition.limits.notes_per_agent)
    now, revision = transition.now, transition.revision
    texts = (command.storage_key, command.title, command.content)
    note = Note(command.note_id, *texts, command.importance, now, now, revision, _size_bytes(*texts))
    put(transition, NOTE, note, cause)
    return RecordPut(note, changed=True, revision=transition.revision)


def update_note(command: UpdateNote, transition: Transition) -> RecordPut:
    """Change what a note says. Raises RecordNotFound, RevisionMismatch, LimitExceeded."""
    before = known(transition, NOTE, "", command.note_id, command.precondition)
    said = {name: value for name, value in msgspec.structs.asdict(command.text).items() if value is not msgspec.UNSET}
    after = msgspec.structs.replace(before, **said)
    if after == before:
        return RecordPut(before, changed=False, revision=transition.result_revision)
    size = _size_bytes(after.storage_key, after.title, after.content)
    after = msgspec.structs.replace(after, update_time=transition.now, revision=transition.revision, size_bytes=size)
    put(transition, NOTE, after)
    return RecordPut(after, changed=True, revision=transition.revision)


def delete_note(command: DeleteNote, transition: Transition) -> RecordRemoved:
    """Remove a note, if it is there. Raises RevisionMismatch."""
    note = collection(transition, NOTE).find("", command.note_id)
    if note is None:
        return RecordRemoved(0, transition.result_revision)
    remove(transition, NOTE, known(transition, NOTE, "", command.note_id, command.precondition))
    return RecordRemoved(1, transition.revision)


def _size_bytes(*texts: str) -> int:
    return sum(map(size_bytes, texts))
