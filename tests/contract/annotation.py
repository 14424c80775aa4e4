"""The options of fields that their comments call for: required fields and limits.

A comment is for people and an option for programs. Both are checked against each other, so that comments keep to the
phrases that this module reads.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from google.api import field_behavior_pb2
from google.api.field_behavior_pb2 import FieldBehavior
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldOptions
from google.protobuf.duration_pb2 import Duration
from tests.contract.contract import Contract

from memoryd.v1.field_policy_pb2 import FieldPolicy, field_policy

RESOURCES = {
    "Agent": "agent_id",
    "Conversation": "conversation_id",
    "Document": "document_id",
    "EntityWindow": "conversation_id",
    "Entry": "entry_id",
    "Fragment": "fragment_id",
    "Memory": "memory_id",
    "MemoryLink": "",
    "MemoryProposal": "memory_proposal_id",
    "Message": "message_id",
    "Note": "note_id",
    "Operation": "operation_id",
    "Plan": "plan_id",
    "Scope": "scope_id",
    "Snapshot": "snapshot_id",
}
"""The records that responses return, with the field that identifies each; empty where more than one do."""

WRITERS = {
    "EntityWindow": "SetEntitiesRequest",
    "Entry": "SetEntryRequest",
    "MemoryLink": "LinkMemoriesRequest",
    "Scope": "CreateScopeRequest",
    "Snapshot": "CreateSnapshotRequest",
}
"""The requests whose fields make a resource that has no draft."""

OVERWRITTEN = frozenset({"EntityWindow", "Entry", "MemoryLink"})
"""The resources whose writer overwrites an existing one."""


class Annotation(NamedTuple):
    """The options of a field, but for ``FieldPolicy.content``."""

    behaviors: tuple[str, ...] = ()
    policy: FieldPolicy = FieldPolicy()


def annotation(field: FieldDescriptor) -> Annotation:
    """Return the options that a field has."""
    # The contract is read into a pool of its own: its options are parsed again, with the extensions of this process.
    options = FieldOptions.FromString(field.GetOptions().SerializeToString())
    policy = FieldPolicy.FromString(options.Extensions[field_policy].SerializeToString())
    policy.ClearField("content")
    return Annotation(tuple(map(FieldBehavior.Name, options.Extensions[field_behavior_pb2.field_behavior])), policy)


def expected(contract: Contract) -> dict[str, Annotation]:
    """Return the options that the fields should have by their comments and places, by the fields' full names."""
    messages = {message.name: message for message in contract.messages()}
    found = {}
    for message in _written(contract):
        for field in message.fields:
            comment = contract.comment(field)
            required = _needs_draft(field, contract) if field.name == "draft" else is_required(field, comment)
            behaviors = ("REQUIRED",) if required else ()
            found[field.full_name] = Annotation(behaviors, policy_of(field, comment))
    for name, identifier in RESOURCES.items():
        for field in messages[name].fields:
            behavior = "IDENTIFIER" if field.name == identifier else _behavior(field, messages, contract)
            if behavior:
                found[field.full_name] = Annotation((behavior,))
    return found


def _needs_draft(field: FieldDescriptor, contract: Contract) -> bool:
    """Return True if a new record needs a draft, because of the fields that the draft needs."""
    if "update_mask" in field.containing_type.fields_by_name:
        return False
    return any(is_required(each, contract.comment(each)) for each in field.message_type.fields)


def _written(contract: Contract) -> Iterator[Descriptor]:
    """Yield the messages that requests are made of, but for those that are also returned as records."""
    pending = [method.input_type for method in contract.methods()]
    known = set()
    while pending:
        message = pending.pop()
        if message.full_name in known or message.name in RESOURCES or message.file.package != "memoryd.v1":
            continue
        known.add(message.full_name)
        yield message
        pending += [field.message_type for field in message.fields if field.message_type]


def _behavior(field: FieldDescriptor, messages: dict[str, Descriptor], contract: Contract) -> str:
    """Return how a field of a resource comes about: by the server, by its writer once, or by its writer (empty)."""
    resource = field.containing_type.name
    if field.name in _KEYS:
        return "IMMUTABLE"
    writer = messages.get(WRITERS.get(resource, f"{resource}Draft"))
    if writer is None or field.name not in writer.fields_by_name:
        return "OUTPUT_ONLY"
    if resource in OVERWRITTEN:
        return ""
    update = messages.get(f"Update{resource}Request")
    mask = update and update.fields_by_name.get("update_mask")
    return "" if mask and re.search(rf"\b{field.name}\b", contract.comment(mask)) else "IMMUTABLE"


_KEYS = frozenset({"agent_id", "conversation_id", "from_memory_id", "key", "scope_id", "to_memory_id"})
"""The fields by which a request names a resource, or what it belongs to."""


def is_required(field: FieldDescriptor, comment: str) -> bool:
    """Return True if a field of a request must be set, by its comment."""
    kind = field.message_type.full_name if field.message_type else ""
    if "Required." in comment or "Required:" in comment:
        return field.containing_oneof is None
    if field.containing_oneof is not None or field.name in _NEVER_REQUIRED or field.full_name in _OPTIONAL:
        return False
    if field.is_repeated:
        return bool(re.search(r": 1 to [\d,]+", comment))
    if field.enum_type:
        return "Unspecified is refused" in comment
    if field.message_type or field.type in _TEXTS:
        return kind not in _TREES and not re.search(_MAY_BE_LEFT_OUT, re.sub(_NOT_LEFT_OUT, "", comment))
    return bool(re.search(r": at least 1\b|, from 1\b", comment))


_MAY_BE_LEFT_OUT = r"\b[Ee]mpty\b|\b[Aa]bsent\b|blank only if|\b[Oo]ne of \w+ and "
_NOT_LEFT_OUT = r"not (be )?empty|none of them empty|An empty mask"
_TREES = frozenset({"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"})
_NEVER_REQUIRED = frozenset({"agent_precondition", "filter", "page_token", "precondition"})
_OPTIONAL = frozenset(
    {
        "memoryd.v1.CreateSnapshotRequest.agent_id",
        "memoryd.v1.RestoreSnapshotRequest.agent_id",
    }
)
"""Fields that may be left out though their comment, which is the same in all requests, does not say so."""

_TEXTS = frozenset({FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES})
_NUMBERS = frozenset({FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_DOUBLE})


def policy_of(field: FieldDescriptor, comment: str) -> FieldPolicy:
    """Return the limits of a field of a request, by its comment."""
    policy = FieldPolicy()
    if match := re.search(r"(?<!and is )[Aa]t most (?:as large as )?the (?:server's )?limit (\w+)", comment):
        policy.limit = match[1]
    kind = field.message_type.full_name if field.message_type else ""
    if kind == "google.protobuf.Duration":
        _durations(policy, comment)
    elif field.type in _NUMBERS and not field.is_repeated:
        _values(policy, comment)
    else:
        _sizes(policy, comment, is_repeated=field.is_repeated)
    return policy


def _sizes(policy: FieldPolicy, comment: str, *, is_repeated: bool) -> None:
    if is_repeated and (match := re.search(rf"together at most {_SIZE}", comment)):
        policy.total_bytes_max = _size(*match.groups())
        comment = comment.replace(match[0], "")
    match = re.search(rf"(?:[Aa]t most|\b1 to) {_SIZE}", comment)
    if match and not (policy.limit and "by default" in comment[match.end() :][:14]):
        policy.bytes_max = _size(*match.groups())
    for phrase, characters in _PATTERNS.items():
        if match := re.search(rf"(?:at most|1 to) (\d+)(?: of)? {re.escape(phrase)}", comment):
            policy.bytes_max = int(match[1])
            policy.pattern = characters
    if "64 lowercase hexadecimal digits" in comment:
        policy.pattern = "[0-9a-f]{64}"
    if is_repeated and (match := re.search(rf"(?:[Aa]t most|: 1 to) {_COUNT}", comment)):
        policy.items_max = _number(match[1])


_NUMBER = r"(\d[\d,]*\d|\d)\b"
_COUNT = rf"{_NUMBER}(?! (?:bytes|KiB|MiB|deep|together))"
_SIZE = rf"{_NUMBER} (bytes|KiB|MiB)"
_UNITS = {"bytes": 1, "KiB": 1024, "MiB": 1024 * 1024}
_PATTERNS = {
    "letters, digits, dots, colons, underscores and hyphens": "[A-Za-z0-9.:_-]+",
    "A-Z, a-z, 0-9, '.', ':', '_' and '-'": "[A-Za-z0-9.:_-]+",
    "a-z, 0-9, '.', '_' and '-', beginning with a letter or digit": "[a-z0-9][a-z0-9._-]*",
}


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def _size(number: str, unit: str) -> int:
    return _number(number) * _UNITS[unit]


def _values(policy: FieldPolicy, comment: str) -> None:
    if re.search(r"[Ff]rom 0 to 1\b", comment):
        policy.value_min, policy.value_max = 0, 1
    elif match := re.search(rf": 1 to {_NUMBER}", comment):
        policy.value_min, policy.value_max = 1, _number(match[1])
    else:
        if re.search(r": at least 1\b|, from 1\b", comment):
            policy.value_min = 1
        if re.search(r"[Nn]ot negative\b|: from 0 ", comment):
            policy.value_min = 0
        match = re.search(rf"[Aa]t most {_NUMBER}(?! (?:bytes|KiB|MiB))", comment)
        if match and "a larger number means" not in comment:
            policy.value_max = _number(match[1])


def _durations(policy: FieldPolicy, comment: str) -> None:
    if match := re.search(rf"{_NUMBER} (ms|s|second)s? to {_NUMBER} (\w+?)s?\b", comment):
        policy.duration_min.CopyFrom(_duration(match[1], match[2]))
        policy.duration_max.CopyFrom(_duration(match[3], match[4]))
        return
    if match := re.search(rf"\b0 to {_NUMBER} (\w+?)s?\b|[Aa]t most {_NUMBER} (\w+?)s?\b", comment):
        policy.duration_max.CopyFrom(_duration(match[1] or match[3], match[2] or match[4]))
    if re.search(r"more than (?:0|zero)\b", comment):
        policy.duration_min.nanos = 1
    elif match:
        policy.duration_min.SetInParent()


_SECONDS = {"s": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86_400, "year": 366 * 86_400}


def _duration(number: str, unit: str) -> Duration:
    if unit == "ms":
        return Duration(nanos=_number(number) * 1_000_000)
    return Duration(seconds=_number(number) * _SECONDS[unit])


def annotations(contract: Contract) -> Iterator[str]:
    """The options of a field say what its comment and its place say."""
    by_name = expected(contract)
    for message in contract.messages():
        for field in message.fields:
            has, wants = annotation(field), by_name.get(field.full_name, Annotation())
            if has != wants:
                yield f"{field.full_name} has {described(has)}; its comment says {described(wants)}"


def described(options: Annotation) -> str:
    """Return the options of a field on one line."""
    return " ".join((*options.behaviors, str(options.policy).replace("\n", " "))).strip() or "nothing"
