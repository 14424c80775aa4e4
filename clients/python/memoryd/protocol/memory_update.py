"""The call that changes some fields of a memory."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from google.protobuf.field_mask_pb2 import FieldMask

from memoryd.model.entry import write_metadata
from memoryd.model.memory import (
    MEMORY_STATUS,
    MEMORY_TYPE,
    Embedding,
    MemoryStatus,
    MemoryType,
    Provenance,
    embedding_message,
    provenance_message,
)
from memoryd.model.memory_change import ChangedMemory, changed_memory_from
from memoryd.model.moment import timestamp_if_given
from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.protocol.option import precondition_of, strings_of
from memoryd.v1 import long_term_memory_service_pb2 as pb


class MemoryChanges(TypedDict, total=False):
    """The fields of a memory to change; the others stay unchanged.

    None clears ``provenance``, ``metadata`` and ``expire_time``, and ``()`` clears ``tags`` and ``aliases``. If
    ``content`` changes without ``embedding``, the server's embedder makes a new vector.
    """

    content: str
    type: MemoryType | str
    status: MemoryStatus | str
    provenance: Provenance | None
    aliases: Collection[str]
    tags: Collection[str]
    metadata: Mapping[str, Any] | None
    importance: float
    embedding: Embedding | Iterable[float]
    occur_time: datetime
    expire_time: datetime | None


def update_memory(
    agent_id: str, memory_id: str, changes: MemoryChanges, expected_revision: int | None
) -> Call[ChangedMemory]:
    """Change a memory. Raises ValueError if there are no changes, or a time has no zone."""
    if not changes:
        raise ValueError("the update has no changes: name at least one field")
    request = pb.UpdateMemoryRequest(
        agent_id=agent_id,
        memory_id=memory_id,
        draft=_changed(changes),
        update_mask=FieldMask(paths=changes.keys()),
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.UPDATE_MEMORY, request, changed_memory_from)


def _changed(changes: MemoryChanges) -> pb.MemoryDraft:
    message = pb.MemoryDraft(
        content=changes.get("content", ""),
        type=MEMORY_TYPE.number(changes.get("type", "unspecified")),
        status=MEMORY_STATUS.number(changes.get("status", "unspecified")),
        provenance=provenance_message(changes.get("provenance")),
        occur_time=timestamp_if_given(changes.get("occur_time")),
        expire_time=timestamp_if_given(changes.get("expire_time")),
        importance=changes.get("importance"),
        aliases=strings_of("aliases", changes.get("aliases", ())),
        tags=strings_of("tags", changes.get("tags", ())),
        embedding=embedding_message(changes.get("embedding")),
    )
    if (metadata := changes.get("metadata")) is not None:
        write_metadata(message.metadata, metadata)
    return message
