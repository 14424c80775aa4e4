"""``memoryd fragment``: the buffer of text that is not consolidated yet."""

import functools
import itertools
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.domain.limit import FRAGMENTS_PER_CALL_DEFAULT, FRAGMENTS_PER_CALL_MAX
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.consent import Consent, with_consent
from memoryd_server.ops.cli.client.deletion import Named, delete_record
from memoryd_server.ops.cli.client.name.parameter import name_argument
from memoryd_server.ops.cli.client.parameter import AGENT, ERASE, LIMIT_ALL, if_revision, limit, metadata
from memoryd_server.ops.cli.client.receipt import show_erased
from memoryd_server.ops.cli.client.selection import selecting
from memoryd_server.ops.cli.terminal.argument import read_text
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output, age_column
from memoryd_server.ops.cli.terminal.phrase import counted, one_line, preview, remaining
from memoryd_server.ops.config.setting_type import DURATION, SHARE

if TYPE_CHECKING:
    from collections.abc import Iterable

    import memoryd
    from memoryd import Fragment, FragmentLease

LIMIT = limit(maximum=FRAGMENTS_PER_CALL_MAX, default=FRAGMENTS_PER_CALL_DEFAULT)
FRAGMENT = name_argument("fragment")
TOKEN = click.argument("lease_token", metavar="TOKEN")
FRAGMENTS = name_argument("fragment", "fragment_ids", metavar="[FRAGMENT]...", nargs=-1)
LEASE = click.option(
    "--lease",
    type=DURATION,
    default="30s",
    show_default=True,
    metavar="DURATION",
    help="Duration of the lease from now, such as 30s or 5m.",
)


@click.group("fragment", cls=CommandGroup)
def fragment() -> None:
    """Buffer text with a time to live, search it, and lease it to consumers."""


@fragment.command("create", cls=ClientCommand)
@AGENT
@click.argument("content", metavar="CONTENT")
@click.option(
    "--ttl", type=DURATION, metavar="DURATION", help="Time to live, such as 10m or 7d.  [default: the daemon's]"
)
@click.option("--type", "type_", default="", metavar="NAME", help="Type of the fragment, any text.  [default: Fact]")
@click.option("--dynamic-type", default="", metavar="NAME", help="Finer type of the fragment, any text.")
@click.option("--confidence", type=SHARE, metavar="NUMBER", help="Confidence in the information, 0 to 1.")
@click.option("--participant", "participants", multiple=True, metavar="NAME", help="Participant's name. Repeatable.")
@click.option(
    "--cause",
    "causal_chain",
    multiple=True,
    metavar="TEXT",
    help="Link of the chain of causes that led to the information, such as the id of a memory. Repeatable, in order.",
)
@click.option("--user", "user_id", default="", metavar="ID", help="User whom the fragment is about, or who said it.")
@metadata("fragment")
def create_fragment(
    client: "memoryd.Client", output: Output, agent_id: str, content: str, type_: str, **options: Any
) -> None:
    """Create a fragment.

    CONTENT is the text; - reads it from standard input.
    """
    created = client.agent(agent_id).fragments.create(read_text(content), type=type_, **options).fragment
    output.done(created, f"{created.fragment_id} was created at revision {created.revision}", name=created.fragment_id)


@fragment.command("get", cls=ClientCommand)
@AGENT
@FRAGMENT
def get_fragment(client: "memoryd.Client", output: Output, agent_id: str, fragment_id: str) -> None:
    """Print the content of a fragment.

    --json prints the fragment with its metadata. Exits with status 1 if there is no such fragment, or it has expired.
    """
    found = client.agent(agent_id).fragments.get(fragment_id)
    if output.as_json:
        output.record(found)
    else:
        output.text(found.content)


@fragment.command("list", cls=ClientCommand)
@AGENT
@selecting("fragments")
@LIMIT_ALL
def list_fragments(
    client: "memoryd.Client", output: Output, agent_id: str, selection: dict[str, Any], limit: int | None
) -> None:
    """List the fragments of an agent, newest first.

    In a pipe, each row has the same fields as that of `memoryd fragment search`.
    """
    _list(output, itertools.islice(client.agent(agent_id).fragments.list(**selection), limit))


@fragment.command("search", cls=ClientCommand)
@AGENT
@click.argument("query", metavar="QUERY")
@click.option("--min-confidence", type=SHARE, metavar="NUMBER", help="Minimum confidence of a result, 0 to 1.")
@selecting("fragments")
@LIMIT
def search_fragments(
    client: "memoryd.Client", output: Output, agent_id: str, query: str, selection: dict[str, Any], **options: Any
) -> None:
    """List the fragments that contain at least one word of QUERY, newest first.

    In a pipe, each row has these fields, separated by tabs: id, content, type, confidence, creation time, expiry time,
    whether it is flushed, number of deliveries to consumers.
    """
    found = client.agent(agent_id).fragments.search(query, **options, **selection)
    _list(output, found)


@fragment.command("count", cls=ClientCommand)
@AGENT
def count_fragments(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Count the fragments of an agent: all, flushed and leased."""
    count = client.agent(agent_id).fragments.count()
    facts = [
        ("fragments", count.fragment_count, f"{count.fragment_count:,}"),
        ("flushed", count.flushed_fragment_count, f"{count.flushed_fragment_count:,}"),
        ("leased", count.leased_fragment_count, f"{count.leased_fragment_count:,}"),
    ]
    output.facts(count, facts)


@fragment.command("delete", cls=ClientCommand)
@AGENT
@FRAGMENT
@if_revision("fragment")
@ERASE
@with_consent
def delete_fragment(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    fragment_id: str,
    expected_revision: int | None,
    erase: bool,
    consent: Consent,
) -> None:
    """Delete a fragment.

    Exits with status 1 if there is no such fragment.
    """
    delete_record(
        output,
        consent,
        Named(agent_id, "fragment", fragment_id),
        functools.partial(client.agent(agent_id).fragments.delete, fragment_id),
        erase=erase,
        expected_revision=expected_revision,
    )


@fragment.command("clear", cls=ClientCommand)
@AGENT
@ERASE
@with_consent
def clear_fragments(client: "memoryd.Client", output: Output, agent_id: str, erase: bool, consent: Consent) -> None:
    """Delete all fragments of an agent."""
    fragments = client.agent(agent_id).fragments
    verb = "erase" if erase else "delete"
    if not consent.to(output, lambda: f"{verb} {_counted(fragments.count().fragment_count)} of agent {agent_id!r}"):
        return
    if erase:
        show_erased(output, "the buffer", fragments.clear(erase=True))
        return
    cleared = fragments.clear()
    output.done({"cleared_fragment_count": cleared}, f"deleted {_counted(cleared)}")


@fragment.command("flush", cls=ClientCommand)
@AGENT
def flush_fragments(client: "memoryd.Client", output: Output, agent_id: str) -> None:
    """Mark all fragments of an agent as ready for consolidation."""
    flushed = client.agent(agent_id).fragments.flush()
    output.done({"flushed_fragment_count": flushed}, f"flushed {_counted(flushed)}")


@fragment.command("lease", cls=ClientCommand)
@AGENT
@LIMIT
@LEASE
@click.option(
    "--wait", type=DURATION, metavar="DURATION", help="Maximum time to wait for a flushed fragment.  [default: 0s]"
)
def lease_fragments(
    client: "memoryd.Client", output: Output, agent_id: str, limit: int, lease: float, wait: float | None
) -> None:
    """Lease flushed fragments, oldest first, to consolidate them.

    No other consumer gets them until the lease expires. A terminal shows the token of the lease first. In a pipe, each
    row is the token followed by the fields of `memoryd fragment search`. Exits with status 1 if no fragment is
    available.
    """
    held = client.agent(agent_id).fragments.take(limit, lease=lease, wait=wait or 0.0)
    if held is None:
        raise click.ClickException(f"agent {agent_id!r} has no flushed fragment that is not leased")
    _show_lease(output, held)


@fragment.command("renew", cls=ClientCommand)
@AGENT
@TOKEN
@LEASE
def renew_lease(client: "memoryd.Client", output: Output, agent_id: str, lease_token: str, lease: float) -> None:
    """Renew the lease with this TOKEN, and list the fragments that are still in it.

    Prints them as `memoryd fragment lease` does.
    """
    held = client.agent(agent_id).fragments.renew(lease_token, lease=lease)
    if held is None:
        raise click.ClickException("the lease has no fragments left")
    _show_lease(output, held)


@fragment.command("ack", cls=ClientCommand)
@AGENT
@TOKEN
@FRAGMENTS
@ERASE
@with_consent
def acknowledge_fragments(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    lease_token: str,
    fragment_ids: tuple[str, ...],
    erase: bool,
    consent: Consent,
) -> None:
    """Acknowledge leased fragments as consolidated, which deletes them.

    Without FRAGMENT, this acknowledges all fragments of the lease.
    """
    named = _counted(len(fragment_ids)) if fragment_ids else "all fragments of the lease"
    deed = f"acknowledge{' and erase' if erase else ''} {named}"
    if not consent.to(output, lambda: deed, needed=erase):
        return
    if erase:
        show_erased(
            output,
            "what the lease had",
            client.agent(agent_id).fragments.acknowledge(lease_token, fragment_ids or None, erase=True),
        )
        return
    count = client.agent(agent_id).fragments.acknowledge(lease_token, fragment_ids or None)
    output.done({"acknowledged_fragment_count": count}, f"acknowledged {_counted(count)}")


@fragment.command("release", cls=ClientCommand)
@AGENT
@TOKEN
@FRAGMENTS
def release_fragments(
    client: "memoryd.Client", output: Output, agent_id: str, lease_token: str, fragment_ids: tuple[str, ...]
) -> None:
    """Return leased fragments to the buffer, for the next consumer.

    Without FRAGMENT, this releases all fragments of the lease.
    """
    count = client.agent(agent_id).fragments.release(lease_token, fragment_ids or None)
    output.done({"released_fragment_count": count}, f"released {_counted(count)}")


def _show_lease(output: Output, held: "FragmentLease") -> None:
    if output.as_json:
        output.record(held)
    elif output.is_terminal:
        output.line(f"lease {held.token}, expires {remaining(held.expire_time, datetime.now(UTC))}")
        _list(output, held.fragments)
    else:
        for each in held.fragments:
            output.row((held.token, *(column.field(each) for column in _columns())))


def _list(output: Output, found: "Iterable[Fragment]") -> None:
    output.listing(found, _columns(), nothing="There are no such fragments.")


def _columns() -> "list[Column[Fragment]]":
    now = datetime.now(UTC)
    return [
        Column("FRAGMENT", lambda found: found.fragment_id, names=True),
        Column("CONTENT", lambda found: one_line(found.content), lambda found: preview(found.content), may_be_cut=True),
        Column("TYPE", lambda found: found.type, style="cyan", may_be_cut=True, width_min=60),
        Column("CONFIDENCE", lambda found: found.confidence, right=True, width_min=80),
        age_column("CREATED", lambda found: found.create_time, now),
        Column(
            "EXPIRES",
            lambda found: found.expire_time,
            lambda found: remaining(found.expire_time, now),
            style="yellow",
            width_min=60,
        ),
        Column("FLUSHED", lambda found: found.flushed, width_min=90),
        Column("DELIVERIES", lambda found: found.delivery_count, right=True, width_min=100),
    ]


def _counted(count: int) -> str:
    return counted(count, "fragment")
