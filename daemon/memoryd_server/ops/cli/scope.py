"""``memoryd scope``: the nested containers of an agent's entries."""

import operator
from typing import TYPE_CHECKING, Any

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.client.parameter import AGENT
from memoryd_server.ops.cli.client.selection import selecting_users
from memoryd_server.ops.cli.terminal.command_group import CommandGroup
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.cli.terminal.phrase import counted, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.tree import Tree

    import memoryd
    from memoryd import ScopeInfo


@click.group("scope", cls=CommandGroup)
def scope() -> None:
    """List scopes: nested containers of entries."""


@scope.command("list", cls=ClientCommand)
@AGENT
@selecting_users("scopes")
def list_scopes(client: "memoryd.Client", output: Output, agent_id: str, selection: dict[str, Any]) -> None:
    """List the active scopes of an agent, with the number of their own entries.

    A terminal shows them as a tree. In a pipe, each row has these fields, separated by tabs: id, name, parent's id,
    number of entries.
    """
    agent = client.agent(agent_id)
    if output.is_terminal:
        root_count = agent.stats().root_entry_count
        output.console.print(_tree(agent_id, root_count, agent.scopes(**selection)))
        return
    columns: list[Column[ScopeInfo]] = [
        Column(name, operator.attrgetter(name)) for name in ("scope_id", "name", "parent_scope_id", "entry_count")
    ]
    output.listing(agent.scopes(**selection), columns, nothing="")


def _tree(agent_id: str, root_count: int, scopes: "Iterable[ScopeInfo]") -> "Tree":
    from rich.text import Text
    from rich.tree import Tree

    def label(name: str, count: int, scope_id: str) -> Text:
        return Text.assemble(
            (plain(name), "bold"),
            f"  {counted(count, 'entry', 'entries')}",
            (f"  {scope_id}" if scope_id else "", "dim"),
            overflow="fold",
        )

    tree = Tree(label(agent_id, root_count, ""), guide_style="dim")
    branches = {"": tree}
    # They are listed in the order of their creation: a parent comes before its children.
    for each in scopes:
        branch = branches.get(each.parent_scope_id, tree)
        branches[each.scope_id] = branch.add(label(each.name, each.entry_count, each.scope_id))
    return tree
