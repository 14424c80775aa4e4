"""``memoryd fragments``: what agents heard and have not consolidated yet."""

import itertools
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import age, one_line, remaining
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    from collections.abc import Iterable

    import memoryd
    from memoryd import Fragment

AGENT = click.argument("agent_id", metavar="AGENT")
FRAGMENT = click.argument("fragment_id", metavar="FRAGMENT")
LIMIT_DEFAULT = 100
LIMIT_MAX = 1_000
LIMIT = click.option(
    "--limit", type=click.IntRange(1, LIMIT_MAX), default=LIMIT_DEFAULT, metavar="N", help="At most so many."
)
CONTENT_SHOWN_MAX = 400


@click.group("fragments")
def fragments() -> None:
    """Buffer what an agent hears, find it, and hand it over."""


@fragments.command("store", cls=ClientCommand)
@AGENT
@click.argument("content", metavar="CONTENT")
@click.option("--ttl", type=DURATION, metavar="DURATION", help="How long it lives, such as 10m or 7d.")
@click.option("--type", "type_", default="", metavar="NAME", help="What kind of thing it is.  [default: Fact]")
@click.option("--dynamic-type", default="", metavar="NAME", help="A finer kind of your own.")
@click.option("--confidence", type=click.FLOAT, metavar="NUMBER", help="From 0 to 1.")
@click.option("--participant", "participants", multiple=True, metavar="NAME", help="Who took part; repeatable.")
@click.option("--cause", "causal_chain", multiple=True, metavar="TEXT", help="What led to it; repeatable.")
@click.option("--properties", callback=object_option, metavar="JSON", help="An object with whatever else is known.")
def store_fragment(
    client: "memoryd.Client", output: Output, agent_id: str, content: str, type_: str, **options: Any
) -> None:
    """Store a fragment.

    CONTENT is the text; - reads it from standard input.
    """
    stored = client.agent(agent_id).fragments.store(read_text(content), type=type_, **options)
    output.done(stored, f"{stored.fragment_id} was stored at revision {stored.revision}")


@fragments.command("get", cls=ClientCommand)
@AGENT
@FRAGMENT
def get_fragment(client: "memoryd.Client", output: Output, agent_id: str, fragment_id: str) -> None:
    """Print the content of a fragment.

    --json prints the whole fragment. Ends with 1 when it is not there, or its time is over.
    """
    found = client.agent(agent_id).fragments.get(fragment_id)
    if found is None:
        raise _missing(agent_id, fragment_id)
    if output.as_json:
        output.record(found)
    else:
        output.text(found.content)


@fragments.command("delete", cls=ClientCommand)
@AGENT
@FRAGMENT
def delete_fragment(client: "memoryd.Client", output: Output, agent_id: str, fragment_id: str) -> None:
    """Remove a fragment.

    Ends with 1 when it is not there."""
    if not client.agent(agent_id).fragments.delete(fragment_id):
        raise _missing(agent_id, fragment_id)
    output.done({"fragment_id": fragment_id, "deleted": True}, f"{fragment_id} was deleted")


@fragments.command("search", cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@click.option("--min-confidence", type=click.FLOAT, metavar="NUMBER", help="Only those that are so sure: from 0 to 1.")
@LIMIT
def search_fragments(
    client: "memoryd.Client", output: Output, agent_id: str, query: str, min_confidence: float | None, limit: int
) -> None:
    """Find the fragments that have any word of QUERY.

    The newest come first. In a pipe, a row has id, content, type, confidence, time, expiry, whether it is flushed and
    how often it was handed out, separated by tabs.
    """
    found = client.agent(agent_id).fragments.search(query, min_confidence=min_confidence, limit=limit)
    _list(output, found)


@fragments.command("recent", cls=ClientCommand)
@AGENT
@click.option("--limit", type=click.IntRange(1, sys.maxsize), metavar="N", help="At most so many.  [default: all]")
def list_recent_fragments(client: "memoryd.Client", output: Output, agent_id: str, limit: int | None) -> None:
    """List the fragments, newest first.

    In a pipe, a row is as in: memoryd fragments search.
    """
    _list(output, itertools.islice(client.agent(agent_id).fragments.recent(), limit))


@fragments.command("count", cls=ClientCommand)
@AGENT
def count_fragments(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Tell how many fragments there are."""
    count = client.agent(agent_id).fragments.count()
    facts = [
        ("fragments", count.fragment_count, f"{count.fragment_count:,}"),
        ("flushed", count.flushed_count, f"{count.flushed_count:,}"),
        ("leased", count.leased_count, f"{count.leased_count:,}"),
    ]
    output.facts(count, facts)


@fragments.command("clear", cls=ClientCommand)
@AGENT
def clear_fragments(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Remove all fragments."""
    cleared = client.agent(agent_id).fragments.clear()
    output.done({"fragments_cleared": cleared}, f"{_counted(cleared)} removed")


@fragments.command("flush", cls=ClientCommand)
@AGENT
def flush_fragments(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Make all fragments ready for consolidation."""
    flushed = client.agent(agent_id).fragments.flush()
    output.done({"fragments_flushed": flushed}, f"{_counted(flushed)} flushed")


@fragments.command("lease", cls=ClientCommand)
@AGENT
@click.option(
    "--limit",
    type=click.IntRange(1, LIMIT_MAX),
    metavar="N",
    help=f"At most so many.  [default: {LIMIT_DEFAULT}]",
)
@click.option(
    "--lease", type=DURATION, default="30s", metavar="DURATION", help="How long to hold them.  [default: 30s]"
)
@click.option("--wait", type=DURATION, metavar="DURATION", help="How long to wait for one.  [default: not at all]")
@click.option("--renew", "lease_token", metavar="TOKEN", help="Hold the fragments of this lease for longer instead.")
def lease_fragments(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    limit: int | None,
    lease: float,
    wait: float | None,
    lease_token: str | None,
) -> None:
    """Take flushed fragments to consolidate.

    Others do not get them until the lease ends. On a terminal the token comes first; in a pipe, a row has the token,
    and then what it has in: memoryd fragments search. Ends with 1 when there is nothing to take.
    """
    buffer = client.agent(agent_id).fragments
    if lease_token is None:
        held = buffer.take(limit or LIMIT_DEFAULT, lease=lease, wait=wait or 0.0)
    elif not lease_token:
        raise click.UsageError("--renew names no lease")
    elif limit is not None or wait is not None:
        raise click.UsageError("--renew holds what is held already: it goes with neither --limit nor --wait")
    else:
        held = buffer.renew(lease_token, lease=lease)
    if held is None:
        raise click.ClickException(f"agent {agent_id!r} has no flushed fragment that is free (NOTHING_TO_LEASE)")
    if output.as_json:
        output.record(held)
    elif output.is_terminal:
        output.line(f"lease {held.token}, {remaining(held.expire_time, datetime.now(UTC))}")
        _list(output, held.fragments)
    else:
        for found in held.fragments:
            output.row((held.token, *(column.field(found) for column in _columns())))


@fragments.command("ack", cls=ClientCommand)
@AGENT
@click.argument("lease_token", metavar="TOKEN")
@click.argument("fragment_ids", metavar="[FRAGMENT]...", nargs=-1)
@click.option("--release", is_flag=True, help="Give them back instead, to the next consumer.")
def acknowledge_fragments(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    lease_token: str,
    fragment_ids: tuple[str, ...],
    release: bool,
) -> None:
    """Remove leased fragments, since they are consolidated.

    All of the lease, unless some are named.
    """
    buffer = client.agent(agent_id).fragments
    count = (buffer.release if release else buffer.acknowledge)(lease_token, fragment_ids)
    done = "given back" if release else "acknowledged"
    output.done({"fragment_count": count, "released": release}, f"{_counted(count)} {done}")


def _list(output: Output, found: "Iterable[Fragment]") -> None:
    output.listing(found, _columns(), nothing="There are no such fragments.")


def _columns() -> "list[Column[Fragment]]":
    now = datetime.now(UTC)
    columns: list[Column[Fragment]] = [
        Column("FRAGMENT", lambda found: found.fragment_id, style="bold"),
        Column(
            "CONTENT",
            lambda found: one_line(found.content),
            lambda found: one_line(found.content[:CONTENT_SHOWN_MAX]),
            may_be_cut=True,
        ),
        Column("TYPE", lambda found: found.type, style="cyan", may_be_cut=True, width_min=60),
        Column("SURE", lambda found: found.confidence, right=True, width_min=70),
        Column("AGE", lambda found: found.create_time, lambda found: age(found.create_time, now), right=True),
        Column(
            "EXPIRES",
            lambda found: found.expire_time,
            lambda found: remaining(found.expire_time, now),
            style="yellow",
            width_min=60,
        ),
        Column("FLUSHED", lambda found: found.flushed, width_min=80),
        Column("TAKEN", lambda found: found.delivery_count, right=True, width_min=80),
    ]
    return columns


def _counted(count: int) -> str:
    return f"{count:,} {'fragment was' if count == 1 else 'fragments were'}"


def _missing(agent_id: str, fragment_id: str) -> click.ClickException:
    return click.ClickException(f"agent {agent_id!r} has no fragment {fragment_id!r} (FRAGMENT_NOT_FOUND)")
