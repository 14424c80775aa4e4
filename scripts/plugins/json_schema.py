"""JSON Schemas of messages, by the mapping of protobuf to JSON: https://protobuf.dev/programming-guides/json."""

from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import DescriptorPool

Schema = dict[str, Any]

_REQUIRED = 2
"""The number of REQUIRED in google.api.FieldBehavior."""

_WELL_KNOWN: dict[str, Schema] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?[0-9]{1,12}(\.[0-9]{1,9})?s$"},
    "google.protobuf.FieldMask": {"type": "string"},
    "google.protobuf.Struct": {"type": "object"},
    "google.protobuf.ListValue": {"type": "array"},
    # Any JSON.
    "google.protobuf.Value": {},
}
_LONG: Schema = {"type": "string", "format": "int64", "pattern": "^-?[0-9]{1,19}$"}
_SCALARS: dict[int, Schema] = {
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_DOUBLE: {"type": "number", "format": "double"},
    FieldDescriptor.TYPE_FLOAT: {"type": "number", "format": "float"},
    FieldDescriptor.TYPE_INT32: {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptor.TYPE_INT64: _LONG,
    FieldDescriptor.TYPE_UINT64: {**_LONG, "format": "uint64", "pattern": "^[0-9]{1,20}$"},
}


class Schemas:
    """The schemas of messages and enums by name, as they are referred to.

    ``comments`` are by the names of messages, fields and enums within the package. ``requests`` are the messages that
    methods are called with. All of them are to be asked for before any response: a message that is in both has two
    schemas.
    """

    def __init__(self, pool: DescriptorPool, comments: Mapping[str, str], requests: Iterable[str]) -> None:
        self.found: dict[str, Schema] = {}
        self._comments = comments
        self._requests = frozenset(requests)
        self._sent: set[str] = set()
        self._options = message_factory.GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FieldOptions"))
        self._policy = pool.FindExtensionByName("memoryd.v1.field_policy")
        self._behavior = pool.FindExtensionByName("google.api.field_behavior")

    def of_request(self, message: Descriptor) -> Schema:
        """Return a reference to the schema of a request. Unknown fields are refused, in whatever is within it."""
        return self._message(message, is_sent=True, is_whole=True)

    def of_response(self, message: Descriptor) -> Schema:
        """Return a reference to the schema of a response. A later version may have more fields and values of enums."""
        return self._message(message, is_sent=False, is_whole=False)

    def _message(self, message: Descriptor, *, is_sent: bool, is_whole: bool) -> Schema:
        if (known := _WELL_KNOWN.get(message.full_name)) is not None:
            return dict(known)
        required = [field.json_name for field in message.fields if is_whole and self._is_required(field)]
        is_partial = is_sent and not is_whole and any(map(self._is_required, message.fields))
        is_also_sent = not is_sent and _name(message) in self._sent
        name = f"{_name(message)}{'.Partial' * is_partial}{'.Returned' * is_also_sent}"
        if name not in self.found:
            schema = self.found[name] = _described({"type": "object"}, self._comments[_name(message)])
            schema["properties"] = {
                field.json_name: self._field(field, is_sent=is_sent, is_required=field.json_name in required)
                for field in message.fields
            }
            schema |= _exclusions(message)
            if required:
                schema["required"] = required
            if is_sent:
                self._sent.add(_name(message))
                schema["additionalProperties"] = False
        return {"$ref": f"#/components/schemas/{name}"}

    def _field(self, field: FieldDescriptor, *, is_sent: bool, is_required: bool) -> Schema:
        policy = self._extension(field, self._policy)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            value = self._element(field.message_type.fields_by_name["value"], is_sent=is_sent)
            schema: Schema = {"type": "object", "additionalProperties": value}
        elif field.is_repeated:
            element = self._element(field, is_sent=is_sent)
            schema = {
                "type": "array",
                "items": element | _bounds(field, policy, is_required=True) if is_sent else element,
            }
            if is_sent and policy.items_max:
                schema["maxItems"] = policy.items_max
            if is_sent and is_required:
                schema["minItems"] = 1
        else:
            schema = self._element(field, is_sent=is_sent)
            if is_sent:
                schema |= _bounds(field, policy, is_required=is_required)
        return _described(schema, self._comments.get(f"{_name(field.containing_type)}.{field.name}", ""))

    def _element(self, field: FieldDescriptor, *, is_sent: bool) -> Schema:
        if field.message_type is not None:
            return self._message(field.message_type, is_sent=is_sent, is_whole=is_sent and self._is_whole_in(field))
        if field.enum_type is not None:
            known = self._enum(field.enum_type)
            # A later version may return another value.
            return known if is_sent or "$ref" not in known else {"anyOf": [known, {"type": "string"}]}
        return dict(_SCALARS[field.type])

    def _is_whole_in(self, field: FieldDescriptor) -> bool:
        """Return True if the required fields of a message are also required where this field has it.

        A request within another one need not repeat the agent, and a change names by its mask what it is about.
        """
        return (
            "update_mask" not in field.containing_type.fields_by_name and field.message_type.name not in self._requests
        )

    def _enum(self, enum: EnumDescriptor) -> Schema:
        name = _name(enum)
        if name.startswith("google."):
            return {"type": "null"}
        if name not in self.found:
            meanings = [self._comments[f"{name}.{value.name}"] for value in enum.values]
            text = "\n".join([self._comments[name], "", *(f"- {meaning}" for meaning in meanings)])
            self.found[name] = {"type": "string", "enum": [value.name for value in enum.values], "description": text}
        return {"$ref": f"#/components/schemas/{name}"}

    def _is_required(self, field: FieldDescriptor) -> bool:
        return _REQUIRED in self._extension(field, self._behavior)

    def _extension(self, field: FieldDescriptor, extension: Any) -> Any:
        return self._options.FromString(field.GetOptions().SerializeToString()).Extensions[extension]


def _bounds(field: FieldDescriptor, policy: Any, *, is_required: bool) -> Schema:
    """Return the limits of a number or a text, of which an empty one is none at all unless it is required."""
    bounds: Schema = {}
    if field.type == FieldDescriptor.TYPE_STRING:
        if policy.bytes_max:
            bounds["maxLength"] = policy.bytes_max
        if policy.pattern:
            bounds["pattern"] = f"^(?:{policy.pattern}){'' if is_required else '?'}$"
        if is_required and not field.is_repeated:
            bounds["minLength"] = 1
    elif field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_UINT32, *_FLOATS):
        for bound, keyword in (("value_min", "minimum"), ("value_max", "maximum")):
            if policy.HasField(bound):
                value = getattr(policy, bound)
                bounds[keyword] = value if field.type in _FLOATS else int(value)
    return bounds


_FLOATS = (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT)


def _exclusions(message: Descriptor) -> Schema:
    """Return the rule that at most one field of each oneof may be there."""
    groups = [[field.json_name for field in oneof.fields] for oneof in message.oneofs if not oneof.name.startswith("_")]
    if not groups:
        return {}
    if len(groups) == 1 and len(groups[0]) == len(message.fields):
        return {"maxProperties": 1}
    rules = [_at_most_one(names) for names in groups]
    return rules[0] if len(rules) == 1 else {"allOf": rules}


def _at_most_one(names: list[str]) -> Schema:
    alone = [{"required": [name]} for name in names]
    return {"oneOf": [*alone, {"not": {"anyOf": alone}}]}


def _described(schema: Schema, text: str) -> Schema:
    return {**schema, "description": text} if text else schema


def _name(descriptor: Any) -> str:
    name: str = descriptor.full_name
    return name.removeprefix("memoryd.v1.")
