"""``memoryd event``, with the short forms ``events`` and ``watch``: committed events."""

import itertools
from datetime import datetime
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import LIMIT_ALL
from memoryd_server.ops.cli.event.event_choice import EPILOG, EVENT_TYPE, KEY_PREFIX
from memoryd_server.ops.cli.event.event_line import EventLines, event_row
from memoryd_server.ops.cli.event.watch import watch_events
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd


@click.group("event", cls=CommandGroup)
def event() -> None:
    """List past events, and watch new ones. The short forms are `memoryd events` and `memoryd watch`."""


@click.command("list", cls=ClientCommand, epilog=EPILOG)
@name_argument("agent", "agent_ids", metavar="[AGENT]...", nargs=-1)
@KEY_PREFIX
@EVENT_TYPE
@click.option("--newest", is_flag=True, help="List the newest events first.")
@click.option("--from-revision", type=click.IntRange(1), metavar="N", help="Begin with this revision of the AGENT.")
@click.option("--to-revision", type=click.IntRange(1), metavar="N", help="End with this revision of the AGENT.")
@click.option("--since", type=MOMENT, metavar="TIME", help="List only events from this time on, such as 7d or a date.")
@click.option("--until", type=MOMENT, metavar="TIME", help="List only events before this time.")
@LIMIT_ALL
def list_events(
    client: "memoryd.Client",
    output: Output,
    agent_ids: tuple[str, ...],
    key_prefix: str,
    event_types: tuple[str, ...],
    newest: bool,
    from_revision: int | None,
    to_revision: int | None,
    since: datetime | None,
    until: datetime | None,
    limit: int | None,
) -> None:
    """List the events of agents, the oldest first.

    AGENT is an agent's id, or a prefix followed by *, such as 'support-*'. Without AGENT, this lists the events of all
    agents. A revision requires exactly one AGENT, by its id.

    In a pipe, each row has the fields of memoryd watch, separated by tabs: time, revision, agent, scope id, type,
    cause, key or id, value or content.
    """
    from memoryd import EventFilter

    if (from_revision or to_revision) and (len(agent_ids) != 1 or agent_ids[0].endswith("*")):
        raise click.UsageError("--from-revision and --to-revision need exactly one AGENT, by its id")
    chosen = EventFilter(agent_ids or None, key_prefix=key_prefix, event_types=event_types or None)
    events = client.events(
        chosen,
        order="create_time_descending" if newest else "create_time",
        after_revision=from_revision - 1 if from_revision else 0,
        end_revision=to_revision or 0,
        start_time=since,
        end_time=until,
    )
    lines = EventLines()
    for each in itertools.islice(events, limit):
        if output.as_json:
            output.record(each)
        elif output.is_terminal:
            output.console.print(lines.line(each), no_wrap=True, overflow="ellipsis")
        else:
            output.row(event_row(each))


event.add_command(list_events)
event.add_command(watch_events)
