"""The options that choose the form of the output."""

from collections.abc import Mapping
from typing import Any

import click

from memoryd_server.ops.cli.terminal.output import Output

FORMS = ("table", "wide", "json", "yaml")

JSON = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON, one object per line: short for -o json.")

OPTIONS = (
    click.Option(
        ["-o", "--output", "form"],
        type=click.Choice(FORMS),
        help="Form of the output; wide is a table with all columns.  [default: table; in a pipe, rows with tabs]",
    ),
    JSON,
    click.Option(["-q", "--quiet"], is_flag=True, help="Print only the ids or keys of what is listed or created."),
    click.Option(["--no-headers"], is_flag=True, help="Print tables without headings."),
    click.Option(
        ["--times"],
        type=click.Choice(("relative", "absolute")),
        default="relative",
        help="Form of times in tables: an age, or local time.  [default: relative]",
    ),
)


def output_of(given: Mapping[str, Any]) -> Output:
    """Return the output for the values of OPTIONS, by name. Raises click.UsageError."""
    if given["as_json"] and given["form"] not in (None, "json"):
        raise click.UsageError(f"--json excludes --output {given['form']}")
    return Output(
        form="json" if given["as_json"] else given["form"] or "",
        quiet=given["quiet"],
        headings=not given["no_headers"],
        absolute=given["times"] == "absolute",
    )
