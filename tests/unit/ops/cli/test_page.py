"""docs/cli.md: every command has an example that the command line accepts."""

import re
import shlex
import sys
from pathlib import Path

import click
import pytest
from tests.words.help import commands

ROOT = Path(__file__).parents[4]
sys.path.insert(0, str(ROOT / "scripts"))

from cli_examples import EXAMPLES  # noqa: E402 - scripts are no package
from cli_page import page  # noqa: E402

LEAVES = {path: command for path, command in commands() if not isinstance(command, click.Group)}
NEEDS_A_FILE = {"snapshot import"}
"""Commands that look for a file of their line."""


def test_every_command_has_an_example() -> None:
    assert EXAMPLES.keys() == LEAVES.keys()


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_command_accepts_its_example(path: str) -> None:
    (line,) = re.findall(r"memoryd [^|>)]*", EXAMPLES[path])
    words = shlex.split(line)[1:]
    names = path.split()
    assert words[: len(names)] == names
    if path not in NEEDS_A_FILE:
        LEAVES[path].make_context(path, words[len(names) :])


def test_the_page_names_every_option_of_every_command() -> None:
    text = "\n".join(page())
    for command in LEAVES.values():
        for each in command.params:
            if isinstance(each, click.Option) and not each.hidden:
                assert each.opts[-1] in text
