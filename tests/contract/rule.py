"""The rules of docs/contributing/contract.md. Each yields what breaks it, as a line for people."""

import re
from collections.abc import Callable, Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.empty_pb2 import Empty
from google.protobuf.unknown_fields import UnknownFieldSet
from tests.contract.annotation import RESOURCES, annotations
from tests.contract.contract import Contract
from tests.contract.http import HTTP_RULES

from memoryd.v1.field_policy_pb2 import FieldPolicy, field_policy

Rule = Callable[[Contract], Iterator[str]]

REQUEST_NUMBERS = {
    "agent_id": 1,
    "request_id": 2,
    "precondition": 3,
    "consistency": 4,
    "page_size": 5,
    "page_token": 6,
    "agent_precondition": 7,
    "order": 8,
    "view": 9,
    "filter": 15,
    "erase": 16,
}
RESPONSE_NUMBERS = {"revision": 1, "next_page_token": 2, "total_count": 3, "receipt": 4}
RESOURCE_NUMBERS = {
    "agent_id": 2,
    "revision": 3,
    "create_time": 4,
    "update_time": 5,
    "expire_time": 6,
    "user_id": 7,
    "tags": 8,
    "metadata": 9,
}
OWN_NUMBERS_FROM = 10
DRAFT_NUMBERS_FROM = 40


def numbers(contract: Contract) -> Iterator[str]:
    """Fields that many messages share have one number, which no other field has."""
    for message in contract.messages():
        if (shared := _shared_numbers(message)) is None:
            continue
        names = {number: name for name, number in shared.items()}
        for field in message.fields:
            number = shared.get(field.name)
            if number is not None and field.number != number:
                yield f"{field.full_name} = {field.number}: the number of {field.name} is {number}"
            elif number is None and _is_kept(field, names):
                kept_for = f", which is kept for {names[field.number]}" if field.number in names else ""
                yield f"{field.full_name} = {field.number}{kept_for}: own fields begin at {OWN_NUMBERS_FROM}"


def _is_kept(field: FieldDescriptor, names: dict[int, str]) -> bool:
    """Return True if a field has a number that its message keeps for a shared field."""
    if field.number < OWN_NUMBERS_FROM:
        return True
    keeping = _KEEPING.get(names.get(field.number, ""), ())
    return field.containing_type.name.startswith(keeping)


_SELECTING = ("List", "Search", "Recall")
"""The first words of the requests that select records, and keep a number for their filter."""

_REMOVING = (
    "Delete",
    "Remove",
    "Clear",
    "Dispose",
    "End",
    "Truncate",
    "Acknowledge",
    "Forget",
    "Purge",
    "Reject",
    "Unlink",
)
"""The first words of the methods that remove records of an agent, and keep a number for erase."""

_KEEPING = {"filter": _SELECTING, "erase": _REMOVING}
"""The first words of the requests that keep the number of a field from 10 on for it."""

_ALWAYS_ERASES = frozenset({"ForgetUser", "PurgeMemory"})
"""Methods that erase what they remove without being asked."""

_ERASES_NOTHING = {
    "BatchForgetMemories": "what is forgotten can be restored; PurgeMemory erases",
    "ForgetMemory": "what is forgotten can be restored; PurgeMemory erases",
    "UnlinkMemories": "a link has no content",
}
"""Methods that remove something, and have nothing to erase, with the reason."""


def erasures(contract: Contract) -> Iterator[str]:
    """A method that removes records of an agent can erase them, and returns a receipt."""
    for method in contract.methods():
        removes = method.name.startswith(_REMOVING) or "erase" in method.input_type.fields_by_name
        if not removes or not _has_agent(method) or method.name in _ERASES_NOTHING:
            continue
        if method.name not in _ALWAYS_ERASES:
            yield from _lacks(method.input_type, "erase")
        yield from _lacks(method.output_type, "receipt")


def filters(contract: Contract) -> Iterator[str]:
    """A method that lists, searches or recalls records of users takes a filter."""
    for method in contract.methods():
        if not method.name.startswith(_SELECTING) or not _has_agent(method):
            continue
        found = [each.message_type for each in method.output_type.fields if each.message_type]
        nested = [each.message_type for kind in found for each in kind.fields if each.message_type]
        if any("user_id" in kind.fields_by_name for kind in (*found, *nested)):
            yield from _lacks(method.input_type, "filter")


def comments(contract: Contract) -> Iterator[str]:
    """A field that requests share says the same in each."""
    said: dict[str, tuple[str, str]] = {}
    for message in contract.messages():
        for field in message.fields if message.name.endswith("Request") else ():
            if field.name not in REQUEST_NUMBERS or field.name in {"precondition", "view", "order"}:
                continue
            if field.name == "filter" and not message.name.startswith(_SELECTING):
                continue
            comment = contract.comment(field)
            first, wording = said.setdefault(field.name, (field.full_name, comment))
            if comment != wording:
                yield f"{field.full_name}: its comment differs from that of {first}"


def types(contract: Contract) -> Iterator[str]:
    """A field that messages share has one type."""
    known: dict[str, tuple[str, str]] = {}
    for message in contract.messages():
        shared = _shared_numbers(message) or {}
        for field in message.fields:
            if field.name in shared:
                first, kind = known.setdefault(field.name, (field.full_name, _type_of(field)))
                if kind != _type_of(field):
                    yield f"{field.full_name} is {_type_of(field)}, but {first} is {kind}"


def changes(contract: Contract) -> Iterator[str]:
    """A change of an agent takes a request id and a precondition, and returns the agent's revision."""
    for method in contract.methods():
        if _has_agent(method) and not _reads(method) and not method.server_streaming:
            yield from _lacks(method.input_type, "request_id", "agent_precondition")
            yield from _lacks(method.output_type, "revision")


def reads(contract: Contract) -> Iterator[str]:
    """A read of an agent's memory takes a consistency, and returns the agent's revision."""
    for method in contract.methods():
        if _has_agent(method) and _reads(method):
            yield from _lacks(method.input_type, "consistency")
            yield from _lacks(method.output_type, "revision")


def lists(contract: Contract) -> Iterator[str]:
    """A list is paged, and its order and the part of each record can be chosen."""
    for method in contract.methods():
        if method.name.startswith("List"):
            yield from _lacks(method.input_type, "page_size", "page_token")
            yield from _lacks(method.output_type, "next_page_token")
            if _has_agent(method):
                yield from _lacks(method.input_type, "order")
                yield from _lacks(method.output_type, "total_count")
                if any(map(_has_content, method.output_type.fields)):
                    yield from _lacks(method.input_type, "view")


def _has_content(field: FieldDescriptor) -> bool:
    return field.is_repeated and bool(field.message_type) and any(map(is_content, field.message_type.fields))


_TIMES = {
    "google.protobuf.Timestamp": r"_time$",
    "google.protobuf.Duration": r"_duration$|(^|_)ttl$|_interval$|^max_staleness$",
}


def names(contract: Contract) -> Iterator[str]:
    """Names of times, lengths and flags say what they are; no name is that of a type."""
    for message in contract.messages():
        for field in message.fields:
            kind = _type_of(field).removeprefix("repeated ")
            if kind in _TIMES and message.name != "FieldPolicy" and not re.search(_TIMES[kind], field.name):
                yield f"{field.full_name}: the name of a {kind.rsplit('.')[-1]} ends with {_TIMES[kind]}"
            if kind == "bool" and field.name.startswith("is_"):
                yield f"{field.full_name}: a flag has no prefix"


IDENTIFYING = frozenset(
    {
        "agent_fingerprint",
        "agent_id",
        "before_step_id",
        "conversation_id",
        "document_id",
        "entity_id",
        "entry_id",
        "fragment_id",
        "from_memory_id",
        "key",
        "linked_memory_ids",
        "charset",
        "media_type",
        "memory_id",
        "memory_proposal_id",
        "message_id",
        "model",
        "note_id",
        "notebook",
        "origin",
        "parent_scope_id",
        "plan_id",
        "principal",
        "project_id",
        "request_id",
        "scope_id",
        "sha256",
        "snapshot_id",
        "step_id",
        "template_id",
        "tier",
        "to_memory_id",
        "tool_call_id",
        "user_id",
        "version",
        "Entity.type",
    }
)
"""The texts of records that are not content: what addresses a record, and who changed it."""


_WITHOUT_VIEW = frozenset({"Operation"})
"""Resources that are no records of an agent: no view leaves anything out of them."""


def contents(contract: Contract) -> Iterator[str]:
    """Each text, vector and JSON value of a record or an event is content, or identifies something."""
    event = next(message for message in contract.messages() if message.name == "Event")
    found: dict[str, Descriptor] = {}
    records = RESOURCES.keys() - _WITHOUT_VIEW
    pending = [event, *(message for message in contract.messages() if message.name in records)]
    while pending:
        message = pending.pop()
        if message.full_name not in found:
            found[message.full_name] = message
            pending += [each for field in message.fields if (each := field.message_type) and _is_ours(each, event)]
    for message in found.values():
        for field in message.fields:
            names = {field.name, f"{message.name}.{field.name}"}
            if _is_free(field, event) and not is_content(field) and IDENTIFYING.isdisjoint(names):
                yield f"{field.full_name} is neither content nor does it identify anything"


def is_content(field: FieldDescriptor) -> bool:
    """Return True if the contract says that a writer wrote the field."""
    policy = FieldPolicy()
    # The contract is read into a pool of its own, where its own extensions are unknown fields.
    for number, data in _extensions(field.GetOptions().SerializeToString()):
        if number == _FIELD_POLICY:
            policy.MergeFromString(data)
    return policy.content


def answers(contract: Contract) -> Iterator[str]:
    """A method that names one resource returns it, or says that it deleted it."""
    for method in contract.methods():
        verb, name = _verb_and_name(method)
        if name not in RESOURCES:
            continue
        field = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        if verb in {"Create", "Get", "Update", "Restore", "Set"} or method.name in _RETURNS_RESOURCE:
            yield from _lacks(method.output_type, field)
        if verb == "Update":
            yield from _lacks(method.output_type, "changed")
            condition = "agent_precondition" if name == "Agent" else "precondition"
            yield from _lacks(method.input_type, "draft", "update_mask", condition)
        if verb in {"Delete", "Remove", "Forget", "Purge"}:
            yield from _lacks(method.output_type, "deleted")
            yield from _lacks(method.input_type, "precondition")


_RETURNS_RESOURCE = frozenset({"GetOrSetEntry", "ReserveEntry"})


def drafts(contract: Contract) -> Iterator[str]:
    """A draft has the fields of its resource, under the same numbers and with the same types."""
    messages = {message.name: message for message in contract.messages()}
    for name, draft in messages.items():
        resource = messages.get(name.removesuffix("Draft"))
        if not name.endswith("Draft") or resource is None:
            continue
        known = {field.name: field for field in resource.fields}
        for field in draft.fields:
            same = known.get(field.name)
            if same is None:
                if field.number < DRAFT_NUMBERS_FROM and (field.name, field.number) != ("ttl", 10):
                    yield f"{field.full_name} = {field.number}: what only a draft has begins at {DRAFT_NUMBERS_FROM}"
            elif (field.number, _draft_type_of(field)) != (same.number, _draft_type_of(same)):
                yield f"{field.full_name} = {field.number} differs from {same.full_name} = {same.number}"


def _draft_type_of(field: FieldDescriptor) -> str:
    """Return the type of a field; a draft of a nested record stands for the record."""
    return _type_of(field).removesuffix("Draft")


def counts(contract: Contract) -> Iterator[str]:
    """The name of a count ends with _count."""
    for message in contract.messages():
        for field in message.fields:
            if field.type in _INTEGERS and re.search(
                r"_(cleared|deleted|removed|flushed|evicted|merged|left)$", field.name
            ):
                yield f"{field.full_name}: a count ends with _count"


_INTEGERS = frozenset({FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_INT64})


def nouns(contract: Contract) -> Iterator[str]:
    """Every method and message of the one package says what it is about."""
    for method in contract.methods():
        if not re.search(_NOUNS, method.name):
            yield f"{method.full_name}: the name of a method has the noun that it is about"


_NOUNS = (
    r"Agent|Audit|Commit|Consistency|Context|Conversation|Document|Entit|Entr|Event|Fragment|Journal|Lease|Memor|Message|Note|"
    r"Operation|Plan|Reservation|Scope|Server|Snapshot|Token|Transaction|User"
)


def packages(contract: Contract) -> Iterator[str]:
    """Every file names the package of each language whose own choice would not do."""
    for file in contract.files:
        for option, value in PACKAGES.items():
            if getattr(file.GetOptions(), option) != value:
                yield f"{file.name}: {option} is not {value!r}"


PACKAGES = {
    "csharp_namespace": "Memoryd.V1",
    "go_package": "github.com/memoryd/memoryd/clients/go/memoryd/v1;memorydv1",
    "java_multiple_files": True,
    "java_package": "io.memoryd.v1",
    "objc_class_prefix": "MMD",
    "php_namespace": "Memoryd\\V1",
    "ruby_package": "Memoryd::V1",
    "swift_prefix": "Memoryd",
}
"""The options of each file of the package."""


def _verb_and_name(method: MethodDescriptor) -> tuple[str, str]:
    words = re.findall(r"[A-Z][a-z]+", method.name)
    return words[0], "".join(words[1:])


RULES: tuple[Rule, ...] = (
    numbers,
    comments,
    types,
    changes,
    reads,
    lists,
    filters,
    erasures,
    answers,
    drafts,
    counts,
    nouns,
    names,
    contents,
    packages,
    annotations,
    *HTTP_RULES,
)


def findings(contract: Contract) -> list[str]:
    """Return what breaks any rule, each with the rule's name."""
    return [f"{rule.__name__}: {line}" for rule in RULES for line in rule(contract)]


def _shared_numbers(message: Descriptor) -> dict[str, int] | None:
    name = message.name
    if name.endswith(("Request", "Header")):
        return REQUEST_NUMBERS
    if name.endswith("Response"):
        return RESPONSE_NUMBERS
    if name not in RESOURCES:
        return None
    identifier = RESOURCES[name]
    return {**RESOURCE_NUMBERS, identifier: 1} if identifier else RESOURCE_NUMBERS


def _type_of(field: FieldDescriptor) -> str:
    kind = field.message_type or field.enum_type
    name = kind.full_name if kind else _SCALARS.get(field.type, str(field.type))
    return f"repeated {name}" if field.is_repeated else name


_SCALARS = {
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_BYTES: "bytes",
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_STRING: "string",
}


def _is_ours(message: Descriptor, event: Descriptor) -> bool:
    return bool(message.file.package == event.file.package)


def _is_free(field: FieldDescriptor, event: Descriptor) -> bool:
    """Return True if a writer may put any text into the field, or into a message below it."""
    if field.message_type is not None:
        name = field.message_type.full_name
        return not _is_ours(field.message_type, event) and name not in _NOT_WRITTEN
    return field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES, FieldDescriptor.TYPE_FLOAT)


_NOT_WRITTEN = {"google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask"}
_FIELD_POLICY = field_policy.number


def _extensions(options: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers and the bytes of the messages in serialised options."""
    unknown = UnknownFieldSet(Empty.FromString(options))
    for each in unknown:
        if isinstance(each.data, bytes):
            yield each.field_number, each.data


def _has_agent(method: MethodDescriptor) -> bool:
    return "agent_id" in method.input_type.fields_by_name


def _reads(method: MethodDescriptor) -> bool:
    return bool(method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS)


def _lacks(message: Descriptor, *fields: str) -> Iterator[str]:
    for field in fields:
        if field not in message.fields_by_name:
            yield f"{message.full_name} has no {field}"
