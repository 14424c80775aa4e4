"""The setting of a field of a message in the Rust client: the parameter of the method that does, and its statements."""

import re
from dataclasses import dataclass

from google.protobuf.descriptor import FieldDescriptor
from scripts.wrappers.wrapped import is_alternative, is_condition, message_of

WIDTH = 120

_SCALARS = {
    FieldDescriptor.TYPE_STRING: "impl Into<String>",
    FieldDescriptor.TYPE_BYTES: "impl Into<Vec<u8>>",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_INT32: "i32",
    FieldDescriptor.TYPE_INT64: "i64",
    FieldDescriptor.TYPE_FLOAT: "f32",
    FieldDescriptor.TYPE_DOUBLE: "f64",
}
RESULTS = {**_SCALARS, FieldDescriptor.TYPE_STRING: "String", FieldDescriptor.TYPE_BYTES: "Vec<u8>"}
"""The types of the fields that are read."""
_WELL_KNOWN = {
    "google.protobuf.Timestamp": ("SystemTime", "{1}.into()"),
    "google.protobuf.Duration": ("Duration", "duration_of({1})"),
    "google.protobuf.Struct": ("&(impl Serialize + ?Sized)", "struct_of({0}, {1})"),
    "google.protobuf.Value": ("&(impl Serialize + ?Sized)", "any_of({0}, {1})"),
    "google.protobuf.ListValue": ("impl IntoIterator<Item = impl Serialize>", "list_of({0}, {1})"),
}
"""The types of what is given for messages of protobuf, and its conversion with the name of the field in quotes."""
_FALLIBLE = ("struct_of", "any_of", "list_of")


@dataclass(frozen=True)
class Given:
    """The argument for a field: its type, empty if the name of the method says all, and the field's value.

    A conversion that can fail returns a ``Result``.
    """

    type: str
    value: str
    can_fail: bool = False


class Setter:
    """A method, or a part of one, that sets a field of a message, of which ``place`` is an expression.

    ``failure`` keeps the error of a conversion. A field that is cleared is set to what may be ``None``.
    """

    def __init__(self, field: FieldDescriptor, place: str, failure: str, clears: bool = False) -> None:
        self._field, self._place, self._failure = field, place, failure
        self._clears = clears and field.message_type is not None and field.message_type.name != "Struct"
        self.name = parameter_of(field)
        self._given = self._of_list() if field.is_repeated else self._of_one()

    @property
    def clears(self) -> bool:
        """True if the parameter may be ``None``, which removes what the field has."""
        return self._clears

    @property
    def parameter(self) -> str:
        """The declaration of the parameter, empty if there is none."""
        kind = self._given.type
        if not kind:
            return ""
        return f"{self.name}: impl Into<Option<{kind}>>" if self._clears else f"{self.name}: {kind}"

    def statements(self, indent: int) -> list[str]:
        """Return the statements that set the field, as rustfmt formats them."""
        if _oneof_of(self._field)[0]:
            return self._choice()
        line = self._statement(self._place)
        if len(line) + indent <= WIDTH:
            return [line]
        if "(" in self._place:
            part = self._part()
            return [f"let {part} = {self._place};", _laid_out(self._statement(part), indent)]
        converted = f"{self._failure}.keep({self._given.value})"
        if converted in line:
            return [f"let {self.name} = {converted};", _laid_out(line.replace(converted, self.name), indent)]
        return [_laid_out(line, indent)]

    def _choice(self) -> list[str]:
        """Return the statements that set one of several alternatives."""
        (oneof, variant), given = _oneof_of(self._field), self._given
        place, first = self._place, []
        if "(" in place:
            place = self._part()
            first = [f"let {place} = {self._place};"]
        name, names = self.name, ", ".join(alternatives_of(self._field))
        if self._clears:
            lines = [f"let chosen = {self._cleared(variant)};"]
        elif given.can_fail:
            converted = f"{self._failure}.keep({given.value})"
            lines = [_laid_out(f"let chosen = {converted}.map({variant});", 8)]
            if any(len(line) + 8 > WIDTH for line in lines[0].split("\n")):
                lines = [f"let {name} = {converted};", f"let chosen = {name}.map({variant});"]
        else:
            lines = [f"let chosen = Some({variant}({given.value}));"]
        choosing = f'{self._failure}.keep(choose(&mut {place}.{oneof}, chosen, "{names}"));'
        if len(choosing) + 8 > WIDTH:
            lines.append(f'let names = "{names}";')
            choosing = choosing.replace(f'"{names}"', "names")
        return [*first, *lines, choosing]

    def _part(self) -> str:
        assert self._field.containing_type is not None
        return snake(self._field.containing_type.name).split("_")[-1]

    def _statement(self, place: str) -> str:
        field, given = self._field, self._given
        target = f"{place}.{_raw(field.name)}"
        if is_alternative(field):
            chosen = f'select(&mut {target}, "{field.name}", {self.name})'
            if field.message_type is not None:
                chosen = f"{given.value}.and_then(|{self.name}| {chosen})"
            return f"{self._failure}.keep({chosen});"
        value = f"{self._failure}.keep({given.value})" if given.can_fail else given.value
        if field.is_repeated:
            value += ".unwrap_or_default()" if given.can_fail else ""
            return f"{target}.extend({value});" if is_condition(field) else f"{target} = {value};"
        if self._clears:
            value = self._cleared()
        elif field.has_presence and not given.can_fail:
            value = f"Some({value})"
        return f"{target} = {value};"

    def _cleared(self, variant: str = "") -> str:
        if self._given.can_fail:
            return f"{self._failure}.keep({self.name}.into().map(Input::into_message).transpose()).flatten()"
        if not variant:
            return f"{self.name}.into().map(Into::into)"
        return f"{self.name}.into().map(|{self.name}| {variant}({self._given.value}))"

    def _of_one(self) -> Given:
        field, name = self._field, self.name
        if field.enum_type is not None:
            return Given(f"v1::{field.enum_type.name}", f"{name}.into()")
        if field.message_type is None:
            if field.type == FieldDescriptor.TYPE_BOOL and not field.has_presence:
                return Given("", "true")
            kind = _SCALARS[field.type]
            return Given(kind, f"{name}.into()" if kind.startswith("impl") else name)
        message = field.message_type
        if known := _WELL_KNOWN.get(message.full_name):
            kind, converted = known
            return Given(kind, converted.format(f'"{field.name}"', name), can_fail=converted.startswith(_FALLIBLE))
        if not message.fields:
            return Given("", f"v1::{message.name} {{}}")
        if self._clears:
            return Given(f"Input<v1::{message.name}>", "", can_fail=True)
        return Given(f"impl Into<Input<v1::{message.name}>>", f"{name}.into().into_message()", can_fail=True)

    def _of_list(self) -> Given:
        field, name = self._field, self.name
        if field.enum_type is not None:
            kind = f"impl IntoIterator<Item = v1::{field.enum_type.name}>"
            return Given(kind, f"{name}.into_iter().map(Into::into).collect()")
        if field.message_type is None:
            if field.type == FieldDescriptor.TYPE_STRING:
                return Given("impl IntoIterator<Item = impl Into<String>>", f"texts({name})")
            return Given(f"impl Into<Vec<{RESULTS[field.type]}>>", f"{name}.into()")
        message = message_of(field)
        if message.name == "Struct":
            kind = "impl IntoIterator<Item = impl Serialize>"
            return Given(kind, f'structs_of("{field.name}", {name})', can_fail=True)
        kind = f"impl IntoIterator<Item = impl Into<Input<v1::{message.name}>>>"
        return Given(kind, f"messages({name})", can_fail=True)


def parameter_of(field: FieldDescriptor) -> str:
    """Return the name of a parameter and a method. The word type is one of the language."""
    if field.name != "type":
        return str(field.name)
    if field.enum_type is not None:
        return snake(field.enum_type.name)
    assert field.containing_type is not None
    return snake(field.containing_type.name.removesuffix("Draft")) + "_type"


def alternatives_of(field: FieldDescriptor) -> list[str]:
    """Return the names of the options that exclude each other, of which the field is one; nothing if it is none."""
    if not _oneof_of(field)[0]:
        return []
    assert field.containing_oneof is not None
    return [parameter_of(each) for each in field.containing_oneof.fields]


def others_of(field: FieldDescriptor) -> str:
    """Return what a comment calls the alternatives to a field, which exclude it; empty if there are none."""
    names = [f"`{name}`" for name in alternatives_of(field) if name != parameter_of(field)]
    return " and ".join(names) if len(names) < 3 else f"any other {_oneof_of(field)[0]}"


def snake(name: str) -> str:
    """Return a name of a message in small words."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def camel(name: str) -> str:
    """Return small words or the value of an enum as the name of a type or a variant."""
    return "".join(each.title() for each in re.split("[_ ]", name.lower()))


def _oneof_of(field: FieldDescriptor) -> tuple[str, str]:
    """Return the oneof of a field and its variant, both empty for a field of its own."""
    oneof = field.containing_oneof
    # An optional field has a oneof of its own, which is not written in the proto.
    if oneof is None or len(oneof.fields) == 1:
        return "", ""
    assert field.containing_type is not None
    return oneof.name, f"v1::{snake(field.containing_type.name)}::{camel(oneof.name)}::{camel(field.name)}"


def _raw(name: str) -> str:
    return "r#type" if name == "type" else name


def _laid_out(line: str, indent: int) -> str:
    if len(line) + indent <= WIDTH:
        return line
    target, _, value = line.partition(" = ")
    return f"{target} =\n    {value}"
