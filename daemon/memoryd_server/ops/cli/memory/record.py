"""``memoryd memories``: look at what an agent remembers, and correct it."""

import itertools
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.memory.column import listed_columns
from memoryd_server.ops.cli.memory.parameter import AGENT, AS_OF, LINK_TYPES, MEMORY, STATUSES, TYPES, with_filters
from memoryd_server.ops.cli.terminal.argument import object_option, read_text
from memoryd_server.ops.cli.terminal.json_line import to_json
from memoryd_server.ops.cli.terminal.moment import MOMENT
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import one_line

if TYPE_CHECKING:
    import memoryd
    from memoryd import Memory, MemoryLink


@click.group("memories")
def memories() -> None:
    """Look at memories and their links, correct and reinforce them."""


@memories.command("list", cls=ClientCommand)
@AGENT
@with_filters
@click.option("--forgotten", "forgotten_only", is_flag=True, help="The forgotten ones instead, of any status.")
@click.option("--limit", type=click.IntRange(1, sys.maxsize), metavar="N", help="At most so many.  [default: all]")
def list_memories(
    client: "memoryd.Client", output: Output, agent_id: str, forgotten_only: bool, limit: int | None, **filters: Any
) -> None:
    """List the memories, newest first.

    In a pipe, a row has id, content, type, status, time, user, project and salience, separated by tabs.
    """
    found = client.agent(agent_id).memories.list(forgotten_only=forgotten_only, **filters)
    output.listing(itertools.islice(found, limit), listed_columns(), nothing="There are no such memories.")


@memories.command("get", cls=ClientCommand)
@AGENT
@MEMORY
@AS_OF
@click.option("--forgotten", "include_forgotten", is_flag=True, help="Also when it is forgotten.")
@click.option("--embedding", "include_embedding", is_flag=True, help="With --json, its vector, too.")
def get_memory(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    memory_id: str,
    as_of: datetime | None,
    include_forgotten: bool,
    include_embedding: bool,
) -> None:
    """Show a memory.

    On a terminal with all that is known of it, in a pipe its content. --json prints the whole memory. Ends with 1 when
    it is not there, or is forgotten.
    """
    found = client.agent(agent_id).memories.get(
        memory_id, as_of=as_of, include_forgotten=include_forgotten, include_embedding=include_embedding
    )
    if output.as_json or output.is_terminal:
        output.facts(found, _facts(found))
    else:
        output.text(found.content)


@memories.command("update", cls=ClientCommand)
@AGENT
@MEMORY
@click.option("--content", metavar="TEXT", help="What it tells; - reads it from standard input.")
@click.option("--type", "type", type=click.Choice(TYPES), help="What it is.")
@click.option("--status", type=click.Choice(STATUSES), help="Where it is in its life.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label, instead of those it has; repeatable.")
@click.option("--importance", type=click.FLOAT, metavar="NUMBER", help="From 0 to 1.")
@click.option("--metadata", callback=object_option, metavar="JSON", help="An object with whatever else is known.")
@click.option("--when", "occur_time", type=MOMENT, metavar="MOMENT", help="When it happened.")
def update_memory(
    client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, content: str | None, **changes: Any
) -> None:
    """Change what is named of a memory, and nothing else.

    What it was before stays known for a while: memoryd memories get --as-of.
    """
    given = {name: value for name, value in changes.items() if value not in (None, ())}
    if content is not None:
        given["content"] = read_text(content)
    if not given:
        raise click.UsageError("nothing is to be changed: see --help")
    done = client.agent(agent_id).memories.update(memory_id, **given)
    told = f"was updated at revision {done.revision}" if done.updated else "is so already"
    output.done(done, f"{memory_id} {told}")


@memories.command("reinforce", cls=ClientCommand)
@AGENT
@MEMORY
@click.option(
    "--confidence",
    type=click.FLOAT,
    metavar="NUMBER",
    help="How sure it is: from 0 to 1.  [default: surer than it was]",
)
def reinforce_memory(
    client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, confidence: float | None
) -> None:
    """Make a memory surer, and slower to fade.

    An archived one becomes active again.
    """
    done = client.agent(agent_id).memories.reinforce(memory_id, confidence=confidence)
    output.done(done, f"{memory_id} is sure by {done.confidence:.2f} at revision {done.revision}")


@memories.command("links", cls=ClientCommand)
@AGENT
@click.argument("memory_id", metavar="[MEMORY]", default="")
@click.option("--type", "link_type", type=click.Choice(LINK_TYPES), help="Those of this type.")
def list_links(client: "memoryd.Client", output: Output, agent_id: str, memory_id: str, link_type: str | None) -> None:
    """List the links of a memory, or of all.

    In a pipe, a row has the id at its start, its type, the id at its end, its strength and its time, separated by tabs.
    """
    columns: list[Column[MemoryLink]] = [
        Column("FROM", lambda link: link.from_memory_id, style="bold", may_be_cut=True),
        Column("TYPE", lambda link: link.type, style="cyan"),
        Column("TO", lambda link: link.to_memory_id, style="bold", may_be_cut=True),
        Column("STRENGTH", lambda link: link.strength, lambda link: f"{link.strength:.2f}", right=True),
        Column(
            "MADE",
            lambda link: link.create_time,
            lambda link: f"{link.create_time.astimezone():%Y-%m-%d}",
            width_min=80,
        ),
    ]
    found = client.agent(agent_id).memories.links(memory_id, link_type=link_type)
    output.listing(found, columns, nothing="There are no such links.")


def _facts(found: "Memory") -> list[tuple[str, Any, str]]:
    temporal, provenance = found.temporal, found.provenance
    learned = [provenance.conversation_id, provenance.document_id, provenance.learning_context]
    facts = {
        "memory": found.memory_id,
        "content": one_line(found.content),
        "type": found.type,
        "status": f"{found.status}, forgotten" if temporal.forget_time else found.status,
        "user": found.user_id,
        "project": found.project_id,
        "when": _time(temporal.occur_time),
        "learned": ", ".join(filter(None, learned)),
        "tags": ", ".join(found.tags),
        "metadata": to_json(found.metadata).decode() if found.metadata else "",
        "salience": f"{found.current_salience:.2f}, of importance {found.importance:.2f}",
        "sure": f"{temporal.confidence_trajectory[-1]:.2f}",
        "reinforcements": f"{temporal.reinforce_count:,}",
        "accesses": f"{temporal.access_count:,}, the last {_time(temporal.last_access_time)}",
        "linked with": ", ".join(found.linked_memory_ids),
        "created": _time(temporal.create_time),
        "updated": _time(temporal.update_time),
        "expires": _time(temporal.expire_time),
        "can be restored until": _time(temporal.purge_time),
        "revision": str(found.revision),
    }
    return [(name, shown, shown) for name, shown in facts.items() if shown]


def _time(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}" if moment else ""
