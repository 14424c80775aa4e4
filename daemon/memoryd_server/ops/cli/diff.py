"""``memoryd diff``: what changed of an agent between two moments."""

import operator
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from memoryd_server.ops.cli.client.connection import ConnectingCommand, Connection
from memoryd_server.ops.cli.client.parameter import AGENT, SNAPSHOT_KEY_FILE
from memoryd_server.ops.cli.event.event_line import event_row
from memoryd_server.ops.cli.terminal.form import OPTIONS, output_of
from memoryd_server.ops.cli.terminal.moment import parse_moment
from memoryd_server.ops.cli.terminal.output import Column
from memoryd_server.ops.cli.terminal.phrase import preview
from memoryd_server.ops.config.setting_type import SettingType

if TYPE_CHECKING:
    from memoryd import Event

ENDS = ("removed", "deleted", "purged", "disposed", "unlinked", "ended")
"""The last words of the types of events that report the end of a record."""


def _parse_point(text: str) -> int | datetime:
    return int(text) if text.isdecimal() else parse_moment(text)


POINT = SettingType("REV|TIME", _parse_point)


class Difference(msgspec.Struct, frozen=True):
    """A record that was added, changed or removed. Values are texts, empty for no record and for what is unknown."""

    change: str
    kind: str
    key: str
    before: str
    after: str


_COLUMNS: list[Column[Difference]] = [
    Column("CHANGE", operator.attrgetter("change"), style="bold"),
    Column("KIND", operator.attrgetter("kind"), style="cyan"),
    Column("KEY", operator.attrgetter("key"), may_be_cut=True),
    Column("BEFORE", operator.attrgetter("before"), lambda each: preview(each.before), may_be_cut=True, width_min=100),
    Column("AFTER", operator.attrgetter("after"), lambda each: preview(each.after), may_be_cut=True),
]


@click.command(cls=ConnectingCommand)
@AGENT
@click.option(
    "--from", "start", type=POINT, metavar="REV|TIME", help="Revision or time to begin after.  [default: the oldest]"
)
@click.option(
    "--to", "end", type=POINT, metavar="REV|TIME", help="Revision or time to end with.  [default: the last one]"
)
@click.option(
    "--backup",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="Compare two moments of this backup, without a daemon.",
)
@SNAPSHOT_KEY_FILE
def diff(
    connection: Connection,
    agent_id: str,
    start: int | datetime | None,
    end: int | datetime | None,
    backup: Path | None,
    snapshot_key_file: Path | None,
    **given: Any,
) -> None:
    """Show which records of AGENT were added, changed and removed between two revisions or times.

    From a running daemon, this reads the events that its journal retains: each record has its last value, and all of a
    kind that were cleared together are one line. With --backup, each record has its values at both moments.

    In a pipe, each row has these fields, separated by tabs: added, changed or removed; kind; key or id; value before;
    value after.
    """
    if backup is not None:
        found = _of_backup(backup, snapshot_key_file, agent_id, start, end)
    else:
        found = _of_daemon(connection, agent_id, start, end)
    output_of(given).listing(found, _COLUMNS, nothing="There is no difference.")


diff.params += OPTIONS


def _of_daemon(
    connection: Connection, agent_id: str, start: int | datetime | None, end: int | datetime | None
) -> Iterator[Difference]:
    import memoryd

    options: dict[str, Any] = {}
    if start is not None:
        options["after_revision" if isinstance(start, int) else "start_time"] = start
    if end is not None:
        options["end_revision" if isinstance(end, int) else "end_time"] = end
    with memoryd.connect(connection.address, **connection.settings) as client:
        yield from _summarized(client.agent(agent_id).events(**options))


def _summarized(events: "Iterable[Event]") -> Iterator[Difference]:
    """Yield one difference for each record that any of the events is about, in the order of the first ones."""
    first: dict[tuple[str, str], Event] = {}
    last: dict[tuple[str, str], Event] = {}
    for event in events:
        place = (str(event.kind), _key_of(event))
        first.setdefault(place, event)
        last[place] = event
    for place, event in last.items():
        was_there, is_there = _existed_before(first[place]), not _is_end(event)
        if was_there or is_there:
            change = "changed" if was_there and is_there else "added" if is_there else "removed"
            yield Difference(change, *place, "", str(event_row(event)[-1]) if is_there else "")


def _key_of(event: "Event") -> str:
    scope_id, name = event_row(event)[3], str(event_row(event)[-2])
    if event.type.endswith("cleared"):
        return "*"
    if event.kind == "memory_link":
        subject: Any = event.subject
        return f"{subject.from_memory_id}/{subject.type}/{subject.to_memory_id}"
    return "/".join(filter(None, (scope_id, name)))


def _existed_before(event: "Event") -> bool:
    return event.previous_revision > 0 or _is_end(event)


def _is_end(event: "Event") -> bool:
    return event.type.rpartition("_")[2] in (*ENDS, "cleared")


def _of_backup(
    directory: Path, key_file: Path | None, agent_id: str, start: int | datetime | None, end: int | datetime | None
) -> Iterator[Difference]:
    from memoryd_server.ops.wiring.backups.difference import agent_difference
    from memoryd_server.ops.wiring.backups.moment import Moment
    from memoryd_server.ops.wiring.backups.opened_backup import backup_at, failures_explained

    if start is None:
        raise click.UsageError("--backup needs --from")
    moments = Moment.of(start, agent_id), Moment.of(end, agent_id)
    with failures_explained(directory):
        found = agent_difference(backup_at(directory, key_file), agent_id, *moments)
    for each in found:
        change = "added" if each.before is None else "removed" if each.after is None else "changed"
        yield Difference(change, each.kind, each.key, _text(each.before), _text(each.after))


def _text(value: Any) -> str:
    return "" if value is None else msgspec.json.encode(value).decode()
