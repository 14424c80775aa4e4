"""Lays out C++ as clang-format does in the style of clients/cpp, so that what is generated needs no clang-format."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 120
IN = "  "
_CONTINUED = "    "


def comment(indent: str, text: str, start: str = "///") -> Iterator[str]:
    """Yield a comment of one paragraph."""
    width = WIDTH - len(f"{indent}{start} ")
    for each in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False):
        yield f"{indent}{start} {each}"


def listed(indent: str, start: str, parts: Sequence[str], end: str) -> list[str]:
    """Return code with a list in parentheses, whose lines are aligned with its first part, and as full as possible."""
    lines, aligned = [indent + start], " " * len(indent + start)
    for number, part in enumerate(parts):
        text = part + (end if number == len(parts) - 1 else ",")
        gap = "" if lines[-1] in (indent + start, aligned) else " "
        if len(lines[-1] + gap + text) <= WIDTH or not gap:
            lines[-1] += gap + text
        else:
            lines.append(aligned + text)
    if not parts:
        lines[-1] += end
    return lines


def called(start: str, parts: Sequence[str], getter: str) -> str:
    """Return a statement in a function with the result of a call, or with what a getter returns of it."""
    joined = ", ".join(parts)
    target, _, call = start.rpartition(" = ") if " = " in start else ("", "", start)
    if len(f"{IN}{start}{joined}){getter};") <= WIDTH:
        return f"{start}{joined}){getter};"
    if target and len(f"{IN}{_CONTINUED}{call}{joined});") <= WIDTH:
        return f"{target} =\n{_CONTINUED}{call}{joined}){getter};"
    if getter and len(f"{IN}{start}{joined})") <= WIDTH:
        return f"{start}{joined})\n{_CONTINUED}{getter};"
    lines = [line.removeprefix(IN) for line in listed(IN, start, parts, ")" if getter else ");")]
    return "\n".join([*lines, f"{_CONTINUED}{getter};"] if getter else lines)


def function(start: str, parameters: Sequence[str], end: str, statements: Sequence[str]) -> Iterator[str]:
    """Yield a function, in one line if it fits."""
    head = listed("", start, parameters, f"{end} {{")
    if len(statements) == 1 and len(head) == 1:
        line = f"{head[0]} {statements[0]} }}"
        if "\n" not in statements[0] and len(line) <= WIDTH:
            yield line
            yield ""
            return
    yield from head
    for each in statements:
        yield from (IN + line for line in each.split("\n"))
    yield "}\n"


def enumeration(name: str, values: Sequence[str]) -> Iterator[str]:
    """Yield an enum class."""
    line = f"enum class {name} {{ {', '.join(values)} }};"
    if len(line) <= WIDTH:
        yield line
    else:
        yield f"enum class {name} {{"
        yield from (f"{IN}{each}," for each in values[:-1])
        yield f"{IN}{values[-1]}"
        yield "};"
    yield ""


def includes(code: str, groups: Iterable[Iterable[str]]) -> str:
    """Return the include directives of a file in groups, with the standard headers that its code needs."""
    standard = {header for name, header in _STANDARD.items() if re.search(rf"\b{name}\b", code)}
    own = [sorted(set(each)) for each in groups]
    messages = [each for group in own for each in group if each.startswith("<") and each.endswith(".h>")]
    others = sorted({each for group in own for each in group if each.startswith("<")} - {*messages} | standard)
    quoted = [[each for each in group if each.startswith('"')] for group in own]
    blocks = [quoted[0], sorted(messages), others, *quoted[1:]]
    return "\n\n".join("\n".join(f"#include {each}" for each in block) for block in blocks if block)


_STANDARD = {
    "std::chrono": "<chrono>",
    "std::int(32|64)_t": "<cstdint>",
    "std::move": "<utility>",
    "std::optional": "<optional>",
    "std::string": "<string>",
    "std::string_view": "<string_view>",
    "std::vector": "<vector>",
    "nlohmann::json": "<nlohmann/json.hpp>",
}
