"""Reads the help of the command line: of each command, and of each option."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import click
from tests.words.rule import findings_of
from tests.words.text import Text

from memoryd_server.ops.cli.main import memoryd

_DEFAULT = re.compile(r"\s+\[default: .*\]\Z", re.DOTALL)
# A line that begins with one of these continues the line above it, or describes the thing instead of naming it.
_OPENING = re.compile(
    "also|and|as|at|by|else|for|from|how|in|it|more|no|of|on|or|such|that|their|these|this|those|to|what|when|where|"
    "whether|which|who|whom|whose|why|with",
    re.IGNORECASE,
)
# Words of closed classes: alone, they name nothing.
_FUNCTION_WORD = re.compile(
    f"{_OPENING.pattern}|a|all|an|any|are|be|been|can|do|does|each|every|given|has|have|is|its|many|may|most|much|must|not|"
    "one|only|other|same|set|so|some|than|the|them|then|there|they|very|was|were|will"
)


@dataclass(frozen=True)
class HelpLine:
    """The help of a command or of an option, without its default. ``place`` is what a person types."""

    place: str
    help: str


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command of the command line with its path, such as ``note create``."""
    context = click.Context(memoryd)
    for name in memoryd.list_commands(context):
        command = memoryd.get_command(context, name)
        assert command is not None
        yield from _below(name, command)


def help_lines() -> Iterator[HelpLine]:
    """Yield the summary of each command, and the help of each of its options."""
    for path, command in commands():
        yield HelpLine(path, (command.help or "").split("\n\n")[0].strip())
        for option in command.params:
            if isinstance(option, click.Option):
                yield HelpLine(f"{path} {option.opts[0]}", _DEFAULT.sub("", option.help or ""))


def faults_of(line: HelpLine) -> Iterator[str]:
    """Yield what a line of help lacks to be understood alone."""
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", line.help)
    if not words:
        yield f"{line.place}: has no help"
        return
    if not line.help[0].isupper() or not line.help.endswith("."):
        yield f"{line.place}: {line.help!r} is no sentence from a capital to a full stop"
    if _OPENING.fullmatch(words[0]):
        yield f"{line.place}: {line.help!r} begins with {words[0]!r}, not with a verb or a noun"
    if sum(not _FUNCTION_WORD.fullmatch(word if word.isupper() else word.lower()) for word in words) < 2:
        yield f"{line.place}: {line.help!r} names nothing"
    for finding in findings_of(Text("message", 1, line.help)):
        yield f"{line.place}: {finding.found!r}: {finding.advice}"


def _below(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from _below(f"{path} {name}", each)
