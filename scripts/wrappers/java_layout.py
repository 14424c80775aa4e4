"""Lays out Java as google-java-format does, so that what is generated needs no Java to be formatted."""

import html
import textwrap
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 100
_FURTHER = "    "
"""The indentation of the lines of a statement behind its first one, relative to it."""


def escaped(text: str) -> str:
    """Return a text as it is in a Javadoc comment. A backslash would begin an escape of the compiler."""
    text = html.escape(text, quote=False)
    return text.replace("\\", "&#92;").replace("@", "&#64;").replace("{", "&#123;").replace("}", "&#125;")


def line_comment(text: str) -> Iterator[str]:
    """Yield a comment that is no Javadoc."""
    yield from (f"// {line}" for line in _filled(text, WIDTH - len("// ")))


def javadoc(indent: str, text: str, tags: Iterable[tuple[str, str]] = ()) -> Iterator[str]:
    """Yield a comment of one paragraph, with tags such as ``@param name`` and what they say."""
    listed = list(tags)
    if not listed and len(f"{indent}/** {text} */") <= WIDTH:
        yield f"{indent}/** {text} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}" for line in _filled(text, WIDTH - len(indent) - len(" * ")))
    if listed:
        yield f"{indent} *"
    for tag, said in listed:
        first, *rest = _filled(f"{tag} {said}", WIDTH - len(indent) - len(" * "), _FURTHER)
        yield from (f"{indent} * {line}" for line in (first, *rest))
    yield f"{indent} */"


def listed(indent: str, start: str, parts: Sequence[str], end: str) -> Iterator[str]:
    """Yield code with a list in parentheses, such as the parameters of a method: in one line, in two, or one a line."""
    joined = ", ".join(parts)
    if len(indent + start + joined + end) <= WIDTH:
        yield indent + start + joined + end
        return
    yield indent + start
    further = indent + _FURTHER
    if len(further + joined + end) <= WIDTH:
        yield further + joined + end
        return
    yield from (f"{further}{each}," for each in parts[:-1])
    yield further + parts[-1] + end


def declared(start: str, end: str) -> list[str]:
    """Return the declaration of a class, with what it extends in a line of its own if it is too long."""
    return [f"{start} {end}"] if len(f"{start} {end}") <= WIDTH else [start, _FURTHER + end]


def chained(indent: str, start: str, target: str, calls: Sequence[str]) -> Iterator[str]:
    """Yield a statement with calls of one object after the other."""
    chain = target + "".join(calls) + ";"
    if len(f"{indent}{start} {chain}") <= WIDTH:
        yield f"{indent}{start} {chain}"
        return
    further = indent + _FURTHER
    yield indent + start
    if len(further + chain) <= WIDTH:
        yield further + chain
        return
    yield further + target
    yield from (f"{further}{_FURTHER}{each}" for each in calls[:-1])
    yield f"{further}{_FURTHER}{calls[-1]};"


def assigned(indent: str, start: str, name: str, argument: str) -> Iterator[str]:
    """Yield the assignment of what a call with one argument returns."""
    if len(f"{indent}{start} {name}({argument});") <= WIDTH:
        yield f"{indent}{start} {name}({argument});"
        return
    yield indent + start
    yield from listed(indent + _FURTHER, f"{name}(", [argument], ");")


def _filled(text: str, width: int, further: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)
