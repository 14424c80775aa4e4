"""The classes of the Java client whose methods return futures."""

from collections.abc import Iterator
from typing import Protocol

from google.protobuf.descriptor import FieldDescriptor
from scripts.wrappers.java_file import BOXED, IN, File, camel, pascal, types_of
from scripts.wrappers.java_layout import javadoc, listed
from scripts.wrappers.names import ERASING
from scripts.wrappers.wrapped import Kind, Method, message_of

ASYNC_BASES = {"fragments": "AsyncConsuming"}
"""The classes with what is by hand, by the kind that extends them; else AsyncKind."""


class Signatures(Protocol):
    """The parts of a method that are the same in both forms."""

    def parameters(self, method: Method, file: File) -> tuple[list[str], list[str]]:
        """Return the parameters before the options, and their names."""

    def returned(self, method: Method, file: File) -> tuple[str, str]:
        """Return the type of the result, and how to get it from the response."""

    def given(self, method: Method, implied: tuple[FieldDescriptor, ...]) -> tuple[str, list[str]]:
        """Return the name of what is given, and the lines that collect it."""


def async_kind(kind: Kind, file: File, signatures: Signatures) -> str:
    """Return a class with the methods of a kind, which return futures."""
    file.use(f"{kind.service.name}Grpc")
    noun = kind.noun.title()
    name = f"Async{noun}"
    said = (
        f"{{@link {noun}}} without blocking: each method returns a future. It completes exceptionally with the "
        "error that the other method throws. To cancel it is to cancel the call."
    )
    # An agent composes the contexts.
    public, said = ("public ", said) if noun != "Contexts" else ("", "Contexts without blocking.")
    base = ASYNC_BASES.get(kind.noun, "AsyncKind")
    body = [
        *javadoc("", said),
        f"{public}final class {name} extends {base} {{",
        f"{IN}{name}(Connection connection, Place place) {{",
        f"{IN * 2}super(connection, place);",
        f"{IN}}}",
        "",
    ]
    for each in kind.methods:
        returned, getter = (
            (f"List<{file.use(message_of(each.records).name)}>", "")
            if each.records
            else signatures.returned(each, file)
        )
        file.use(each.rpc.output_type.name)
        body += _futures(signatures, each, noun, camel(each.words), returned, getter, file)
        if each.is_erasing:
            erase = next(option for option in each.options if option.name == "erase")
            receipt = file.use("ErasureReceipt")
            body += _futures(signatures, each, noun, camel(ERASING[each.words]), receipt, ".getReceipt()", file, erase)
    return file.text([*body, "}"])


def _futures(
    signatures: Signatures,
    method: Method,
    noun: str,
    name: str,
    returned: str,
    getter: str,
    file: File,
    *implied: FieldDescriptor,
) -> Iterator[str]:
    """Yield a method that returns a future, without options and with options."""
    parameters, names = signatures.parameters(method, file)
    options = f"{method.rpc.name}Options"
    start = f"public CompletableFuture<{BOXED.get(returned, returned)}> {name}("
    place = f"{noun if noun != 'Contexts' else 'Agent'}#{name}"
    for more in ([], [f"{options} options"]):
        said = f"Does what {{@link {place}({types_of([*parameters, *more])})}} does."
        if method.records is not None:
            said += " The future has the records of all pages."
        yield from javadoc(IN, said)
        yield from listed(IN, start, [*parameters, *more], ") {")
        if more:
            yield from _begin(signatures, method, getter, implied)
        else:
            yield from listed(IN * 2, f"return {name}(", [*names, f"{options}.DEFAULT"], ");")
        yield f"{IN}}}\n"


def _begin(signatures: Signatures, method: Method, getter: str, implied: tuple[FieldDescriptor, ...]) -> Iterator[str]:
    given, lines = signatures.given(method, implied)
    yield from lines
    response = method.rpc.output_type.name
    arguments = [f"{method.rpc.containing_service.name}Grpc.get{method.rpc.name}Method()", given]
    begin = "begin"
    if method.records is not None:
        begin = "beginList"
        arguments += [f"{response}::getNextPageToken", f"{response}::get{pascal(method.records.name)}List"]
    else:
        result = getter.removeprefix(".").removesuffix("()")
        arguments.append(f"{response}::{result}" if result else "response -> response")
    yield from listed(IN * 2, f"return {begin}(", arguments, ");")
