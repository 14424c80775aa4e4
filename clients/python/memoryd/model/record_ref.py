"""References to records."""

from dataclasses import dataclass, fields, replace

from memoryd.model.record import RECORD_KIND, RecordKind
from memoryd.v1 import record_pb2 as pb


@dataclass(frozen=True, slots=True)
class RecordRef:
    """A reference to a record: its kind, and the ids that identify a record of this kind. The other fields are empty.

    ``number`` is that of a message within its conversation, or of a chunk within its document. ``agent_id`` is the
    record's agent if it is another one than the request's.
    """

    kind: RecordKind
    scope_id: str = ""
    key: str = ""
    fragment_id: str = ""
    memory_id: str = ""
    to_memory_id: str = ""
    note_id: str = ""
    plan_id: str = ""
    step_id: str = ""
    conversation_id: str = ""
    entity_type: str = ""
    entity_id: str = ""
    document_id: str = ""
    snapshot_id: str = ""
    number: int = 0
    agent_id: str = ""

    def __str__(self) -> str:
        """Return the ids as text for people, such as "guide/3" for a chunk; empty for a text.

        That of another agent has the agent in front: "handbook:guide/3".
        """
        ids = (getattr(self, each.name) for each in fields(self) if each.name not in ("kind", "agent_id"))
        named = "/".join(str(each) for each in ids if each)
        return f"{self.agent_id}:{named}" if self.agent_id else named


def record_ref_from(message: pb.RecordRef) -> RecordRef:
    """Return the reference of a message."""
    return replace(_ids_from(message), agent_id=message.agent_id)


def _ids_from(message: pb.RecordRef) -> RecordRef:
    kind = RECORD_KIND.word(RecordKind, message.kind)
    match message.WhichOneof("id"):
        case "entry":
            return RecordRef(kind, scope_id=message.entry.scope_id, key=message.entry.key)
        case "memory_link":
            link = message.memory_link
            return RecordRef(kind, memory_id=link.from_memory_id, to_memory_id=link.to_memory_id)
        case "plan_step":
            return RecordRef(kind, plan_id=message.plan_step.plan_id, step_id=message.plan_step.step_id)
        case "entity":
            entity = message.entity
            return RecordRef(
                kind, conversation_id=entity.conversation_id, entity_type=entity.type, entity_id=entity.entity_id
            )
        case "document_chunk":
            chunk = message.document_chunk
            return RecordRef(kind, document_id=chunk.document_id, number=chunk.number)
        case "message":
            return RecordRef(kind, conversation_id=message.message.conversation_id, number=message.message.number)
        case None:
            return RecordRef(kind)
        case field:
            # The others are ids alone, whose fields have the same names here.
            return RecordRef(kind, **{field: getattr(message, field)})
