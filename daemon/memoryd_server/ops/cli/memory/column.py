"""What a table of memories shows of each."""

from typing import TYPE_CHECKING

from memoryd_server.ops.cli.terminal.output import Column
from memoryd_server.ops.cli.terminal.phrase import one_line, preview

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memoryd import Memory, ScoredMemory

WIDE = 110
"""The width of a terminal that has room for an id beside contents and reasons."""


def listed_columns() -> "list[Column[Memory]]":
    """The columns of a list of memories."""
    return [
        Column("MEMORY", lambda found: found.memory_id, style="bold"),
        Column(
            "CONTENT",
            lambda found: one_line(found.content),
            lambda found: preview(found.content),
            may_be_cut=True,
        ),
        Column("TYPE", lambda found: found.type, style="cyan", width_min=WIDE),
        Column("STATUS", lambda found: found.status, width_min=WIDE),
        Column("WHEN", lambda found: found.temporal.occur_time, lambda found: _day(found.temporal.occur_time)),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=90),
        Column("PROJECT", lambda found: found.project_id, may_be_cut=True, width_min=WIDE),
        Column(
            "SALIENCE",
            lambda found: found.current_salience,
            lambda found: f"{found.current_salience:.2f}",
            right=True,
            width_min=80,
        ),
    ]


def recalled_columns() -> "list[Column[ScoredMemory]]":
    """The columns of what was recalled: how well it matches and why, and what a list shows."""

    def of_memory(field: "Callable[[Memory], object]") -> "Callable[[ScoredMemory], object]":
        return lambda match: field(match.memory)

    return [
        Column("SCORE", lambda match: match.score, lambda match: f"{match.score:.2f}", style="bold", right=True),
        Column("MEMORY", of_memory(lambda found: found.memory_id), width_min=WIDE),
        Column(
            "CONTENT",
            of_memory(lambda found: one_line(found.content)),
            lambda match: preview(match.memory.content),
            wraps=True,
        ),
        Column("WHY", lambda match: one_line(match.match_reason), style="green", wraps=True),
        Column(
            "WHEN",
            of_memory(lambda found: found.temporal.occur_time),
            lambda match: _day(match.memory.temporal.occur_time),
        ),
        Column("TYPE", of_memory(lambda found: found.type), style="cyan", width_min=WIDE),
        Column("USER", of_memory(lambda found: found.user_id), may_be_cut=True, width_min=WIDE),
    ]


def _day(moment: "datetime") -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
