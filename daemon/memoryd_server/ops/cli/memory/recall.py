"""``memoryd recall``: find memories."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.memory.column import recalled_columns
from memoryd_server.ops.cli.memory.parameter import AGENT, AS_OF, with_filters
from memoryd_server.ops.cli.terminal.output import Output

if TYPE_CHECKING:
    import memoryd
    from memoryd import RecallResult

LIMIT_DEFAULT = 10
LIMIT_MAX = 100


@click.command(cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@click.option(
    "--limit",
    type=click.IntRange(1, LIMIT_MAX),
    default=LIMIT_DEFAULT,
    metavar="N",
    help="At most so many.  [default: 10]",
)
@click.option(
    "--min-score", type=click.FLOAT, default=0.0, metavar="NUMBER", help="Of this score or more: from 0 to 1."
)
@with_filters
@AS_OF
@click.option("--skip-links", is_flag=True, help="Leave out what only a link leads to.")
def recall(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    query: str,
    limit: int,
    min_score: float,
    as_of: datetime | None,
    skip_links: bool,
    **filters: Any,
) -> None:
    """Find the memories that answer QUERY best, and say why.

    QUERY is in words. A time in it, such as "last week" or "in May 2023", prefers what happened then.

    In a pipe, a row has score, id, content, reason, time, type and user, separated by tabs.
    """
    found = client.agent(agent_id).memories.recall(
        query, limit=limit, min_score=min_score, as_of=as_of, skip_links=skip_links, **filters
    )
    output.listing(found.memories, recalled_columns(), nothing="Nothing matches.")
    if found.memories and output.is_terminal:
        output.line(_summary(found))


def _summary(found: "RecallResult") -> str:
    by = "words and meaning" if found.meaning_used else "words alone"
    took_ms = found.query_duration.total_seconds() * 1_000
    return f"{len(found.memories):,} of {found.total_matches:,} matches, by {by}, in {took_ms:.1f} ms"
