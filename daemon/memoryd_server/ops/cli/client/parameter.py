"""Arguments and options that many commands share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memoryd_server.ops.config.setting_type import SHARE

F = TypeVar("F", bound=Callable[..., Any])

AGENT = click.argument("agent_id", metavar="AGENT")
IMPORTANCE = click.option(
    "--importance", type=SHARE, metavar="NUMBER", help="Importance of the record, 0 to 1.  [default: 0.5]"
)
METADATA_HELP = "JSON object of your own, kept with the record."
TAGS = click.option("--tag", "tags", multiple=True, metavar="TAG", help="Label of the record. Repeatable.")
YES = click.option("--yes", is_flag=True, help="Skip the confirmation that a terminal asks for.")


def if_revision(noun: str) -> Callable[[F], F]:
    """Return the option that makes a change conditional; the command receives ``expected_revision``."""
    return click.option(
        "--if-revision",
        "expected_revision",
        type=click.IntRange(0),
        metavar="REVISION",
        help=f"Fail unless the {noun}'s revision is REVISION.",
    )


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
