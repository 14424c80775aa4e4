"""The commands and options of memoryd that a page names are those of the command line."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import click
import pytest
from tests.words.help import commands

from memoryd_server.ops.cli.main import memoryd

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_ALIASES = {"scripts/run": ["memoryd", "serve"]}
"""Programs that take the options of a command."""
_SHELL = re.compile(r"^ *```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"^ *(```|~~~).*?^ *\1|<!--.*?-->", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_OPTION = re.compile(r"--[a-z][a-z0-9-]*")
_SEPARATORS = {"|", "||", "&&", ";"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_option_that_a_page_names_exists(page: Path) -> None:
    assert list(_unknown(page.read_text("utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "Set `--stroe`.",
        "`memoryd serve --ttl 5m`",
        "`memoryd frobnicate agent`",
        "`--no-store`",
        "Set --stroe.",
        "`--stroe-…`",
        "```sh\necho x | memoryd set agent key - --stroe\n```",
        "```sh\nmemoryd serve \\\n  --stroe x\n```",
        "```sh\nscripts/run --ttl 5m\n```",
    ],
)
def test_an_unknown_option_is_found(text: str) -> None:
    assert len(list(_unknown(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Set `--store`, or `--no-snapshot-on-shutdown`, or one of `--limit-…`.",
        "`memoryd set` stores, and `memoryd-server[mcp]` is its extra.",
        "`memoryd note create AGENT --notebook NAME`",
        "`age --decrypt`, and --help.",
        "```sh\necho x | memoryd set agent key - --ttl 5m  # --stroe\n```",
        "```python\nx--y\n```",
    ],
)
def test_a_known_option_and_those_of_other_programs_are_not_found(text: str) -> None:
    assert list(_unknown(text)) == []


def _unknown(text: str) -> Iterator[str]:
    """Yield the commands and options in a page that memoryd does not have."""
    for shell in _SHELL.findall(text):
        for line in shell.replace("\\\n", " ").splitlines():
            for is_separator, words in groupby(shlex.split(line, comments=True), _SEPARATORS.__contains__):
                if not is_separator:
                    yield from _unknown_in_call([*words])
    prose = _BLOCK.sub("", text)
    for span in _SPAN.findall(prose):
        words = span.split()
        if words[0].startswith("--"):
            yield from _unknown_options(words)
        else:
            yield from _unknown_in_call(words)
    yield from _unknown_options(_SPAN.sub("", prose).split())


def _unknown_in_call(words: list[str]) -> Iterator[str]:
    """Yield what the command in a shell's words does not have; nothing if they call another program."""
    program, *called = words
    program, *given = _ALIASES.get(program, [program])
    if program != "memoryd":
        return
    called = given + called
    command: click.Command = memoryd
    while isinstance(command, click.Group) and called and not called[0].startswith("-"):
        name, *called = called
        found = command.get_command(click.Context(command), name)
        if found is None:
            yield f"{command.name} {name}"
            return
        command = found
    yield from _unknown_options(called, _options_of(command))


def _unknown_options(words: list[str], known: frozenset[str] | None = None) -> Iterator[str]:
    """Yield the options among words that are not known, by default those that no command has.

    A name that ends with a hyphen, as in ``--limit-…``, stands for all options that begin with it.
    """
    known = _all_options() if known is None else known
    for word in words:
        for option in _OPTION.findall(word) if word.lstrip("([*").startswith("--") else ():
            if option not in known and not (option.endswith("-") and any(each.startswith(option) for each in known)):
                yield option


@cache
def _all_options() -> frozenset[str]:
    return _options_of(memoryd).union(*(_options_of(command) for _, command in commands()))


def _options_of(command: click.Command) -> frozenset[str]:
    names = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return frozenset(names | {"--help"})
