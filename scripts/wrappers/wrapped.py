"""The contract as the wrappers need it: the methods of each kind of memory, with their arguments and their results."""

import re
from dataclasses import dataclass

from google.api import field_behavior_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor
from scripts.wrappers.names import BY_HAND, KINDS, LEADING, METHODS, PARTS
from tests.contract.contract import Contract, Described

CALL = {
    *("agent_id", "request_id", "precondition", "agent_precondition", "consistency", "view"),
    *("page_size", "page_token", "filter"),
}
"""The fields that many requests have, each of which the clients write in a form of its own."""

_CONJUNCTIONS = {"all_tags", "metadata", "none_of"}
"""The lists of a filter that may be empty, since a record has to meet all that they name, and not any."""
_ALTERNATIVES = {"memory_ids", "fragment_ids"}
"""The lists of a request that stand for all records if they are empty."""


@dataclass(frozen=True)
class Method:
    """A method of a kind, as its wrapper has it."""

    rpc: MethodDescriptor
    words: str
    """Its name in small words, such as "add step"."""
    positional: tuple[FieldDescriptor, ...]
    """The arguments before the options: those that are required, and then those of ``LEADING``."""
    options: tuple[FieldDescriptor, ...]
    changes: tuple[FieldDescriptor, ...]
    """The fields of the draft that an update takes: those that are given become its mask."""
    records: FieldDescriptor | None
    """The field of the response with the records of a list, whose pages the client fetches."""
    result: FieldDescriptor | None
    """The field of the response that the wrapper returns; None if it returns the response."""
    condition: FieldDescriptor | None
    """The field of ``RecordFilter.kind`` whose conditions go with the request's filter."""

    @property
    def is_erasing(self) -> bool:
        """True if the request can erase: the wrapper returns the receipt then, and otherwise the result."""
        return self.has("erase") and self.result is not None

    def has(self, field: str) -> bool:
        """Return whether the request has a field of this name itself."""
        return field in self.rpc.input_type.fields_by_name


@dataclass(frozen=True)
class Kind:
    """A service whose methods are wrapped for an agent."""

    service: ServiceDescriptor
    noun: str
    methods: tuple[Method, ...]


class Wrapped:
    """All kinds that are wrapped, and the names in the contract."""

    def __init__(self, contract: Contract) -> None:
        services = {name: service for file in contract.files for name, service in file.services_by_name.items()}
        enums = [name for file in contract.files for name in file.enum_types_by_name]
        self.filter = next(each for each in contract.messages() if each.name == "RecordFilter")
        self.enums = {re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper(): name for name in enums}
        """The name of each enum, by the prefix of its values."""
        self.fields = {field.name for message in contract.messages() for field in message.fields}
        self.services = [services[name] for name in sorted(services)]
        self._contract = contract
        self.kinds = [self._kind(services[name]) for name in KINDS]

    def comment(self, described: Described) -> str:
        """Return the comment of a method or a field, with its lines joined."""
        return self._contract.comment(described)

    def summary(self, described: Described) -> str:
        """Return the first paragraph of the comment of a service or a message, with its lines joined."""
        return self._contract.summary(described)

    def _kind(self, service: ServiceDescriptor) -> Kind:
        plural, record = KINDS[service.name]
        methods = [self._method(rpc, record) for rpc in service.methods if rpc.name not in BY_HAND]
        return Kind(service, plural, tuple(methods))

    def _method(self, rpc: MethodDescriptor, record: str) -> Method:
        request, response = rpc.input_type, rpc.output_type
        flat = [
            field
            for each in request.fields
            if each.name not in CALL
            for field in (message_of(each).fields if each.name == "draft" else [each])
        ]
        changes: tuple[FieldDescriptor, ...] = ()
        if "update_mask" in request.fields_by_name:
            named = set(re.findall(r"\w+", self.comment(request.fields_by_name["update_mask"])))
            changes = tuple(each for each in message_of(request.fields_by_name["draft"]).fields if each.name in named)
            flat = [each for each in flat if each.containing_type is request and each.name != "update_mask"]
        leading = LEADING.get(rpc.name, ())
        required = [each for each in flat if is_required(each)]
        positional = (*required, *(each for name in leading for each in flat if each.name == name))
        options = [each for each in flat if each not in positional]
        names = [each.name for each in flat]
        if len(set(names)) != len(names):
            raise ValueError(f"{rpc.full_name}: an argument has two meanings: {sorted(names)}")
        records = None
        if "next_page_token" in response.fields_by_name:
            (records,) = [each for each in response.fields if each.is_repeated]
        condition = self._condition(rpc, record)
        return Method(rpc, _words(rpc, record), positional, tuple(options), changes, records, _result(rpc), condition)

    def _condition(self, rpc: MethodDescriptor, record: str) -> FieldDescriptor | None:
        """Return the condition on records of the kind that a request selects, by what its response lists."""
        if "filter" not in rpc.input_type.fields_by_name:
            return None
        listed = {"messages": "message", "memory_links": "memory_link", "memory_proposals": ""}
        name = next((listed[each.name] for each in rpc.output_type.fields if each.name in listed), record)
        return self.filter.fields_by_name.get(name) if record else None


def part_of(kind: str, method: Method) -> str:
    """Return the name of the file that has what belongs to a method: the noun of its kind, or one of ``PARTS``."""
    return PARTS.get(method.rpc.name, kind)


def parts_of(kind: Kind) -> dict[str, list[Method]]:
    """Return the methods of a kind by the name of their file."""
    parts: dict[str, list[Method]] = {kind.noun: []}
    for each in kind.methods:
        parts.setdefault(part_of(kind.noun, each), []).append(each)
    return parts


def message_of(field: FieldDescriptor) -> Descriptor:
    """Return the type of a field that is a message."""
    assert field.message_type is not None, field.full_name
    return field.message_type


def is_filter(message: str) -> bool:
    """Return whether a message of this name selects records, or is a part of one that does."""
    return message.endswith(("Filter", "Condition", "Range"))


def is_alternative(field: FieldDescriptor) -> bool:
    """Return whether the field lists alternatives, so that an empty list would select all."""
    return field.is_repeated and (
        field.name in _ALTERNATIVES or (is_condition(field) and field.name not in _CONJUNCTIONS)
    )


def is_condition(field: FieldDescriptor) -> bool:
    """Return whether the field is a condition of a filter, or of its conditions on a kind."""
    assert field.containing_type is not None
    return field.containing_type.name == "RecordFilter" or field.containing_type.name.endswith("Condition")


def path_of(field: FieldDescriptor, request: Descriptor | None = None) -> str:
    """Return where a message has a field: itself, or in its draft if it is a request."""
    return f"draft.{field.name}" if request and field.containing_type is not request else str(field.name)


def is_text(message: Descriptor) -> bool:
    """Return whether a text says all that a message requires, such as that of a step: it is given for the message."""
    required = [each.name for each in message.fields if is_required(each)]
    return required in (["content"], ["description"])


def is_required(field: FieldDescriptor) -> bool:
    return field_behavior_pb2.REQUIRED in field.GetOptions().Extensions[field_behavior_pb2.field_behavior]


def _words(rpc: MethodDescriptor, record: str) -> str:
    if known := METHODS.get(rpc.name):
        return known
    noun = record.title().replace("_", "") or "Context"
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    shortened = re.sub(f"(?<=[a-z])({plural}|{noun})", "", rpc.name)
    return " ".join(re.findall("[A-Z][a-z]*", shortened)).lower()


def _result(rpc: MethodDescriptor) -> FieldDescriptor | None:
    """Return the field of the response that says all of it, besides what the caller seldom looks at."""
    if "next_page_token" in rpc.output_type.fields_by_name:
        return None
    seldom = {"revision", "receipt", "changed", "plan_id", "prompt_text", "replaced_plan_id"}
    rest = [each for each in rpc.output_type.fields if each.name not in seldom]
    return rest[0] if len(rest) == 1 else None
