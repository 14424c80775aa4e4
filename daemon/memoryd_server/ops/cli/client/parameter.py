"""Arguments and options that many commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.terminal.argument import object_option
from memoryd_server.ops.config.setting_type import PATH, SHARE, Count

F = TypeVar("F", bound=Callable[..., Any])

AGENT = name_argument("agent")
LIMIT_ALL = click.option("--limit", type=Count(1), metavar="N", help="Maximum number of results.  [default: all]")
ERASE = click.option(
    "--erase", is_flag=True, help="Erase the content from past events, too, and from the files of the database."
)
FURTHER_AGENTS = click.option(
    "--further-agent",
    "further_agents",
    multiple=True,
    metavar="AGENT",
    help="Another agent whose records are searched, too. Repeatable.",
)


def if_revision(noun: str) -> Callable[[F], F]:
    """Return the option that makes a change conditional; the command receives ``expected_revision``."""
    return click.option(
        "--if-revision",
        "expected_revision",
        type=click.IntRange(0),
        metavar="REVISION",
        help=f"Fail unless the {noun}'s revision is REVISION.",
    )


def importance(noun: str) -> Callable[[F], F]:
    """Return the option that gives the importance of a noun."""
    return click.option(
        "--importance", type=SHARE, metavar="NUMBER", help=f"Importance of the {noun}, 0 to 1.  [default: 0.5]"
    )


def metadata(noun: str) -> Callable[[F], F]:
    """Return the option that gives the metadata of a noun, a JSON object."""
    return click.option(
        "--metadata",
        callback=object_option,
        metavar="JSON",
        help=f"JSON object of your own, kept with the {noun}.",
    )


def tags(noun: str) -> Callable[[F], F]:
    """Return the option that gives the tags of a noun."""
    return click.option("--tag", "tags", multiple=True, metavar="TAG", help=f"Label of the {noun}. Repeatable.")


def limit(maximum: int, default: int) -> Callable[[F], F]:
    """Return the option that bounds the number of results."""
    return click.option(
        "--limit",
        type=click.IntRange(1, maximum),
        default=default,
        show_default=True,
        metavar="N",
        help="Maximum number of results.",
    )


SNAPSHOT_KEY_FILE = click.option(
    "--snapshot-key-file",
    type=PATH,
    metavar="FILE",
    envvar="MEMORYD_SNAPSHOT_KEY_FILE",
    show_envvar=True,
    help="Key that decrypts the backup, as in serve --snapshot-key-file.",
)
"""The option of commands that read a backup."""
