"""The tests of the Rust wrappers: the request that each method sends with each of its options alone.

The expected requests are those of protobuf for Python, as bytes, so that each option is known to set its own field.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass
from scripts.wrappers.names import ERASING
from scripts.wrappers.rust import FOLDER, HEADER, INDENT, inputs_of
from scripts.wrappers.rust_fields import WIDTH, camel, parameter_of, snake
from scripts.wrappers.wrapped import Kind, Method, Wrapped, is_required, message_of

_SCALARS: dict[int, tuple[str, Any]] = {
    FieldDescriptor.TYPE_STRING: ('"t"', "t"),
    FieldDescriptor.TYPE_BYTES: ("[7]", "Bw=="),
    FieldDescriptor.TYPE_BOOL: ("true", True),
    FieldDescriptor.TYPE_INT32: ("7", 7),
    FieldDescriptor.TYPE_INT64: ("7", 7),
    FieldDescriptor.TYPE_FLOAT: ("0.5", 0.5),
    FieldDescriptor.TYPE_DOUBLE: ("0.5", 0.5),
}
"""A value of each type, in Rust and in the JSON of protobuf."""
_WELL_KNOWN = {
    "Timestamp": ("SystemTime::UNIX_EPOCH + Duration::from_secs(7)", "1970-01-01T00:00:07Z"),
    "Duration": ("Duration::from_secs(7)", "7s"),
    "Struct": ('&json!({"k": 7})', {"k": 7}),
    "Value": ('"t"', "t"),
    "ListValue": ('["t"]', ["t"]),
}
_CALL = {
    "precondition": ("condition(Condition::MustExist)", {"must_exist": True}),
    "agent_precondition": ("agent_condition(Condition::MustExist)", {"must_exist": True}),
    "request_id": ('request_id("t")', "t"),
    "consistency": ("min_revision(7)", {"min_revision": 7}),
    "filter": ('any_tags(["t"])', {"any_tags": ["t"]}),
    "view": ("without_content()", "RECORD_VIEW_WITHOUT_CONTENT"),
}
"""The options of all methods whose requests have a field, and the value of the field."""
_NAMES = {
    "std::time::": ("Duration", "SystemTime"),
    "serde_json::": ("json!",),
    "crate::call::tests::": ("agent()", "sends("),
    "crate::input::tests::": (" is(",),
    "crate::": ("(Condition::", "kinds::", "v1::"),
}


def write(wrapped: Wrapped, root: Path) -> None:
    """Write the tests below a folder, in which the wrappers are."""
    writer = _Writer(wrapped)
    for kind in wrapped.kinds:
        _write(root, kind.noun, kind.service.file.name, writer.kind(kind))
    _write(root, "inputs", "memoryd/v1", writer.inputs())


def _write(root: Path, name: str, source: str, tests: list[str]) -> None:
    code = "\n\n".join(tests) + "\n"
    groups = ["", "", ""]
    for at, (module, names) in enumerate(_NAMES.items()):
        used = sorted(each.strip(":(!) ") for each in names if each in code)
        if used:
            listed = used[0] if len(used) == 1 else f"{{{', '.join(used)}}}"
            groups[min(at, 2)] += f"use {module}{listed};\n"
    imports = "\n".join(filter(None, groups))
    path = root / FOLDER / "kinds" / f"{name}_tests.rs"
    path.write_text(f"{HEADER.format(f'protos/{source}')}\n{imports}\n{code}", "utf-8")


class _Writer:
    def __init__(self, wrapped: Wrapped) -> None:
        self._wrapped = wrapped
        self._prefixes = {name: prefix for prefix, name in wrapped.enums.items()}

    def kind(self, kind: Kind) -> list[str]:
        """Return a test of each method of a kind."""
        tests = []
        for method in kind.methods:
            agent = "let agent = agent();" if kind.noun == "contexts" else f"let {kind.noun} = agent().{kind.noun}();"
            owner = "agent" if kind.noun == "contexts" else kind.noun
            asserted = list(self._method(method, owner))
            tests.append(_test(snake(method.rpc.name), [agent, *asserted]))
        return tests

    def inputs(self) -> list[str]:
        """Return a test of each message that arguments consist of."""
        return [_test(snake(each.name), list(self._input(each)), "") for each in inputs_of(self._wrapped)]

    def _input(self, message: Descriptor) -> Iterator[str]:
        new, fields = self._made(message)
        required = _message(message, fields)
        yield _asserted("is", new, required)
        for field in message.fields:
            if not is_required(field):
                argument, value = self._sample(field)
                made = _message(message, required, {field.name: value})
                yield _asserted("is", f"{new}.{parameter_of(field)}({argument})", made)

    def _method(self, method: Method, owner: str) -> Iterator[str]:
        request = method.rpc.input_type
        given = [(each, *self._sample(each)) for each in method.positional]
        arguments = ", ".join(argument for _, argument, _ in given)
        base = _message(request, {"agent_id": "a"})
        for field, _, value in given:
            _put(base, request, field, value)
        if method.changes:
            base.draft.SetInParent()
            base.update_mask.SetInParent()
        yield f"let call = || {owner}.{method.words.replace(' ', '_')}({arguments});"
        yield _asserted("sends", "call()", base)
        for field in method.options:
            argument, value = self._sample(field)
            if method.is_erasing and field.name == "erase":
                erasing = f"{owner}.{ERASING[method.words].replace(' ', '_')}({arguments})"
                yield _asserted("sends", erasing, _message(request, base, {"erase": True}))
            else:
                sent = _message(request, base)
                _put(sent, request, field, value)
                yield _asserted("sends", f"call().{parameter_of(field)}({argument})", sent)
        yield from self._changes(method, base)
        for name, (option, value) in _CALL.items():
            if method.has(name):
                yield _asserted("sends", f"call().{option}", _message(request, base, {name: value}))
        if method.condition is not None:
            for field in message_of(method.condition).fields:
                argument, value = self._sample(field)
                sent = _message(request, base, {"filter": {method.condition.name: {field.name: value}}})
                yield _asserted("sends", f"call().{parameter_of(field)}({argument})", sent)

    def _changes(self, method: Method, base: Any) -> Iterator[str]:
        for field in method.changes:
            argument, value = self._sample(field)
            path = "expire_time" if field.name == "ttl" else field.name
            sent = _message(method.rpc.input_type, base, {"draft": {field.name: value}})
            sent.update_mask.paths.append(path)
            yield _asserted("sends", f"call().{parameter_of(field)}({argument})", sent)
            if field.message_type is not None and field.message_type.name != "Struct":
                removed = _message(method.rpc.input_type, base)
                removed.update_mask.paths.append(path)
                yield _asserted("sends", f"call().{parameter_of(field)}(None)", removed)

    def _sample(self, field: FieldDescriptor) -> tuple[str, Any]:
        """Return what is given for a field, and the field's value as JSON."""
        argument, value = self._one(field)
        if not field.is_repeated:
            return argument, value
        is_vector = field.type in {FieldDescriptor.TYPE_FLOAT, FieldDescriptor.TYPE_DOUBLE}
        return (f"vec![{argument}]" if is_vector else f"[{argument}]"), [value]

    def _one(self, field: FieldDescriptor) -> tuple[str, Any]:
        if field.enum_type is not None:
            name = field.enum_type.values[1].name
            variant = camel(name.removeprefix(self._prefixes[field.enum_type.name] + "_"))
            return f"v1::{field.enum_type.name}::{variant}", name
        message = field.message_type
        if message is None:
            argument, value = _SCALARS[field.type]
            is_flag = field.type == FieldDescriptor.TYPE_BOOL and not field.has_presence
            return ("" if is_flag else argument), value
        if message.full_name.startswith("google.protobuf."):
            return _WELL_KNOWN[message.name]
        if not message.fields:
            return "", {}
        return self._made(message)

    def _made(self, message: Descriptor) -> tuple[str, Any]:
        required = [(each, *self._sample(each)) for each in message.fields if is_required(each)]
        arguments = ", ".join(argument for _, argument, _ in required)
        return f"kinds::{message.name}::new({arguments})", {each.name: value for each, _, value in required}


def _message(kind: Descriptor, *parts: Any) -> Any:
    """Return a message that is merged of others, or of their fields in the JSON of protobuf."""
    message = GetMessageClass(kind)()
    for part in parts:
        if isinstance(part, dict):
            ParseDict(part, message)
        else:
            message.MergeFrom(part)
    return message


def _put(request: Any, kind: Descriptor, field: FieldDescriptor, value: Any) -> None:
    own = {field.name: value}
    request.MergeFrom(_message(kind, own if field.containing_type is kind else {"draft": own}))


def _asserted(function: str, call: str, expected: Any) -> str:
    sent = expected.SerializeToString(deterministic=True).hex()
    line = f'{function}({call}, "{sent}");'
    if len(line) + 4 <= WIDTH:
        return line
    return f'{function}(\n{INDENT}{call},\n{INDENT}"{sent}",\n);'


def _test(name: str, statements: list[str], kind: str = "tokio::") -> str:
    lines = [f"{INDENT}{line}" for each in statements for line in each.split("\n")]
    attribute, function = ("#[tokio::test]", "async fn") if kind else ("#[test]", "fn")
    return "\n".join([attribute, f"{function} {name}() {{", *lines, "}"])
