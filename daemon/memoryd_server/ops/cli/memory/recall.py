"""``memoryd memory recall``, with the short form ``recall``."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.domain.limit import MATCHES_DEFAULT, MATCHES_MAX
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT, FURTHER_AGENTS, limit
from memoryd_server.ops.cli.memory.column import recalled_columns
from memoryd_server.ops.cli.memory.parameter import READ_TIME, with_filters
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.config.setting_type import SHARE

if TYPE_CHECKING:
    import memoryd
    from memoryd import RecallResult


@click.command("recall", cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@limit(maximum=MATCHES_MAX, default=MATCHES_DEFAULT)
@click.option(
    "--min-score",
    type=SHARE,
    default=None,
    metavar="NUMBER",
    help="Minimum score of a result, 0 to 1.  [default: any, but nothing if even the best is no likely answer]",
)
@with_filters
@FURTHER_AGENTS
@READ_TIME
@click.option(
    "--linked/--no-linked",
    "include_linked",
    default=True,
    help="Follow links from matching memories to others.  [default: --linked]",
)
def recall_memories(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    query: str,
    limit: int,
    min_score: float | None,
    read_time: datetime | None,
    include_linked: bool,
    selection: dict[str, Any],
    **filters: Any,
) -> None:
    """List the memories that best match QUERY, with reasons.

    QUERY is a question or some words. A time in it, such as "last week" or "in May 2023", favours what happened then.

    In a pipe, each row has these fields, separated by tabs: score, id, content, reason, time, type, user; with
    --further-agent, also the agent.
    """
    found = client.agent(agent_id).memories.recall(
        query,
        limit=limit,
        min_score=min_score,
        read_time=read_time,
        include_linked=include_linked,
        **filters,
        **selection,
    )
    columns = recalled_columns()
    if filters["further_agents"]:
        columns.append(Column("AGENT", lambda each: each.memory.agent_id, may_be_cut=True))
    output.listing(found.memories, columns, nothing="No memory matches.")
    if found.memories and output.is_terminal:
        output.line(_summary(found))


def _summary(found: "RecallResult") -> str:
    by = "words and meaning" if found.semantic_used else "words alone"
    took_ms = found.query_duration.total_seconds() * 1_000
    return f"{len(found.memories):,} of {found.match_count:,} matches, by {by}, in {took_ms:.1f} ms"
