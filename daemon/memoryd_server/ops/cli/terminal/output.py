"""Output of the commands: tables and colour on a terminal, tab-separated rows in a pipe, or JSON."""

import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import click

from memoryd_server.ops.cli.terminal.phrase import age, laid_out, local_time, plain
from memoryd_server.ops.limit import ROWS_SHOWN_MAX, TABLE_CHARACTERS_MAX

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

T = TypeVar("T")

_ASSERTING = {"TTY_COMPATIBLE", "FORCE_COLOR"}
"""The variables by which rich takes any output for a terminal."""


class Column(NamedTuple, Generic[T]):
    """A column of a listing.

    ``field`` is the value that a pipe gets; ``shown`` is the text for a person, if it differs. A terminal narrower than
    ``width_min`` characters leaves the column out. In a table that is still too wide, columns that ``may_be_cut`` are
    shortened, and those that ``wraps`` take several lines. ``names`` is true for the column of the records' ids or
    keys.
    """

    title: str
    field: Callable[[T], Any]
    shown: Callable[[T], str] | None = None
    style: str = ""
    right: bool = False
    may_be_cut: bool = False
    wraps: bool = False
    width_min: int = 0
    names: bool = False

    def cell(self, item: T, *, absolute: bool = False) -> str:
        """Return the text for a person; a time is local if ``absolute``, and else as the column shows it."""
        if absolute and isinstance(moment := self.field(item), datetime):
            return local_time(moment)
        return plain(self.shown(item) if self.shown else _text(self.field(item)))


class Output:
    """Standard output, in the form that suits its reader.

    ``form`` is table, wide, json or yaml; empty for a table on a terminal, and rows with tabs in a pipe. ``quiet``
    leaves ids only. ``headings`` are those of tables. ``absolute`` shows local times instead of ages.
    """

    def __init__(self, *, form: str = "", quiet: bool = False, headings: bool = True, absolute: bool = False) -> None:
        self.form = form
        self.quiet = quiet
        self.headings = headings
        self.absolute = absolute

    @property
    def as_json(self) -> bool:
        """True if programs read the output as objects: JSON or YAML."""
        return self.form in ("json", "yaml")

    @functools.cached_property
    def console(self) -> "Console":
        """The terminal. It is without colour if NO_COLOR is set, and never interprets text as markup."""
        from rich.console import Console

        # With NO_COLOR alone, rich would still write bold.
        plain_text = bool(os.environ.get("NO_COLOR"))
        # Only a terminal has a width: a table in a pipe is not cut, and a wide one nowhere.
        is_cut = self.form != "wide" and (not self.form or sys.stdout.isatty())
        return Console(
            markup=False,
            highlight=False,
            emoji=False,
            color_system=None if plain_text else "auto",
            width=None if is_cut else TABLE_CHARACTERS_MAX,
        )

    @property
    def is_terminal(self) -> bool:
        """True if a person reads the output."""
        # Imports rich, which is slow, only where it may say yes: for a terminal, or a variable by which it takes one.
        if self.form:
            return not self.as_json
        may_be = not self.quiet and (sys.stdout.isatty() or not _ASSERTING.isdisjoint(os.environ))
        return may_be and self.console.is_terminal

    def record(self, result: Any) -> None:
        """Write a result as a line of JSON, or as a document of YAML; to a terminal with control characters escaped."""
        from memoryd_server.ops.cli.terminal.json_line import to_json, to_yaml

        encode = to_yaml if self.form == "yaml" else to_json
        click.echo(encode(result, for_terminal=sys.stdout.isatty()).encode(), nl=self.form != "yaml")

    def line(self, text: str) -> None:
        """Write a line."""
        click.echo(text.encode())

    def text(self, text: str) -> None:
        """Write a text: verbatim to a pipe; with control characters escaped to a terminal."""
        self.line("\n".join(map(plain, text.split("\n"))) if self.is_terminal else text)

    def value(self, value_json: str) -> None:
        """Write a JSON value, indented and coloured, for a person."""
        from rich.highlighter import JSONHighlighter
        from rich.text import Text

        text = Text(laid_out(value_json))
        JSONHighlighter().highlight(text)
        # Lines are not wrapped, so that a copy of them is valid JSON.
        self.console.print(text, soft_wrap=True)

    def row(self, fields: Iterable[Any]) -> None:
        """Write a tab-separated row for a program: all fields whole, line breaks escaped."""
        self.line("\t".join(plain(_text(field)) for field in fields))

    def done(self, result: Any, sentence: str, *, name: str = "") -> None:
        """Write the result of a change: ``sentence``, or ``result`` as JSON, or the ``name`` of what was created."""
        if self.as_json:
            self.record(result)
        elif self.quiet:
            if name:
                self.row([name])
        else:
            self.line(plain(sentence))

    def facts(self, result: Any, facts: Sequence[tuple[str, Any, str]]) -> None:
        """Write one record: a name, a value for a pipe and a text for a person for each fact."""
        if self.as_json:
            self.record(result)
        elif self.is_terminal:
            self.console.print(_grid(facts, absolute=self.absolute))
        else:
            for name, field, _ in facts:
                self.row((name, field))

    def listing(self, items: Iterable[T], columns: Sequence[Column[T]], *, nothing: str) -> None:
        """Write records as rows; for a person, ``nothing`` stands for no records."""
        if self.as_json:
            for item in items:
                self.record(item)
        elif self.quiet:
            naming = next((column for column in columns if column.names), columns[0])
            for item in items:
                self.row([naming.field(item)])
        elif self.is_terminal:
            self._table(iter(items), columns, nothing)
        else:
            for item in items:
                self.row(column.field(item) for column in columns)

    def _table(self, items: Iterable[T], columns: Sequence[Column[T]], nothing: str) -> None:
        items = iter(items)
        shown = list(itertools.islice(items, ROWS_SHOWN_MAX))
        fitting = [column for column in columns if column.width_min <= self.console.width]
        if shown:
            self.console.print(self._grid(shown, fitting))
        else:
            click.echo(nothing, err=True)
        if next(items, None) is not None:
            click.echo(
                f"These are the first {ROWS_SHOWN_MAX:,} rows. A pipe gets all.",
                err=True,
            )

    def _grid(self, items: Iterable[T], columns: Sequence[Column[T]]) -> "Table":
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=self.headings)
        for column in columns:
            table.add_column(
                column.title,
                style="bold" if column.names else column.style,
                justify="right" if column.right else "left",
                no_wrap=not (column.may_be_cut or column.wraps),
            )
        for item in items:
            table.add_row(
                *(
                    Text(
                        column.cell(item, absolute=self.absolute),
                        no_wrap=not column.wraps,
                        overflow="fold" if column.wraps else "ellipsis",
                    )
                    for column in columns
                )
            )
        return table


def age_column(title: str, moment: Callable[[T], datetime], now: datetime, *, width_min: int = 0) -> Column[T]:
    """Return a column with a time for a pipe, and its age for a person."""
    return Column(title, moment, lambda item: age(moment(item), now), right=True, width_min=width_min)


def _grid(facts: Iterable[tuple[str, Any, str]], *, absolute: bool) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, field, shown in facts:
        grid.add_row(Text(name), Text(local_time(field) if absolute and isinstance(field, datetime) else plain(shown)))
    return grid


def _text(field: Any) -> str:
    match field:
        case None:
            return ""
        case bool():
            return "yes" if field else "no"
        case datetime():
            return field.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case _:
            return str(field)
