"""Requests with nothing but what the contract requires, made by reflection."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tests.contract.annotation import annotation
from tests.contract.contract import contract

Path = tuple[FieldDescriptor, ...]
"""The fields that lead from a request to one of its fields."""

ALSO = {
    "AddPlanNoteRequest": "plan_id",
    "AddPlanStepRequest": "plan_id",
    "BatchForgetMemoriesRequest": "memory_ids",
    "CompletePlanRequest": "plan_id",
    "CreatePlanRequest": "draft",
    "GetPlanRequest": "plan_id",
    "ImportSnapshotRequest": "header",
    "MessageDraft": "content",
    "MessageFile": "uri",
    "MovePlanStepRequest": "plan_id",
    "PlanDraft": "goal",
    "RecallMemoriesRequest": "query",
    "RemovePlanStepRequest": "plan_id",
    "SearchDocumentsRequest": "query",
    "StartOperationRequest": "create_snapshot",
    "UpdateDocumentRequest": "update_mask",
    "UpdatePlanRequest": "plan_id",
    "UpdatePlanStepRequest": "plan_id",
}
"""Of messages that need one field or another, the one that a sample has."""

_TEXTS = {"to_memory_id": "b", "value_json": "1", "result_json": "{}", "url": "http://127.0.0.1/"}
_NUMBERS = {
    FieldDescriptor.TYPE_DOUBLE: 0.5,
    FieldDescriptor.TYPE_FLOAT: 0.5,
    FieldDescriptor.TYPE_BOOL: True,
    FieldDescriptor.TYPE_BYTES: b"a",
}


def fill(message: Any) -> None:
    """Set the fields that a message must have, and the first field of each oneof that must be set."""
    for field in message.DESCRIPTOR.fields:
        if "REQUIRED" in annotation(field).behaviors and (field.containing_oneof is None):
            put(message, field)
        elif field.name == "wait_duration":
            message.wait_duration.SetInParent()
    if (also := ALSO.get(message.DESCRIPTOR.name)) and message.DESCRIPTOR.fields_by_name[also] not in (
        field for field, _ in message.ListFields()
    ):
        put(message, message.DESCRIPTOR.fields_by_name[also])
    for oneof in message.DESCRIPTOR.oneofs:
        comment = contract().comment(oneof)
        if ("Required" in comment or "must be set" in comment) and message.WhichOneof(oneof.name) is None:
            put(message, oneof.fields[0])


def put(message: Any, field: FieldDescriptor) -> None:
    """Set a field to some value that is valid, or add one element to it."""
    if field.message_type is not None:
        child = getattr(message, field.name)
        child = child.add() if field.is_repeated else child
        child.SetInParent()
        if field.message_type.full_name == "google.protobuf.Value":
            child.string_value = "a"
        fill(child)
        if field.name == "update_mask":
            put(message, message.DESCRIPTOR.fields_by_name["draft"])
            child.paths.append(_updated(message.DESCRIPTOR))
    elif field.is_repeated:
        getattr(message, field.name).append(value_of(field))
    else:
        setattr(message, field.name, value_of(field))


def value_of(field: FieldDescriptor, number: int = 0) -> Any:
    """Return a valid value of a field; another number gives another value, of texts and numbers."""
    if field.type == FieldDescriptor.TYPE_STRING:
        return _TEXTS.get(field.name) or f"a{number or ''}"
    if field.enum_type is not None:
        return field.enum_type.values[1].number
    return _NUMBERS.get(field.type, number + 1)


def child_of(message: Any, path: Path) -> tuple[Any, str]:
    """Return the message that has the last field of a path, made if it is not there, and the name of that field."""
    names = []
    for field in path[:-1]:
        child = getattr(message, field.name)
        if field.is_repeated:
            if not child:
                fill(child.add())
            names.append(f"{field.name}[0]")
            message = child[0]
        else:
            if not message.HasField(field.name):
                child.SetInParent()
                fill(child)
            names.append(field.name)
            message = child
    return message, ".".join((*names, path[-1].name))


def paths(message: Descriptor, above: Path = ()) -> Iterator[Path]:
    """Yield the paths to all fields of a request, also to those of its messages; a message within itself once.

    A request within another one is left out, since it is the request of a method of its own.
    """
    for field in message.fields:
        path = (*above, field)
        yield path
        nested = field.message_type
        is_ours = nested is not None and nested.file.package == "memoryd.v1" and not nested.name.endswith("Request")
        if is_ours and all(each.containing_type is not nested for each in path):
            yield from paths(nested, path)


def _updated(request: Descriptor) -> str:
    """Return a field that the draft of an update always has."""
    for field in request.fields_by_name["draft"].message_type.fields:
        if "REQUIRED" in annotation(field).behaviors and field.name != "user_id":
            return str(field.name)
    return "metadata"
