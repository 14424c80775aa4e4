"""References to records, as the contract encodes them."""

from collections.abc import Callable, Sequence

from memoryd.v1 import record_pb2 as pb

_WRITERS: dict[str, Callable[[pb.RecordRef, Sequence[str]], None]] = {
    "text": lambda ref, ids: None,
    "entry": lambda ref, ids: ref.entry.CopyFrom(pb.EntryRef(scope_id=ids[0], key=ids[1])),
    "memory": lambda ref, ids: setattr(ref, "memory_id", ids[0]),
    "note": lambda ref, ids: setattr(ref, "note_id", ids[0]),
    "plan": lambda ref, ids: setattr(ref, "plan_id", ids[0]),
    "plan_step": lambda ref, ids: ref.plan_step.CopyFrom(pb.PlanStepRef(plan_id=ids[0], step_id=ids[1])),
    "entity": lambda ref, ids: ref.entity.CopyFrom(pb.EntityRef(conversation_id=ids[0], type=ids[1], entity_id=ids[2])),
    "document_chunk": lambda ref, ids: ref.document_chunk.CopyFrom(
        pb.DocumentChunkRef(document_id=ids[0], number=int(ids[1]))
    ),
    "message": lambda ref, ids: ref.message.CopyFrom(pb.MessageRef(conversation_id=ids[0], number=int(ids[1]))),
    "summary": lambda ref, ids: setattr(ref, "conversation_id", ids[0]),
}


def record_ref(kind: str, ids: Sequence[str], agent_id: str = "") -> pb.RecordRef:
    """Return a reference to a record of a kind, such as "document_chunk", by the ids that name it.

    ``agent_id`` is the record's agent if it is not that of the request, which a text does not have.
    """
    ref = pb.RecordRef(kind=f"RECORD_KIND_{kind.upper()}", agent_id="" if kind == "text" else agent_id)
    _WRITERS[kind](ref, ids)
    return ref
