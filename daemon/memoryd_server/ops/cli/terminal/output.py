"""Where a command's answer goes: tables and colour on a terminal, tab-separated rows in a pipe, or JSON."""

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import click

from memoryd_server.ops.cli.terminal.phrase import laid_out, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

T = TypeVar("T")

ROWS_SHOWN_MAX = 1_000
"""A table measures all of its rows before it shows the first; nobody reads more of them."""


class Column(NamedTuple, Generic[T]):
    """One column of a listing: what a pipe gets, and what a person sees if that is something else.

    A terminal narrower than ``width_min`` does without it; where that is not enough, what ``may_be_cut`` is shortened,
    and what ``wraps`` takes more lines.
    """

    title: str
    field: Callable[[T], Any]
    shown: Callable[[T], str] | None = None
    style: str = ""
    right: bool = False
    may_be_cut: bool = False
    wraps: bool = False
    width_min: int = 0

    def cell(self, item: T) -> str:
        """What a person sees."""
        return plain(self.shown(item) if self.shown else _text(self.field(item)))


class Output:
    """Writes to standard output as fits who reads it."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    @functools.cached_property
    def console(self) -> "Console":
        """The terminal. It has no colour where NO_COLOR is set, and takes nothing in a text for markup."""
        from rich.console import Console

        # Rich would still write bold.
        plain_text = bool(os.environ.get("NO_COLOR"))
        return Console(markup=False, highlight=False, emoji=False, color_system=None if plain_text else "auto")

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads it."""
        return not self.as_json and self.console.is_terminal

    def record(self, answer: Any) -> None:
        """Write an answer as JSON."""
        from memoryd_server.ops.cli.terminal.json_line import to_json

        click.echo(to_json(answer))

    def line(self, text: str) -> None:
        """Write a line."""
        click.echo(text.encode())

    def text(self, text: str) -> None:
        """Write a text: as it is for a pipe; on a terminal its lines are kept, and what would control it is not."""
        self.line("\n".join(map(plain, text.split("\n"))) if self.is_terminal else text)

    def value(self, value_json: str) -> None:
        """Lay a JSON value out for a person."""
        from rich.highlighter import JSONHighlighter
        from rich.text import Text

        text = Text(laid_out(value_json))
        JSONHighlighter().highlight(text)
        # Lines are left whole, so that what is copied is JSON.
        self.console.print(text, soft_wrap=True)

    def row(self, fields: Iterable[Any]) -> None:
        """Write a row for programs that cut and sort lines: nothing left out, nothing that breaks a line."""
        self.line("\t".join(plain(_text(field)) for field in fields))

    def done(self, answer: Any, sentence: str) -> None:
        """Write what a change did."""
        if self.as_json:
            self.record(answer)
        else:
            self.line(plain(sentence))

    def facts(self, answer: Any, facts: Sequence[tuple[str, Any, str]]) -> None:
        """Write one thing: its facts by name, each for a pipe and for a person."""
        if self.as_json:
            self.record(answer)
        elif self.is_terminal:
            self.console.print(_grid(facts))
        else:
            for name, field, _ in facts:
                self.row((name, field))

    def listing(self, items: Iterable[T], columns: Sequence[Column[T]], *, nothing: str) -> None:
        """Write many things; a person who gets none is told ``nothing``."""
        if self.as_json:
            for item in items:
                self.record(item)
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
            self.console.print(_table(shown, fitting))
        else:
            click.echo(nothing, err=True)
        if next(items, None) is not None:
            click.echo(f"These are the first {ROWS_SHOWN_MAX:,}; narrow them down, or pipe all to a program.", err=True)


def _table(items: Iterable[T], columns: Sequence[Column[T]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(
            column.title,
            style=column.style,
            justify="right" if column.right else "left",
            no_wrap=not (column.may_be_cut or column.wraps),
        )
    for item in items:
        table.add_row(
            *(
                Text(column.cell(item), no_wrap=not column.wraps, overflow="fold" if column.wraps else "ellipsis")
                for column in columns
            )
        )
    return table


def _grid(facts: Iterable[tuple[str, Any, str]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, _, shown in facts:
        grid.add_row(Text(name), Text(plain(shown)))
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
