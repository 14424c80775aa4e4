"""The wrappers of the Java client."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from scripts.wrappers.java_async import async_kind
from scripts.wrappers.java_file import IN, File, camel, parameter_of, pascal, types_of
from scripts.wrappers.java_layout import WIDTH, assigned, chained, declared, escaped, javadoc, listed
from scripts.wrappers.java_service import service_class
from scripts.wrappers.java_table import wrapper_table
from scripts.wrappers.names import ERASING
from scripts.wrappers.prose import Prose
from scripts.wrappers.wrapped import (
    Kind,
    Method,
    Wrapped,
    is_alternative,
    is_condition,
    is_required,
    is_text,
    message_of,
    path_of,
)

FOLDER = Path("clients/java/client/src/main/java/io/memoryd/client")
BASES = {"fragments": "Consuming", "documents": "Uploading"}
"""The classes with what is by hand, by the kind that extends them."""
CONFORMANCE = Path("clients/java/conformance/src/main/java/io/memoryd/conformance/scenarios")
_COPY = "Immutable: each {@code with} method returns a copy."
_SELECTION = "Selection"

_SCALARS = {
    FieldDescriptor.TYPE_STRING: "String",
    FieldDescriptor.TYPE_BOOL: "boolean",
    FieldDescriptor.TYPE_BYTES: "byte[]",
    FieldDescriptor.TYPE_INT32: "int",
    FieldDescriptor.TYPE_INT64: "long",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_DOUBLE: "double",
}
_WELL_KNOWN = {
    "google.protobuf.Timestamp": "Instant",
    "google.protobuf.Duration": "Duration",
    "google.protobuf.Struct": "Map<String, ?>",
    "google.protobuf.Value": "@Nullable Object",
    "google.protobuf.ListValue": "Collection<?>",
}
_CALL = {
    "precondition": (
        "withCondition(Condition condition)",
        "precondition",
        "condition",
        "Makes the change only if the condition on the record is met.",
    ),
    "agent_precondition": (
        "withAgentCondition(Condition condition)",
        "agent_precondition",
        "condition",
        "Makes the change only if the condition on the agent is met, whose revision is that of its last change.",
    ),
    "request_id": (
        "withRequestId(String requestId)",
        "request_id",
        "requestId",
        (
            "Makes the change safe to repeat by another call or process: with the same id it is made once. At most "
            "128 bytes. By default it is a new id, which the retries of the call have in common."
        ),
    ),
    "view": (
        "withoutContent()",
        "view",
        "RecordView.RECORD_VIEW_WITHOUT_CONTENT",
        "Leaves out what a writer wrote, such as texts, tags and metadata.",
    ),
}
"""The options of all methods whose requests have a field: their methods, and what these set to what."""
_CONSISTENCY = (
    (
        "withMinRevision(long revision)",
        "consistency.min_revision",
        "revision",
        "Reads what has every change of the agent up to this revision, such as that of an earlier change.",
    ),
    (
        "withMaxStaleness(Duration staleness)",
        "consistency.max_staleness",
        "staleness",
        "Reads what has every change that was committed at least this long ago, from 0 to 1 day.",
    ),
)


def write(wrapped: Wrapped, root: Path) -> None:
    """Write the classes below a folder."""
    folder = root / FOLDER
    folder.mkdir(parents=True)
    writer = _Writer(wrapped)
    for name, text in writer.classes().items():
        (folder / f"{name}.java").write_text(text, "utf-8")
    conformance = root / CONFORMANCE
    conformance.mkdir(parents=True)
    (conformance / "Wrappers.java").write_text(wrapper_table(wrapped), "utf-8")


class _Writer:
    def __init__(self, wrapped: Wrapped) -> None:
        self._wrapped = wrapped
        self._nouns = {kind.service.full_name: kind.noun for kind in wrapped.kinds}
        methods = {each.rpc.name: f"{{@link {self._place(each)}}}" for kind in wrapped.kinds for each in kind.methods}
        prefixes = {name: prefix for prefix, name in wrapped.enums.items()}
        self._prose = Prose(
            lambda field: f"{{@code {camel(field)}}}",
            lambda enum, value: f"{{@code {prefixes[enum]}_{value}}}",
            methods,
            wrapped.enums,
            wrapped.fields,
            lambda error: f"{{@code {error}Exception}}",
        )
        self._inputs: dict[str, Descriptor] = {wrapped.filter.name: wrapped.filter}

    def classes(self) -> dict[str, str]:
        """Return the text of each class."""
        files = dict[str, str]()
        for kind in self._wrapped.kinds:
            source = f"protos/{kind.service.file.name}"
            files[kind.noun.title()] = self._kind(kind, File(source))
            files[f"Async{kind.noun.title()}"] = async_kind(kind, File(source), self)
            for each in kind.methods:
                files[f"{each.rpc.name}Options"] = self._options(each, File(source))
                if each.changes:
                    files[f"{each.rpc.name}Changes"] = self._changes(each, File(source))
        for service in self._wrapped.services:
            files[service.name] = service_class(service, self._wrapped, self._prose)
        files[_SELECTION] = self._selection()
        done = set[str]()
        while waiting := sorted(set(self._inputs) - done):
            for name in waiting:
                done.add(name)
                files[_input(name)] = self._message(self._inputs[name])
        return files

    # The kinds.

    def _kind(self, kind: Kind, file: File) -> str:
        file.use(f"{kind.service.name}Grpc")
        name = kind.noun.title()
        summary = self._prose.method(kind.service.name, escaped(self._wrapped.summary(kind.service)))
        said = (
            f"{summary} Every method throws {{@link io.memoryd.client.error.CallFailedException}} if the daemon "
            "refuses or cannot be reached."
        )
        # The contexts are no class of their own for users: an agent composes them.
        public = "" if name == "Contexts" else "public "
        body = [
            *javadoc("", said),
            f"{public}final class {name} extends {BASES.get(kind.noun, 'Kind')} {{",
            f"{IN}{name}(Connection connection, Place place) {{",
            f"{IN * 2}super(connection, place);",
            f"{IN}}}",
            "",
        ]
        for each in kind.methods:
            body += self._method(each, file)
        return file.text([*body, "}"])

    def _method(self, method: Method, file: File) -> Iterator[str]:
        said = self._prose.method(method.rpc.name, escaped(self._wrapped.comment(method.rpc)))
        if method.records is not None:
            said += " The stream reads the records page by page, all at one revision."
            returned = f"Stream<{file.use(message_of(method.records).name)}>"
            file.use(method.rpc.output_type.name)
            yield from self._overloads(method, camel(method.words), said, returned, "", file)
            return
        yield from self._overloads(method, camel(method.words), said, *self.returned(method, file), file)
        if method.is_erasing:
            erase = next(each for each in method.options if each.name == "erase")
            rest = self._said(erase).removeprefix("If true, the call also erases")
            said = f"Does what {{@link #{camel(method.words)}}} does, and also erases{rest}"
            receipt = file.use("ErasureReceipt")
            yield from self._overloads(
                method, camel(ERASING[method.words]), said, receipt, ".getReceipt()", file, erase
            )

    def _overloads(
        self, method: Method, name: str, said: str, returned: str, getter: str, file: File, *implied: FieldDescriptor
    ) -> Iterator[str]:
        """Yield a method without options, and one with options."""
        parameters, names = self.parameters(method, file)
        options = f"{method.rpc.name}Options"
        start = f"public {returned} {name}("
        yield from javadoc(IN, said)
        yield from listed(IN, start, parameters, ") {")
        yield from listed(IN * 2, f"return {name}(", [*names, f"{options}.DEFAULT"], ");")
        yield f"{IN}}}\n"
        again = f"Does what {{@link #{name}({types_of(parameters)})}} does, with these options."
        yield from javadoc(IN, again)
        yield from listed(IN, start, [*parameters, f"{options} options"], ") {")
        yield from self._body(method, getter, implied)
        yield f"{IN}}}\n"

    def parameters(self, method: Method, file: File) -> tuple[list[str], list[str]]:
        """Return the parameters before the options, and their names."""
        parameters = [f"{self._argument(each, file)} {parameter_of(each)}" for each in method.positional]
        names = [parameter_of(each) for each in method.positional]
        if method.changes:
            parameters.append(f"{method.rpc.name}Changes changes")
            names.append("changes")
        return parameters, names

    def given(self, method: Method, implied: tuple[FieldDescriptor, ...]) -> tuple[str, list[str]]:
        """Return the name of what is given, and the lines that collect it."""
        request = method.rpc.input_type
        calls = [f'.with("{path_of(each, request)}", {parameter_of(each)})' for each in method.positional]
        calls += [f'.with("{each.name}", true)' for each in implied]
        if method.changes:
            calls.append(".change(changes)")
        if not calls:
            return "options", []
        return "given", [*chained(IN * 2, "var given =", "options", calls)]

    def _body(self, method: Method, getter: str, implied: tuple[FieldDescriptor, ...]) -> Iterator[str]:
        given, lines = self.given(method, implied)
        yield from lines
        called = f"{method.rpc.containing_service.name}Grpc.get{method.rpc.name}Method()"
        if method.records is not None:
            response = method.rpc.output_type.name
            pages = [f"{response}::getNextPageToken", f"{response}::get{pascal(method.records.name)}List"]
            yield from listed(IN * 2, "return list(", [called, given, *pages], ");")
            return
        line = f"{IN * 2}return call({called}, {given}){getter};"
        if len(line) > WIDTH:
            line = line.removesuffix(f"{getter};") + f"\n{IN * 4}{getter};"
        yield line

    def returned(self, method: Method, file: File) -> tuple[str, str]:
        """Return the type of the result, and how to get it from the response."""
        field = method.result
        if field is None:
            return file.use(method.rpc.output_type.name), ""
        if field.is_repeated:
            return f"List<{file.use(message_of(field).name)}>", f".get{pascal(field.name)}List()"
        one = file.use(field.message_type.name) if field.message_type is not None else _SCALARS[field.type]
        return one, f".get{pascal(field.name)}()"

    def _argument(self, field: FieldDescriptor, file: File) -> str:
        one = self._single(field, file)
        if one == "float" and field.is_repeated:
            return "float..."
        return f"Collection<{one}>" if field.is_repeated else one

    # What methods take.

    def _options(self, method: Method, file: File) -> str:
        name, request = f"{method.rpc.name}Options", method.rpc.input_type
        erasing = f" and {{@link {self._place(method, ERASING[method.words])}}}" if method.is_erasing else ""
        comment = f"The options of {{@link {self._place(method)}}}{erasing}."
        fields = [each for each in method.options if not (method.is_erasing and each.name == "erase")]
        body = list(self._fields(fields, name, file, request))
        if method.condition is not None:
            for each in message_of(method.condition).fields:
                body += self._selecting(each, f"filter.{method.condition.name}.", name, file)
        for option, setter in _CALL.items():
            if method.has(option):
                body += self._call(setter, name, file)
        if method.has("consistency"):
            for setter in _CONSISTENCY:
                body += self._call(setter, name, file)
        called = "the call" if method.records is None else "the call for each page"
        body += [
            *javadoc(IN, f"Sets the timeout of {called} with all its retries, in place of the client's."),
            f"{IN}public {name} withTimeout(Duration timeout) {{",
            f"{IN * 2}return timeout(timeout);",
            f"{IN}}}\n",
        ]
        base = _SELECTION if method.has("filter") else "Fields"
        return self._class(name, base, request, comment, "No options.", body, file)

    def _call(self, setter: tuple[str, str, str, str], name: str, file: File) -> Iterator[str]:
        signature, path, value, comment = setter
        if value.startswith("RecordView."):
            file.use("RecordView")
        yield from _method(comment, f"{name} {signature}", f'with("{path}", {value})')

    def _changes(self, method: Method, file: File) -> str:
        name = f"{method.rpc.name}Changes"
        draft = message_of(method.rpc.input_type.fields_by_name["draft"])
        comment = f"The fields that {{@link {self._place(method)}}} changes: those that are given."
        body = list[str]()
        for each in method.changes:
            body += self._field(each, name, file, flags=False)
            if each.message_type is not None and each.name != "ttl" and not each.is_repeated:
                said = f"Removes the {each.name.replace('_', ' ')} that the record has."
                body += _method(said, f"{name} without{pascal(each.name)}()", f'without("{each.name}")')
        return self._class(name, "Fields", draft, comment, "No changes.", body, file)

    def _selection(self) -> str:
        file = File("protos/memoryd/v1")
        kinds = self._wrapped.filter.oneofs_by_name["kind"].fields
        body = [
            *javadoc(
                "",
                "Selects records: all conditions must hold. Each is given once: otherwise, and for a list that names "
                "none of what it selects by, the method throws {@link IllegalArgumentException}.",
                [("@param <S>", "the class of what selects")],
            ),
            f"public abstract class {_SELECTION}<S extends {_SELECTION}<S>> extends Fields<S> {{",
            f"{IN}{_SELECTION}(Given given) {{",
            f"{IN * 2}super(given);",
            f"{IN}}}\n",
        ]
        for each in self._wrapped.filter.fields:
            if each not in kinds:
                body += self._field(each, "S", file, setter="filter")
        return file.text([*body, "}"])

    def _message(self, message: Descriptor) -> str:
        file, name = File("protos/memoryd/v1"), _input(message.name)
        summary = self._prose.say(escaped(self._wrapped.summary(message))).removeprefix(message.name).strip()
        summary = summary.removeprefix("is ")
        base, fields = "Fields", [each for each in message.fields if not is_required(each)]
        if message is self._wrapped.filter:
            base, fields = _SELECTION, list(message.oneofs_by_name["kind"].fields)
        body = list(self._fields(fields, name, file))
        comment = f"{summary[:1].upper()}{summary[1:]}"
        return self._class(name, base, message, comment, "Without any field.", body, file)

    def _class(
        self, name: str, base: str, message: Descriptor, comment: str, default: str, body: Iterable[str], file: File
    ) -> str:
        """Return the file of an immutable class with the fields of a message."""
        empty = f"Given.of({file.use(message.name)}.getDefaultInstance())"
        required = [each for each in message.fields if is_required(each)] if name == _input(message.name) else []
        lines = [
            *javadoc("", f"{comment} {_COPY}"),
            *declared(f"public final class {name}", f"extends {base}<{name}> {{"),
        ]
        if not required:
            lines += javadoc(IN, default)
            lines += assigned(IN, f"public static final {name} DEFAULT =", f"new {name}", empty)
            lines.append("")
        lines += [f"{IN}private {name}(Given given) {{", f"{IN * 2}super(given);", f"{IN}}}\n"]
        if required:
            lines += self._of(name, required, empty, file)
        lines += [
            f"{IN}@Override",
            f"{IN}{name} copy(Given changed) {{",
            f"{IN * 2}return new {name}(changed);",
            f"{IN}}}\n",
        ]
        return file.text([*lines, *body, "}"])

    def _of(self, name: str, required: list[FieldDescriptor], empty: str, file: File) -> Iterator[str]:
        """Yield the method that returns an object with the required fields."""
        tags = [(f"@param {parameter_of(each)}", self._said(each)) for each in required]
        yield from javadoc(IN, "Returns one with what is required.", tags)
        parameters = [f"{self._argument(each, file)} {parameter_of(each)}" for each in required]
        yield from listed(IN, f"public static {name} of(", parameters, ") {")
        calls = [f'.with("{each.name}", {parameter_of(each)})' for each in required]
        yield from chained(IN * 2, "Given given =", empty, calls)
        yield f"{IN * 2}return new {name}(given);"
        yield f"{IN}}}\n"

    # The fields.

    def _fields(
        self, fields: Iterable[FieldDescriptor], name: str, file: File, request: Descriptor | None = None
    ) -> Iterator[str]:
        for each in fields:
            prefix = path_of(each, request).removesuffix(each.name)
            setter = "select" if is_alternative(each) or _is_selecting(each) else "with"
            yield from self._field(each, name, file, prefix, setter)

    def _selecting(self, field: FieldDescriptor, prefix: str, name: str, file: File) -> Iterator[str]:
        yield from self._field(field, name, file, prefix, "select")

    def _field(
        self,
        field: FieldDescriptor,
        name: str,
        file: File,
        prefix: str = "",
        setter: str = "with",
        flags: bool = True,
    ) -> Iterator[str]:
        """Yield the methods that set a field. A flag that is false unless it is set takes no argument."""
        said, path = self._said(field), prefix + field.name
        method, parameter, one = f"{name} with{pascal(field.name)}", parameter_of(field), self._single(field, file)
        if field.is_repeated:
            yield from self._list(field, said, method, setter, path, one)
            return
        if one == "boolean" and (field.message_type is not None or (flags and not field.has_presence)):
            said = re.sub("^If true, (.)", lambda found: found[1].upper(), said)
            yield from _method(said, f"{method}()", f'{setter}("{path}", true)')
            return
        yield from _method(said, f"{method}({one} {parameter})", f'{setter}("{path}", {parameter})')
        message = field.message_type
        if one == "Collection<?>":
            again = f"Does what {{@link #with{pascal(field.name)}(Collection)}} does."
            values = f"with{pascal(field.name)}(Arrays.asList({parameter}))"
            yield from _method(again, f"{method}(@Nullable Object... {parameter})", values)
        if message is not None and message.full_name not in _WELL_KNOWN and is_text(message):
            text = f"with{pascal(field.name)}({one}.of({parameter}))"
            again = f"Does what {{@link #with{pascal(field.name)}({one})}} does, with nothing but what is required."
            yield from _method(again, f"{method}(String {parameter})", text)

    def _list(self, field: FieldDescriptor, said: str, method: str, setter: str, path: str, one: str) -> Iterator[str]:
        parameter = parameter_of(field)
        if "<" in one:
            # An array of a generic type is not safe.
            signature = f"{method}(Collection<? extends {one}> {parameter})"
            yield from _method(said, signature, f'{setter}("{path}", {parameter})')
            return
        yield from _method(said, f"{method}({one}... {parameter})", f"with{pascal(field.name)}(List.of({parameter}))")
        again = f"Does what {{@link #with{pascal(field.name)}({one}...)}} does"
        collection = f"{method}(Collection<{one}> {parameter})"
        yield from _method(f"{again}.", collection, f'{setter}("{path}", {parameter})')
        if field.message_type is not None and is_text(field.message_type):
            text = f"with{pascal(field.name)}(Stream.of({parameter}).map({one}::of).toList())"
            yield from _method(f"{again}, with nothing but what is required.", f"{method}(String... {parameter})", text)

    def _said(self, field: FieldDescriptor) -> str:
        return self._prose.say(escaped(self._wrapped.comment(field)))

    def _single(self, field: FieldDescriptor, file: File) -> str:
        if field.enum_type is not None:
            return file.use(field.enum_type.name)
        message = field.message_type
        if message is None:
            return _SCALARS[field.type]
        if known := _WELL_KNOWN.get(message.full_name):
            return known
        if not message.fields:
            return "boolean"
        self._inputs[message.name] = message
        return _input(message.name)

    def _place(self, method: Method, words: str = "") -> str:
        noun = self._nouns[method.rpc.containing_service.full_name]
        return f"{'Agent' if noun == 'contexts' else noun.title()}#{camel(words or method.words)}"


def _method(said: str, signature: str, result: str) -> Iterator[str]:
    """Yield a public method that returns an expression."""
    yield from javadoc(IN, said)
    start, _, rest = f"public {signature}".partition("(")
    yield from listed(IN, f"{start}(", [rest.removesuffix(")")], ") {")
    name, _, arguments = result.partition("(")
    yield from listed(IN * 2, f"return {name}(", [arguments.removesuffix(")")], ");")
    yield f"{IN}}}\n"


def _is_selecting(field: FieldDescriptor) -> bool:
    assert field.containing_type is not None
    # A condition on metadata is given as a whole.
    return is_condition(field) and field.containing_type.name != "MetadataCondition"


def _input(message: str) -> str:
    return f"{message.removesuffix('Draft')}Input"
