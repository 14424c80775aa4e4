"""Reads the English out of a file: docstrings, comments, messages, names, and the prose of Markdown."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["docstring", "comment", "message", "name", "prose"]

C_LIKE = {".proto", ".go", ".ts", ".java", ".rs", ".cpp", ".hpp"}
HASH_COMMENTED = {"", ".toml", ".yaml", ".yml", ".ini", ".cmake"}

_MESSAGE_WORDS_MIN = 3
_C_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\[^\n]{1,8}|[^'\\\n])')|(?P<comment>//[^\n]*|/\*.*?\*/)""", re.DOTALL
)
_C_MARK = re.compile(r"^\s*(?://+!?|/\*+|\*+/|\*)", re.MULTILINE)
_HASH_COMMENT = re.compile(r"(?:^|(?<=\s))#(?!!)[^\n]*")
_LUA_COMMENT = re.compile(r"--[^\n]*")
# What Markdown quotes is not the project's own prose: code, addresses, and invisible comments.
_QUOTED = re.compile(
    r"^(?P<fence>```+|~~~+).*?^(?P=fence)|<!--.*?-->|(?<!`)`[^`]+`(?!`)|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)
# reStructuredText's literals, such as ``told``, quote code in docstrings and comments.
_LITERAL = re.compile(r"``[^`]+``|(?<!`)`[^`\n]+`(?!`)")
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Text:
    """A piece of English, and where it stands. A name's words are separated by spaces."""

    kind: Kind
    line: int
    content: str

    def line_of(self, offset: int) -> int:
        """Return the line of the file in which the character at ``offset`` stands."""
        return self.line + self.content.count("\n", 0, offset)


def texts_of(path: Path, source: str) -> Iterator[Text]:
    """Yield the texts in the source of a file; none for a file of unknown type."""
    yield Text("name", 1, _words(path.stem))
    match path.suffix:
        case ".py":
            yield from _python(source, with_messages="tests" not in path.parts)
        case ".md":
            yield Text("prose", 1, _QUOTED.sub(_blank, source))
        case ".lua":
            yield from _comments(_LUA_COMMENT, source, "--")
        case suffix if suffix in C_LIKE:
            yield from _c_like(source)
        case suffix if suffix in HASH_COMMENTED:
            yield from _comments(_HASH_COMMENT, source, "#")


def _python(source: str, *, with_messages: bool) -> Iterator[Text]:
    docstrings: set[ast.AST] = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if docstring := _docstring(node):
            docstrings.add(docstring)
            yield Text("docstring", docstring.lineno, _LITERAL.sub(_blank, str(docstring.value)))
        yield from (Text("name", line, _words(name)) for line, name in _names(node))
    if with_messages:
        yield from _messages(tree, docstrings)
    if "#" in source:
        yield from _python_comments(source)


def _docstring(node: ast.AST) -> ast.Constant | None:
    """Return a string that is a statement: a docstring, also one below an attribute."""
    match node:
        case ast.Expr(value=ast.Constant(value=str()) as docstring):
            return docstring
        case _:
            return None


def _names(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the names that a node defines."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.lineno, node.name
        case ast.arg():
            yield node.lineno, node.arg
        case ast.Name(ctx=ast.Store()):
            yield node.lineno, node.id
        case ast.Attribute(ctx=ast.Store()):
            yield node.lineno, node.attr


def _messages(tree: ast.Module, docstrings: set[ast.AST]) -> Iterator[Text]:
    """Yield the other strings of some words, such as logs, errors and help; ``{}`` stands for what f-strings insert."""
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            pieces = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            content = "".join(map(str, pieces))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in docstrings
            and node not in inside
        ):
            content = node.value
        else:
            continue
        if len(content.split()) >= _MESSAGE_WORDS_MIN:
            yield Text("message", node.lineno, _LITERAL.sub(_blank, content))


def _python_comments(source: str) -> Iterator[Text]:
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT
    ]
    yield from _joined([(token.start[0], token.string.removeprefix("#")) for token in comments])


def _c_like(source: str) -> Iterator[Text]:
    lines: list[tuple[int, str]] = []
    for found in _C_TOKEN.finditer(source):
        if comment := found["comment"]:
            first = source.count("\n", 0, found.start()) + 1
            lines += enumerate(_C_MARK.sub("", comment).split("\n"), first)
    yield from _joined(lines)


def _comments(comment: re.Pattern[str], source: str, mark: str) -> Iterator[Text]:
    lines = enumerate(source.splitlines(), 1)
    yield from _joined(
        [(number, found[0].removeprefix(mark)) for number, line in lines if (found := comment.search(line))]
    )


def _joined(lines: list[tuple[int, str]]) -> Iterator[Text]:
    """Join comments on successive lines, so that a sentence that is broken is one."""
    block: list[str] = []
    first = 0
    for number, line in [*lines, (-1, "")]:
        if block and number != first + len(block):
            yield Text("comment", first, _LITERAL.sub(_blank, "\n".join(block)))
            block = []
        if not block:
            first = number
        block.append(line.strip())


def _words(name: str) -> str:
    return " ".join(_CAMEL_HUMP.sub("_", name).lower().replace("-", "_").split("_"))


def _blank(found: re.Match[str]) -> str:
    """Leave out what was found, but for its lines."""
    return "`…`" + "\n" * found[0].count("\n")
