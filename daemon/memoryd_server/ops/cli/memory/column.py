"""The columns of tables of memories."""

from typing import TYPE_CHECKING

from memoryd_server.ops.cli.terminal.output import Column
from memoryd_server.ops.cli.terminal.phrase import one_line, preview

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memoryd import Memory, ScoredMemory

WIDE = 110
"""Minimum width of a terminal, in characters, that shows an id beside content and reason."""


def listed_columns() -> "list[Column[Memory]]":
    """Return the columns of a list of memories."""
    return [
        Column("MEMORY", lambda found: found.memory_id, names=True),
        Column("CONTENT", lambda found: one_line(found.content), lambda found: preview(found.content), may_be_cut=True),
        Column("TYPE", lambda found: found.type, style="cyan", width_min=WIDE),
        Column("STATUS", lambda found: found.status, width_min=WIDE),
        Column("WHEN", lambda found: found.occur_time, lambda found: _day(found.occur_time)),
        Column("USER", lambda found: found.user_id, may_be_cut=True, width_min=90),
        Column("PROJECT", lambda found: found.project_id, may_be_cut=True, width_min=WIDE),
        Column(
            "SALIENCE",
            lambda found: found.salience,
            lambda found: f"{found.salience:.2f}",
            right=True,
            width_min=80,
        ),
    ]


def recalled_columns() -> "list[Column[ScoredMemory]]":
    """Return the columns of recalled memories: those of a list, with the score and the reason of the match."""

    def of_memory(field: "Callable[[Memory], object]") -> "Callable[[ScoredMemory], object]":
        return lambda match: field(match.memory)

    return [
        Column("SCORE", lambda match: match.score, lambda match: f"{match.score:.2f}", right=True),
        Column("MEMORY", of_memory(lambda found: found.memory_id), names=True, width_min=WIDE),
        Column(
            "CONTENT",
            of_memory(lambda found: one_line(found.content)),
            lambda match: preview(match.memory.content),
            wraps=True,
        ),
        Column("REASON", lambda match: one_line(match.match_reason), style="green", wraps=True),
        Column(
            "WHEN",
            of_memory(lambda found: found.occur_time),
            lambda match: _day(match.memory.occur_time),
        ),
        Column("TYPE", of_memory(lambda found: found.type), style="cyan", width_min=WIDE),
        Column("USER", of_memory(lambda found: found.user_id), may_be_cut=True, width_min=WIDE),
    ]


def _day(moment: "datetime") -> str:
    return f"{moment.astimezone():%Y-%m-%d}"
