"""``memoryd memory get`` and ``list``."""

import itertools
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT, LIMIT_ALL
from memoryd_server.ops.cli.memory.column import listed_columns
from memoryd_server.ops.cli.memory.parameter import MEMORY, READ_TIME, with_filters
from memoryd_server.ops.cli.terminal.json_line import to_json
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.cli.terminal.phrase import one_line

if TYPE_CHECKING:
    import memoryd
    from memoryd import Memory


@click.command("get", cls=ClientCommand)
@AGENT
@MEMORY
@READ_TIME
@click.option("--forgotten", "include_forgotten", is_flag=True, help="Show the memory even if it is forgotten.")
@click.option("--embedding", "include_embedding", is_flag=True, help="Include the memory's vector, with --json.")
@click.option("--history", "include_history", is_flag=True, help="Include the earlier confidences, with --json.")
def get_memory(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    memory_id: str,
    read_time: datetime | None,
    include_forgotten: bool,
    include_embedding: bool,
    include_history: bool,
) -> None:
    """Show a memory.

    A terminal shows all of its fields; a pipe gets its content. --json prints the memory with its metadata. Exits with
    status 1 if there is no such memory, or it is forgotten.
    """
    found = client.agent(agent_id).memories.get(
        memory_id,
        read_time=read_time,
        include_forgotten=include_forgotten,
        include_embedding=include_embedding,
        include_history=include_history,
    )
    if output.as_json or output.is_terminal:
        output.facts(found, _facts(found))
    else:
        output.text(found.content)


@click.command("list", cls=ClientCommand)
@AGENT
@with_filters
@click.option("--forgotten", "forgotten_only", is_flag=True, help="List only forgotten memories, of any status.")
@LIMIT_ALL
def list_memories(
    client: "memoryd.Client",
    output: Output,
    agent_id: str,
    forgotten_only: bool,
    limit: int | None,
    selection: dict[str, Any],
    **filters: Any,
) -> None:
    """List the memories of an agent, newest first.

    In a pipe, each row has these fields, separated by tabs: id, content, type, status, time, user, project, salience.
    """
    found = client.agent(agent_id).memories.list(forgotten_only=forgotten_only, **filters, **selection)
    output.listing(itertools.islice(found, limit), listed_columns(), nothing="There are no such memories.")


def _facts(found: "Memory") -> list[tuple[str, Any, str]]:
    provenance = found.provenance
    learned = [provenance.conversation_id, provenance.document_id, provenance.learning_context]
    facts = {
        "memory": found.memory_id,
        "content": one_line(found.content),
        "type": found.type,
        "status": f"{found.status}, forgotten" if found.forget_time else found.status,
        "user": found.user_id,
        "project": found.project_id,
        "when": _time(found.occur_time),
        "learned": ", ".join(filter(None, learned)),
        "aliases": ", ".join(map(one_line, found.aliases)),
        "tags": ", ".join(found.tags),
        "metadata": to_json(found.metadata) if found.metadata else "",
        "importance": f"{found.importance:.2f}",
        "salience": f"{found.salience:.2f}",
        "confidence": f"{found.confidence:.2f}",
        "reinforced": f"{found.reinforce_count:,} times",
        "recalled": f"{found.access_count:,} times, last {_time(found.last_access_time)}",
        "links": f"{found.link_count:,}" if found.link_count else "",
        "created": _time(found.create_time),
        "updated": _time(found.update_time),
        "expires": _time(found.expire_time),
        "restorable until": _time(found.purge_time),
        "revision": str(found.revision),
    }
    return [(name, shown, shown) for name, shown in facts.items() if shown]


def _time(moment: datetime | None) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}" if moment else ""
