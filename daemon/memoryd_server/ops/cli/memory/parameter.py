"""What the commands about memories have in common: their arguments, and the options that filter."""

from collections.abc import Callable
from typing import Any

import click

from memoryd_server.ops.cli.terminal.moment import MOMENT

TYPES = ("semantic", "episodic", "procedural", "working")
STATUSES = ("active", "archived", "superseded")
LINK_TYPES = ("related", "derived_from", "contradicts", "supersedes", "reinforces")

AGENT = click.argument("agent_id", metavar="AGENT")
MEMORY = click.argument("memory_id", metavar="MEMORY")
AS_OF = click.option(
    "--as-of", type=MOMENT, metavar="MOMENT", help="As it was then, such as 2026-05-20 or, an hour ago, 1h."
)

_FILTERS = (
    click.option("--user", "user_id", default="", metavar="ID", help="Those of this user.  [default: of all]"),
    click.option("--project", "project_id", default="", metavar="ID", help="Those of this project."),
    click.option("--conversation", "conversation_id", default="", metavar="ID", help="Those of this conversation."),
    click.option("--type", "types", type=click.Choice(TYPES), multiple=True, help="Those of this type; repeatable."),
    click.option(
        "--status",
        "statuses",
        type=click.Choice(STATUSES),
        multiple=True,
        help="Those of this status; repeatable.  [default: active]",
    ),
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Those that have it; repeatable."),
    click.option(
        "--since",
        "occur_start_time",
        type=MOMENT,
        metavar="MOMENT",
        help="What happened then or later: 2026-05-20, 2026-05-20T14:30, or, a week ago, 7d.",
    ),
    click.option("--until", "occur_end_time", type=MOMENT, metavar="MOMENT", help="What happened before then."),
    click.option(
        "--min-salience",
        type=click.FLOAT,
        default=0.0,
        metavar="NUMBER",
        help="Those that matter so much: from 0 to 1.",
    ),
)


def with_filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say which memories; it gets them by the client's names."""
    for option in reversed(_FILTERS):
        function = option(function)
    return function
