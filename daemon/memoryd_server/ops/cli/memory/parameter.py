"""Arguments and options that several commands for memories share."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.config.setting_type import SHARE

F = TypeVar("F", bound=Callable[..., Any])

TYPES = ("semantic", "episodic", "procedural", "working")
STATUSES = ("active", "archived", "superseded")
LINK_TYPES = ("related", "derived_from", "contradicts", "supersedes", "reinforces")

MEMORY = name_argument("memory")
READ_TIME = click.option(
    "--as-of",
    "read_time",
    type=MOMENT,
    metavar="MOMENT",
    help="Read the memories as they were at MOMENT, such as 2026-05-20, or 1h for one hour ago.",
)


def _none_if_empty(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Return what was given for a repeatable option; None, which selects all, if it was not given."""
    return given or None


_FILTERS = (
    click.option(
        "--project",
        "project_id",
        metavar="ID",
        help="Select only memories of this project; '' selects those without one.",
    ),
    click.option(
        "--conversation",
        "conversation_id",
        metavar="ID",
        help="Select only memories learned in this conversation; '' selects those without one.",
    ),
    click.option(
        "--type",
        "types",
        type=click.Choice(TYPES),
        callback=_none_if_empty,
        multiple=True,
        help="Select only memories of this type. Repeatable.",
    ),
    click.option(
        "--status",
        "statuses",
        type=click.Choice(STATUSES),
        callback=_none_if_empty,
        multiple=True,
        help="Select only memories with this status. Repeatable.  [default: active]",
    ),
    click.option(
        "--tag", "all_tags", multiple=True, metavar="TAG", help="Select only memories with this tag. Repeatable."
    ),
    click.option(
        "--any-tag",
        "any_tags",
        callback=_none_if_empty,
        multiple=True,
        metavar="TAG",
        help="Select only memories with one of these tags. Repeatable.",
    ),
    click.option(
        "--since",
        "occur_start_time",
        type=MOMENT,
        metavar="MOMENT",
        help="Select only what happened at or after MOMENT: 2026-05-20, 2026-05-20T14:30, or 7d for a week ago.",
    ),
    click.option(
        "--until", "occur_end_time", type=MOMENT, metavar="MOMENT", help="Select only what happened before MOMENT."
    ),
    click.option(
        "--min-salience",
        type=SHARE,
        default=0.0,
        metavar="NUMBER",
        help="Minimum salience of a memory, 0 to 1.  [default: 0]",
    ),
)


def with_filters(function: F) -> F:
    """Add the options that select memories. The command receives them under the client's names, and ``selection``."""
    for option in reversed(_FILTERS):
        function = option(function)
    return selecting("memories")(function)
